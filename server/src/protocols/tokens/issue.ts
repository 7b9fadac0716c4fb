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

/** Everything that tokens of a user are made of; a grant of the token endpoint says it, and nothing else goes in. */
export interface UserIssue {
  readonly grantId: string;
  readonly userId: string;
  /** The user's row, where it is known already. */
  readonly user: SubjectUser | undefined;
  /** Who acts as the user, in a session of an administrator. */
  readonly impersonator: Impersonator | null;
  /** What the access token is good for. */
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** How the user signed in; times in seconds. */
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
    /** Claims that were requested one by one, and granted. */
    readonly requested: readonly string[];
  } | null;
  readonly claims: RequestedClaims | undefined;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  /** RFC 8693 §4.1; where it is not said, an impersonator acts. */
  readonly act?: Readonly<Record<string, unknown>> | undefined;
  /** RFC 9700 §2.1.2: it travels through the browser, or comes from a token that did. */
  readonly isFromFrontChannel?: boolean;
  readonly maxLifetime?: number | undefined;
}

export interface UserTokens {
  readonly access: IssuedAccessToken;
  readonly idToken: string | null;
}

/** An access token of a user and, where it is wanted, an ID token: from one look at the user, signed side by side. */
export async function userTokens(parts: IssuerParts, client: ClientSnapshot, issue: UserIssue, binding: Binding): Promise<UserTokens> {
  const { userId, user, impersonator, idToken, authentication } = issue;
  const requests: ClaimRequest[] = [{ target: "accessToken", scopes: issue.scopes }];
  // OpenID Connect Core §5.4: there is an access token, so what scopes ask for is at userinfo.
  const scopesOfIdToken = client.settings.claimsInIdToken ? idToken?.scopes : [];
  if (idToken) requests.push({ target: "idToken", scopes: scopesOfIdToken ?? [], requested: idToken.requested });
  const about = { userId, user, session: sessionOf(authentication, impersonator?.name ?? null) };
  const [claims, sub] = await Promise.all([
    userClaims(parts, client, about, requests),
    parts.subjectOf(parts.realm.realmId, client, userId, user),
  ]);
  // Erased a moment ago.
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
