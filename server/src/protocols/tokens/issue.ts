import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { type Binding, type IssuedAccessToken, type UserIssue, userAccessToken } from "./access-token.ts";
import { actOf } from "./contents/act.ts";
import { type ClaimRequest, sessionOf, userClaims } from "./contents/claims.ts";
import { signIdToken } from "./id-token.ts";
import type { IssuerParts } from "./parts.ts";

export interface UserTokens {
  readonly access: IssuedAccessToken;
  readonly idToken: string | null;
}

/** An access token and, if requested, an ID token, from one read of the user and signed in parallel. */
export async function userTokens(parts: IssuerParts, client: ClientSnapshot, issue: UserIssue, binding: Binding): Promise<UserTokens> {
  const { userId, user, impersonator, idToken, authentication } = issue;
  const requests: ClaimRequest[] = [{ target: "accessToken", scopes: issue.scopes }];
  // OpenID Connect Core §5.4: with an access token, the claims of scopes are returned by userinfo.
  const scopesOfIdToken = client.settings.claimsInIdToken ? idToken?.scopes : [];
  if (idToken) requests.push({ target: "idToken", scopes: scopesOfIdToken ?? [], requested: idToken.requested });
  const about = { userId, user, session: sessionOf(authentication, impersonator?.name ?? null) };
  const [claims, sub] = await Promise.all([
    userClaims(parts, client, about, requests),
    parts.subjectOf(parts.realm.realmId, client, userId, user),
  ]);
  // The user was erased meanwhile.
  if (!claims) throw oauthErrors.invalidGrant();
  const { acr, amr, authTime, sid } = authentication;
  const act = issue.act ?? actOf(parts, impersonator);
  const [access, id] = await Promise.all([
    userAccessToken(parts, client, issue, { sub, act, binding, claims: claims[0]! }),
    idToken
      ? signIdToken(parts, client, Object.assign(claims[1]!, { act, acr, amr, auth_time: authTime, sub, nonce: idToken.nonce, sid }))
      : null,
  ]);
  return { access, idToken: id };
}
