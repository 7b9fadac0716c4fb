import { parse } from "node:querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { refuseUnreadableParameters } from "../../platform/http/index.ts";

const FORM = "application/x-www-form-urlencoded";

const BODY_LIMIT = 56 * 1024;

/**
 * Keeps forms as buffers, which `formOf` parses. Other content types are refused. The schemas are documentation and validate nothing:
 * unknown parameters are ignored (RFC 6749 §3.2), and each endpoint has its own errors.
 */
export function takeForms(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM, { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/** RFC 6749 §2.3.1, RFC 7521 §4.2: the parameters of client authentication in a form, instead of the header or a certificate. */
const CLIENT_AUTHENTICATION = {
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  client_assertion_type: Type.Optional(Type.Literal("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")),
  client_assertion: Type.Optional(Type.String({ description: "A JWT (RFC 7523 §2.2)" })),
};

/** Describes the form of an endpoint that clients call, for the OpenAPI document. The example has a client with a secret. */
export const clientForm = (parameters: Readonly<Record<string, TSchema>>, example: Readonly<Record<string, string>>) => ({
  consumes: [FORM],
  body: Type.Object(
    { ...parameters, ...CLIENT_AUTHENTICATION },
    { additionalProperties: true, examples: [{ ...example, client_id: "shop", client_secret: "S3cure-enough-secret" }] },
  ),
});

/** Describes the response of a token exchange (RFC 8693 §2.2.1) in the OpenAPI document. */
export const exchangedTokens = ($id: string, accessToken: string) =>
  Type.Object(
    {
      access_token: Type.String({ description: accessToken }),
      issued_token_type: Type.String(),
      token_type: Type.String(),
      expires_in: Type.Integer({ description: "The lifetime in seconds" }),
      scope: Type.String(),
    },
    { $id },
  );

/** RFC 6749 §3.2: parses a form. Refuses values that cannot be stored, and JSON and JWTs that are nested deeply. */
export function formOf({ headers, body, routeOptions }: FastifyRequest): Readonly<Record<string, string | string[] | undefined>> {
  const type = headers["content-type"];
  if (type === undefined) return {};
  if (!Buffer.isBuffer(body)) throw oauthErrors.invalidRequest(`only ${FORM} content-type bodies are supported on ${routeOptions.url}`);
  const form = parse(body.toString(charsetOf(type)));
  refuseUnreadableParameters(form);
  return form;
}

function charsetOf(type: string): BufferEncoding {
  const [, charset = "utf-8"] = /charset="?([^";\s]+)/i.exec(type) ?? [];
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return "utf8";
  if (/^iso-8859-1$/i.test(charset)) return "latin1";
  throw oauthErrors.invalidRequest("the form must be sent as UTF-8");
}
