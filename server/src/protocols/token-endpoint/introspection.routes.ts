import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { client, declare, route } from "../../platform/http/index.ts";
import { isPublic } from "../client-auth/index.ts";
import { clientForm, formOf, issuerFor, single, takeForms } from "../gate/index.ts";
import { protectedIntrospection } from "../tokens/index.ts";
import { introspect, revoke } from "./introspection.ts";
import type { TokenEndpoints } from "./parts.ts";

const TokenForm = clientForm(
  { token: Type.String(), token_type_hint: Type.Optional(Type.Union([Type.Literal("access_token"), Type.Literal("refresh_token")])) },
  { token: "eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl" },
);
const Introspection = Type.Object({ active: Type.Boolean() }, { $id: "Introspection", additionalProperties: true });

const INTROSPECTION_JWT = "application/token-introspection+jwt";
const acceptsJwt = (accept = ""): boolean =>
  accept.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === INTROSPECTION_JWT && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });

/** Mounted under /realms/:realm. */
export const introspectionRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: client(), errors: "oauth" });
  takeForms(app);

  /** Returns the calling client, and the token in its form. */
  const asked = async (request: FastifyRequest) => {
    const { parts } = await issuerFor(issuers, request);
    const form = formOf(request);
    const token = single(form, "token");
    single(form, "token_type_hint");
    if (token === undefined) throw oauthErrors.invalidRequest("missing required parameter 'token'");
    return { parts, client: request.client!, token };
  };

  route(app, "POST", "/introspect", {
    serializerCompiler: () => JSON.stringify,
    summary: "Introspect a token (RFC 7662)",
    description:
      "Needs client authentication. Public clients are refused. A token is active for the client that it was issued to, and for clients that its audience names by client id or allowed resource; with the client setting `introspectAll`, every access token of the realm is. All other tokens are inactive. The response is a JWT (RFC 9701) for clients that are configured so, and for requests with `Accept: application/token-introspection+jwt`; it is signed with RS256 if the client names no algorithm.",
    ...TokenForm,
    response: { 200: Introspection },
    handler: async (request, reply) => {
      const { parts, client, token } = await asked(request);
      // RFC 7662 §2.1: the endpoint requires authorization, and a public client has no credentials.
      if (isPublic(client)) throw oauthErrors.invalidClient("only a client that authenticates may introspect");
      const answer = await introspect(parts, client, token);
      // RFC 9701 §4, §6: RS256 is used if the client has no algorithm.
      const isRequested = acceptsJwt(request.headers.accept);
      const jwt = await protectedIntrospection(parts, client, answer, isRequested);
      if (jwt === null) return answer as { active: boolean };
      return reply.type(INTROSPECTION_JWT).serializer(String).send(jwt);
    },
  });

  route(app, "POST", "/revoke", {
    serializerCompiler: () => () => "",
    summary: "Revoke a token (RFC 7009)",
    description: "Needs client authentication. Revoking a refresh token revokes the whole grant.",
    ...TokenForm,
    response: { 200: Type.Null({ description: "The token was revoked, or is unknown (RFC 7009 §2.2)" }) },
    handler: async (request, reply) => {
      const { parts, client, token } = await asked(request);
      await revoke(parts, client, token);
      return reply.code(200).send(null);
    },
  });
};
