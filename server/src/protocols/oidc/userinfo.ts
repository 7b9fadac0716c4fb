import { errors, type KoaContextWithOIDC } from "oidc-provider";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { userinfoClaims } from "./accounts.ts";
import { checkProof } from "./engine.ts";
import { hasShown } from "./mtls.ts";
import type { Issuer } from "./provider.ts";
import { type LiveToken, readAccessToken } from "./tokens/live.ts";

/** How a token was brought. */
export interface Brought {
  readonly scheme: "bearer" | "dpop";
  readonly token: string;
}

/** The token of a request to userinfo, checked in every way but its scope. */
export async function tokenForUserinfo({ parts }: Issuer, { token }: Brought): Promise<LiveToken> {
  const live = await readAccessToken(parts, parts.realm, parts.issuer, token);
  if (!live?.holder || !live.audience.includes(parts.issuer)) throw new errors.InvalidToken("the token is not valid here, or not any more");
  return live;
}

/** RFC 9449 §7, RFC 8705 §3: a token that is bound to a key is worth nothing without it. */
export async function checkPossession(
  { provider, parts }: Issuer,
  ctx: KoaContextWithOIDC,
  live: LiveToken,
  { scheme, token }: Brought,
): Promise<void> {
  const { jkt, "x5t#S256": thumbprint } = live.confirmation ?? {};
  if ((scheme === "dpop") !== (jkt !== undefined)) throw new errors.InvalidToken("the token and its scheme do not belong together");
  if (jkt !== undefined) {
    const proof = await checkProof(provider, ctx, token, live.clientId);
    if (proof?.thumbprint !== jkt) throw new errors.InvalidToken("failed jkt verification");
  }
  if (thumbprint !== undefined && !hasShown(ctx.req, parts.tlsClientCertHeader, thumbprint))
    throw new errors.InvalidToken("failed x5t#S256 verification");
}

/** OpenID Connect Core §5.3.2. */
export async function userinfo({ provider, parts }: Issuer, ctx: () => KoaContextWithOIDC, live: LiveToken, client: ClientSnapshot) {
  if (!live.scopes.includes("openid")) throw new errors.InsufficientScope("the token lacks the scope openid", "openid");
  const { userId, user, authTime, acr, amr, sessionId, impersonator } = live.holder!;
  const asked = live.payload.userinfo_claims;
  const claims = await userinfoClaims({ db: parts.db, realm: parts.realm.realmId, scopes: parts.scopesOfRealm }, client, user, {
    scopes: live.scopes,
    requested: Array.isArray(asked) ? asked.map(String) : [],
    session: authTime === null ? null : { authTime, acr, amr, sid: sessionId, impersonator },
  });
  if (!claims) throw new errors.InvalidToken("the user is gone");
  if (client.settings.userinfoAlg === null)
    return { type: "application/json; charset=utf-8", body: JSON.stringify({ ...claims, sub: live.sub }) };
  const engineClient = await provider.Client.find(client.clientId);
  const token = new provider.IdToken({ ...claims, sub: userId }, { ctx: ctx(), client: engineClient });
  return { type: "application/jwt; charset=utf-8", body: await token.issue({ use: "userinfo", expiresAt: live.expiresAt }) };
}
