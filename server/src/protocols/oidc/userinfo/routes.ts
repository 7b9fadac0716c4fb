import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { bearer, declare, route } from "../../../platform/http/index.ts";
import { type Audience, issuerFor } from "../../gate/index.ts";
import { type LiveToken, protectedUserinfo, userClaims } from "../../tokens/index.ts";
import type { Issuers } from "../issuer.ts";
import type { RealmParts } from "../parts.ts";

const Claims = Type.Object({ sub: Type.String() }, { $id: "Userinfo", additionalProperties: true });

/** RFC 6750 §2: the token is in the header or in the form, not in both, and never in the query. */
export const userinfoAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "invalid token provided",
  takesForm: true,
  ignoresCookies: true,
  check: ({ live }) => (live.holder ? null : { error: "invalid_token", description: "invalid token provided" }),
};

/** Mounted under /realms/:realm. */
export const userinfoRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: bearer({ audience: "userinfo" }), errors: "oauth", impersonated: true });
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { parts } = await issuerFor(issuers, request);
    const { type, body } = await userinfo(parts, request.accessToken!, request.client!);
    return reply.type(type).serializer(String).send(body);
  };

  const response = { 200: Claims };
  const description = "Needs an access token of the realm with the scope `openid`. Clients that are configured so get a signed JWT.";
  route(app, "GET", "/userinfo", {
    summary: "Read the claims of the user (OpenID Connect Core §5.3)",
    description,
    response,
    handler: answer,
  });
  route(app, "POST", "/userinfo", {
    summary: "Read the claims of the user, by POST",
    description,
    consumes: ["application/x-www-form-urlencoded"],
    response,
    handler: answer,
  });
};

/** OpenID Connect Core §5.3.2: returns the claims of the user, signed or encrypted if the client is registered so. */
export async function userinfo(parts: RealmParts, live: LiveToken, client: ClientSnapshot): Promise<{ type: string; body: string }> {
  if (!live.scopes.includes("openid")) throw oauthErrors.insufficientScope("the token lacks the scope openid", { scope: "openid" });
  const { userId, user, authTime, acr, amr, sessionId, impersonator } = live.holder!;
  const asked = live.payload.userinfo_claims;
  const about = {
    userId,
    user,
    session: authTime === null ? null : { authTime, acr, amr, sid: sessionId, impersonator: impersonator?.name ?? null },
  };
  const requested = Array.isArray(asked) ? asked.map(String) : [];
  const [claims] = (await userClaims(parts, client, about, [{ target: "userinfo", scopes: live.scopes, requested }])) ?? [];
  if (!claims) throw oauthErrors.invalidToken();
  claims.sub = live.sub;
  const jwt = await protectedUserinfo(parts, client, claims, live.expiresAt);
  if (jwt === null) return { type: "application/json; charset=utf-8", body: JSON.stringify(claims) };
  return { type: "application/jwt; charset=utf-8", body: jwt };
}
