import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { type LiveToken, protectedUserinfo, userClaims } from "../../tokens/index.ts";
import type { RealmParts } from "../parts.ts";

/** OpenID Connect Core §5.3.2. */
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
