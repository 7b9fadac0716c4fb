import { randomUUID } from "node:crypto";
import type { SubjectUser } from "../../applications/claims/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Impersonator } from "./contents/act.ts";
import { audienceClaim, audienceOf } from "./contents/audience.ts";
import type { AuthorizationDetail } from "./contents/authorization-details.ts";
import { type Authentication, clientClaims } from "./contents/claims.ts";
import { lifetimesOf } from "./contents/lifetimes.ts";
import { algOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";
import { perClient } from "./per-client.ts";
import type { RequestedClaims } from "./records/payload.ts";

/** The key that a token is bound to; empty: a bearer token. */
export interface Binding {
  /** RFC 9449 §6.1 */
  readonly jkt?: string;
  /** RFC 8705 §3.1 */
  readonly "x5t#S256"?: string;
}

export const isBound = (binding: Binding): boolean => binding.jkt !== undefined || binding["x5t#S256"] !== undefined;

/** RFC 9449 §5 */
export const tokenTypeOf = ({ jkt }: Binding): "DPoP" | "Bearer" => (jkt === undefined ? "Bearer" : "DPoP");

export interface IssuedAccessToken {
  readonly jwt: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** RFC 7800 §3.1 */
const cnfOf = (binding: Binding): Binding | undefined => (isBound(binding) ? binding : undefined);

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
  readonly authentication: Authentication;
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
  /** RFC 9700 §2.1.2: issued through the browser, or derived from such a token: the admin API refuses it. */
  readonly isFromFrontChannel?: boolean;
  /** In seconds. */
  readonly maxLifetime?: number | undefined;
}

/** What is added to the issue. */
interface Made {
  /** The user's subject for this client (public or pairwise). */
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly act: UserIssue["act"];
  readonly binding: Binding;
}

/** RFC 9068 §2.2: an access token of a user. */
export async function userAccessToken(
  parts: IssuerParts,
  client: ClientSnapshot,
  issue: UserIssue,
  { sub, claims, act, binding }: Made,
): Promise<IssuedAccessToken> {
  const expiresIn = Math.min(lifetimesOf(parts.realm.settings, client).accessToken, issue.maxLifetime ?? Infinity);
  // OpenID Connect Core §5.5: kept in the token because userinfo does not know the authorization request.
  const userinfoClaims = Object.keys(issue.claims?.userinfo ?? {});
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + expiresIn;
  const payload = Object.assign({}, claims, {
    gid: issue.grantId,
    sid: issue.authentication.sid,
    act,
    front_channel: issue.isFromFrontChannel || undefined,
    userinfo_claims: userinfoClaims.length > 0 ? userinfoClaims : undefined,
    jti: randomUUID(),
    sub,
    iat,
    exp,
    scope: issue.scopes.join(" ") || undefined,
    client_id: client.clientId,
    iss: parts.issuer,
    aud: audienceClaim(issue.audience),
    authorization_details: issue.authorizationDetails,
    cnf: cnfOf(binding),
  });
  const jwt = await signJwt(parts, algOf(parts, client, "accessTokenAlg"), "at+jwt", JSON.stringify(payload));
  return { jwt, expiresIn, expiresAt: exp * SECOND };
}

/** The constant part of client credentials tokens for one scope and resource, cached: the JSON payload without its closing brace. */
const clientTemplate = perClient(async (parts: IssuerParts, client, key): Promise<string> => {
  const [resource, scope] = JSON.parse(key) as [string, string];
  const payload = {
    ...(await clientClaims(parts, client, "accessToken", scope.split(" "))),
    sub: client.clientId,
    scope: scope || undefined,
    client_id: client.clientId,
    iss: parts.issuer,
    aud: audienceClaim(audienceOf(client, resource)),
  };
  return JSON.stringify(payload).slice(0, -1);
});

export interface ClientIssue {
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
}

/** RFC 6749 §4.4: an access token of the client credentials grant. */
export async function clientAccessToken(
  parts: IssuerParts,
  client: ClientSnapshot,
  { scopes, resource, authorizationDetails }: ClientIssue,
  binding: Binding,
): Promise<IssuedAccessToken> {
  const template = await clientTemplate(parts, client, JSON.stringify([resource, scopes.join(" ")]));
  const expiresIn = lifetimesOf(parts.realm.settings, client).accessToken;
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + expiresIn;
  const last = JSON.stringify({ jti: randomUUID(), iat, exp, authorization_details: authorizationDetails, cnf: cnfOf(binding) });
  const jwt = await signJwt(parts, algOf(parts, client, "accessTokenAlg"), "at+jwt", `${template},${last.slice(1)}`);
  return { jwt, expiresIn, expiresAt: exp * SECOND };
}
