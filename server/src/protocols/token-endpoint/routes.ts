import { parse } from "node:querystring";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { refuseDeepParameters } from "../../platform/http/index.ts";
import { ForeignOrigin, type Form } from "../client-auth/index.ts";
import { allowAnyOrigin, allowOrigin, preflight, sendOAuthError } from "../gate/index.ts";
import { partsFor, type TokenEndpoints } from "./parts.ts";
import { answerTokenRequest } from "./pipeline.ts";

const params = Type.Object({ realm: Type.String() });
const Tokens = Type.Object(
  {
    access_token: Type.String({ description: "A JWT (RFC 9068)" }),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: "Seconds" }),
    scope: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
  },
  { $id: "Tokens", additionalProperties: true },
);

const BODY_LIMIT = 56 * 1024;
const FORM = "application/x-www-form-urlencoded";

/** Mounted under /realms/:realm: the token endpoint. */
export const tokenRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  app.setErrorHandler(refuse);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM, { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.post(
    "/token",
    {
      schema: {
        summary: "The token endpoint (RFC 6749 §3.2)",
        description: "A form with `grant_type` and what that grant needs, and the client's authentication.",
        consumes: [FORM],
        tags: ["Protocol"],
        params,
        response: { 200: Tokens },
      },
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const parts = await partsFor(issuers, request);
      const { client, body } = await answerTokenRequest(parts, {
        headers: request.headers,
        form: formOf(request),
        sourceIp: request.ip,
      });
      // RFC 6749 §5.1
      reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
      allowOrigin(request, reply, client);
      return reply.send(body as never);
    },
  );
  app.options("/token", { schema: { hide: true } }, preflight("POST"));
};

/** A page of the client's may read why it was refused; one of another origin learns nothing. */
function refuse(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (cause instanceof ForeignOrigin) reply.header("vary", "Origin");
  else allowAnyOrigin(request, reply);
  return sendOAuthError(cause, request, reply);
}

/** RFC 6749 §3.2: parameters are sent in a form. */
function formOf({ headers, body }: FastifyRequest): Form {
  const type = headers["content-type"];
  if (type === undefined) return {};
  if (!Buffer.isBuffer(body)) throw oauthErrors.invalidRequest(`only ${FORM} content-type bodies are supported on POST /token`);
  const form = parse(body.toString(charsetOf(type)));
  refuseDeepParameters(form);
  return form;
}

function charsetOf(type: string): BufferEncoding {
  const [, charset = "utf-8"] = /charset="?([^";\s]+)/i.exec(type) ?? [];
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return "utf8";
  if (/^iso-8859-1$/i.test(charset)) return "latin1";
  throw oauthErrors.invalidRequest("the form must be sent as UTF-8");
}
