import type { SubjectUser } from "../../applications/claims/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { type Binding, type IssuedAccessToken, userAccessToken } from "./access-token.ts";
import { actOf, type Impersonator } from "./contents/act.ts";
import type { AuthorizationDetail } from "./contents/authorization-details.ts";
import { type ClaimRequest, sessionOf, userClaims } from "./contents/claims.ts";
import { signIdToken } from "./id-token.ts";
import type { IssuerParts } from "./parts.ts";
import type { RequestedClaims } from "./records/payload.ts";

/** Everything that a user's tokens are made from, as a grant of the token endpoint or the engine supplies it. */
export interface UserIssue {
  readonly grantId: string;
  readonly userId: string;
  /** The user's row, if it was read already. */
  readonly user: SubjectUser | undefined;
  /** The administrator who impersonates the user. */
  readonly impersonator: Impersonator | null;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** Of the user; `authTime` in seconds. */
  readonly authentication: {
    readonly acr?: string | undefined;
    readonly amr?: readonly string[] | undefined;
    readonly authTime?: number | undefined;
    readonly sid?: string | undefined;
  };
  /** Null: no ID token. */
  readonly idToken: {
    readonly scopes: readonly string[];
    readonly nonce: string | undefined;
    /** Individually requested claims that were granted. */
    readonly requested: readonly string[];
  } | null;
  readonly claims: RequestedClaims | undefined;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  /** RFC 8693 §4.1; by default the impersonator, if there is one. */
  readonly act?: Readonly<Record<string, unknown>> | undefined;
  /** RFC 9700 §2.1.2: issued through the browser, or derived from such a token. */
  readonly isFromFrontChannel?: boolean;
  readonly maxLifetime?: number | undefined;
}

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
    userAccessToken(parts, client, {
      sub,
      sid,
      binding,
      grantId: issue.grantId,
      scopes: issue.scopes,
      audience: issue.audience,
      claims: claims[0]!,
      act,
      userinfoClaims: Object.keys(issue.claims?.userinfo ?? {}),
      authorizationDetails: issue.authorizationDetails,
      isFromFrontChannel: issue.isFromFrontChannel ?? false,
      maxLifetime: issue.maxLifetime,
    }),
    idToken ? signIdToken(parts, client, { ...claims[1], act, acr, amr, auth_time: authTime, sub, nonce: idToken.nonce, sid }) : null,
  ]);
  return { access, idToken: id };
}
