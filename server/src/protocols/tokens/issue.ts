import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { type Binding, type IssuedAccessToken, type UserIssue, userAccessPayload, userAccessToken } from "./access-token.ts";
import { actOf, actOfClient } from "./contents/act.ts";
import { type ClaimRequest, sessionOf, userClaims } from "./contents/claims.ts";
import { idTokenPayload, signIdToken } from "./id-token.ts";
import type { IssuerParts } from "./parts.ts";

export interface UserTokens {
  readonly access: IssuedAccessToken;
  readonly idToken: string | null;
}

/**
 * The contents of a user's tokens, from one read of the user: the payload of the access token and, if requested, the claims of the ID token;
 * and the claims that userinfo would return, where `withUserinfo` asks for them.
 */
async function contentsOf(
  parts: IssuerParts,
  client: ClientSnapshot,
  issue: UserIssue,
  { binding, withUserinfo = false }: { readonly binding: Binding; readonly withUserinfo?: boolean },
) {
  const { userId, user, impersonator, idToken, authentication } = issue;
  const requests: ClaimRequest[] = [{ target: "accessToken", scopes: issue.scopes }];
  // OpenID Connect Core §5.4: with an access token, the claims of scopes are returned by userinfo.
  const scopesOfIdToken = client.settings.claimsInIdToken ? idToken?.scopes : [];
  if (idToken) requests.push({ target: "idToken", scopes: scopesOfIdToken ?? [], requested: idToken.requested });
  if (withUserinfo) requests.push({ target: "userinfo", scopes: issue.scopes });
  const about = { userId, user, session: sessionOf(authentication, impersonator?.name ?? null) };
  const [claims, sub] = await Promise.all([
    userClaims(parts, client, about, requests),
    parts.subjectOf(parts.realm.realmId, client, userId, user),
  ]);
  // The user was erased meanwhile.
  if (!claims) throw oauthErrors.invalidGrant();
  const { acr, amr, authTime, sid } = authentication;
  const act = actOfClient(client, issue.act ?? actOf(parts, impersonator));
  return {
    access: userAccessPayload(parts, client, issue, { sub, act, binding, claims: claims[0]! }),
    idToken: idToken ? Object.assign(claims[1]!, { act, acr, amr, auth_time: authTime, sub, nonce: idToken.nonce, sid }) : null,
    userinfo: withUserinfo ? Object.assign(claims.at(-1)!, { sub }) : null,
  };
}

/** An access token and, if requested, an ID token, from one read of the user and signed in parallel. */
export async function userTokens(parts: IssuerParts, client: ClientSnapshot, issue: UserIssue, binding: Binding): Promise<UserTokens> {
  const contents = await contentsOf(parts, client, issue, { binding });
  const [access, idToken] = await Promise.all([
    userAccessToken(parts, client, contents.access),
    contents.idToken ? signIdToken(parts, client, contents.idToken) : null,
  ]);
  return { access, idToken };
}

type Payload = Readonly<Record<string, unknown>>;

/** The payloads of the tokens of this issue. Nothing is signed or stored. */
export async function previewTokens(
  parts: IssuerParts,
  client: ClientSnapshot,
  issue: UserIssue,
): Promise<{ readonly accessToken: Payload; readonly idToken: Payload | null; readonly userinfo: Payload | null }> {
  const withUserinfo = issue.scopes.includes("openid");
  const { access, idToken, userinfo } = await contentsOf(parts, client, issue, { binding: {}, withUserinfo });
  return { accessToken: access.payload, idToken: idToken && idTokenPayload(parts, client, idToken), userinfo };
}
