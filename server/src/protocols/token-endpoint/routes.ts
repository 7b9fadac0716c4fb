import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { grantTypes } from "../../applications/clients/index.ts";
import { client, declare } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { ForeignOrigin } from "../client-auth/index.ts";
import { allowOrigin, clientForm, formOf, issuerFor, takeForms } from "../gate/index.ts";
import { grants } from "./grants/index.ts";
import type { TokenEndpoints } from "./parts.ts";
import { answerTokenRequest } from "./pipeline.ts";

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

/** The parameters of all grants, for the OpenAPI document. */
const parameters = new Set(Object.values(grants).flatMap((grant) => grant.parameters));
const TokenForm = clientForm(
  {
    grant_type: Type.Union(grantTypes.map((type) => Type.Literal(type))),
    ...Object.fromEntries([...parameters].map((name) => [name, Type.Optional(Type.String())])),
  },
  { grant_type: "client_credentials" },
);

/** Mounted under /realms/:realm: the token endpoint. */
export const tokenRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: client({ in: "pipeline" }), errors: "oauth" });
  app.setErrorHandler(allowReading);
  takeForms(app);

  app.post(
    "/token",
    {
      schema: {
        summary: "The token endpoint (RFC 6749 §3.2)",
        description: "A form with `grant_type`, the parameters of that grant, and client authentication.",
        ...TokenForm,
        response: { 200: Tokens },
      },
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const { parts } = await issuerFor(issuers, request);
      const { client, body } = await answerTokenRequest(parts, {
        headers: request.headers,
        form: formOf(request),
        ...requestSource(request),
      });
      // RFC 6749 §5.1
      reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
      allowOrigin(request, reply, client);
      return reply.send(body as never);
    },
  );
};

/** CORS for errors: the client's own pages may read them, other origins may not. The gate sends the error. */
function allowReading(cause: unknown, request: FastifyRequest, reply: FastifyReply): never {
  if (cause instanceof ForeignOrigin) reply.header("vary", "Origin");
  else allowOrigin(request, reply, null);
  throw cause;
}
