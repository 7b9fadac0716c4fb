import { type AccessRefusal, type AccessRequest, refusalOf } from "../../applications/access/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { UNAVAILABLE_SECONDS } from "../../directory/credentials/index.ts";
import { type OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
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
 * Makes the contents of a user's tokens from one read of the user: the payload of the access token and, if requested, the claims of the ID
 * token. `withUserinfo` adds the claims that userinfo would return.
 */
async function contentsOf(
  parts: IssuerParts,
  client: ClientSnapshot,
  issue: UserIssue,
  { binding, withUserinfo = false }: { readonly binding: Binding; readonly withUserinfo?: boolean },
) {
  const { userId, user, impersonator, idToken, authentication } = issue;
  const requests: ClaimRequest[] = [{ target: "accessToken", scopes: issue.scopes }];
  // OpenID Connect Core §5.4: with an access token, userinfo returns the claims of scopes.
  const scopesOfIdToken = client.settings.claimsInIdToken ? idToken?.scopes : [];
  if (idToken) requests.push({ target: "idToken", scopes: scopesOfIdToken ?? [], requested: idToken.requested });
  if (withUserinfo) requests.push({ target: "userinfo", scopes: issue.scopes });
  const about = { userId, user, session: sessionOf(authentication, impersonator?.name ?? null) };
  const [claims, sub] = await Promise.all([
    userClaims(parts, client, about, requests),
    parts.subjectOf(parts.realm.realmId, client, userId, user),
  ]);
  // The user may have been erased meanwhile.
  if (!claims) throw oauthErrors.invalidGrant();
  const { acr, amr, authTime, sid } = authentication;
  const act = actOfClient(client, issue.act ?? actOf(parts, impersonator));
  return {
    access: userAccessPayload(parts, client, issue, { sub, act, binding, claims: claims[0]! }),
    idToken: idToken ? Object.assign(claims[1]!, { act, acr, amr, auth_time: authTime, sub, nonce: idToken.nonce, sid }) : null,
    userinfo: withUserinfo ? Object.assign(claims.at(-1)!, { sub }) : null,
  };
}

/** Makes an access token and, if requested, an ID token, from one read of the user and signed in parallel. */
export async function userTokens(parts: IssuerParts, client: ClientSnapshot, issue: UserIssue, binding: Binding): Promise<UserTokens> {
  const contents = await contentsOf(parts, client, issue, { binding });
  const [access, idToken] = await Promise.all([
    userAccessToken(parts, client, contents.access),
    contents.idToken ? signIdToken(parts, client, contents.idToken) : null,
  ]);
  return { access, idToken };
}

type Payload = Readonly<Record<string, unknown>>;

/** Returns the payloads of the tokens of this issue. Nothing is signed or stored. */
export async function previewTokens(
  parts: IssuerParts,
  client: ClientSnapshot,
  issue: UserIssue,
): Promise<{ readonly accessToken: Payload; readonly idToken: Payload | null; readonly userinfo: Payload | null }> {
  const withUserinfo = issue.scopes.includes("openid");
  const { access, idToken, userinfo } = await contentsOf(parts, client, issue, { binding: {}, withUserinfo });
  return { accessToken: access.payload, idToken: idToken && idTokenPayload(parts, client, idToken), userinfo };
}

const TOKENS = ["access_token", "id_token", "refresh_token"];

/** Counts the tokens in a response of the token endpoint or the authorization endpoint as `svc_tokens_issued_total`. */
export function countTokens(
  { metrics, realm }: { readonly metrics: Metrics; readonly realm: RealmSnapshot },
  grantType: string,
  response: Readonly<Record<string, unknown>>,
): void {
  const count = TOKENS.filter((name) => response[name] !== undefined).length;
  if (count > 0) metrics.tokens(realm.realmId, count, grantType);
}

/** Makes the error for a valid request that cannot be answered now. */
export const unavailable = (why: string, seconds: number): OAuthError =>
  oauthErrors.temporarilyUnavailable(`${why}: try again in a moment`, { status: 503, headers: { "retry-after": String(seconds) } });

export const directorySilent = (): OAuthError => unavailable("the user's directory does not answer", UNAVAILABLE_SECONDS);

/** The OAuth errors for refusals of the policy step. */
const ERRORS: Readonly<Record<AccessRefusal, () => OAuthError>> = {
  "no-access": () => oauthErrors.accessDenied("the user may not use this client"),
  "agent-inactive": () => oauthErrors.invalidClient("the agent of this client is not active"),
  "user-removed": () => oauthErrors.invalidGrant("the user's account was removed or disabled"),
  "directory-unreachable": directorySilent,
  impersonated: () => oauthErrors.invalidRequest("an administrator impersonates the user: only the user can do this"),
};

export const accessError = (refusal: AccessRefusal): OAuthError => ERRORS[refusal]();

type About = Omit<AccessRequest, "realm" | "application" | "agent">;

/** Runs the policy step for an OAuth client. Reads its agent from the database, because the client's snapshot may be a second old. */
export const accessRefusal = (
  { db, realm }: Pick<IssuerParts, "db" | "realm">,
  { settings, agent }: ClientSnapshot,
  { userId, entryChecks, impersonator }: About,
) => refusalOf(db, { realm: realm.realmId, userId, application: settings, agent, entryChecks, impersonator });

/** Returns the impersonator if the client is an agent's: only the user can let an agent act, so an administrator gets no token for one. */
export const impersonatorAt = <T>({ agent }: ClientSnapshot, impersonator: T | null): T | null => (agent === null ? null : impersonator);

export async function assertAccess(parts: Pick<IssuerParts, "db" | "realm">, client: ClientSnapshot, about: About): Promise<void> {
  const refusal = await accessRefusal(parts, client, about);
  if (refusal) throw accessError(refusal);
}
