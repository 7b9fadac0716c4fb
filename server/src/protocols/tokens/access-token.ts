import { randomUUID } from "node:crypto";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { audienceClaim, audienceOf } from "./contents/audience.ts";
import type { AuthorizationDetail } from "./contents/authorization-details.ts";
import { clientClaims } from "./contents/claims.ts";
import { lifetimesOf } from "./contents/lifetimes.ts";
import { algOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";
import { perClient } from "./per-client.ts";

/** RFC 7800 §3.1: the key that a token is bound to; empty: a bearer token. */
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

interface Confirmed {
  readonly binding: Binding;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
}

/** The claims that access tokens of users and of clients share. */
const confirmedClaims = ({ binding, authorizationDetails }: Confirmed) => ({
  ...(authorizationDetails && { authorization_details: authorizationDetails }),
  ...(isBound(binding) && { cnf: binding }),
});

export interface UserAccessToken extends Confirmed {
  /** The user's subject for this client (public or pairwise). */
  readonly sub: string;
  readonly grantId: string;
  readonly sid: string | undefined;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  /** RFC 8693 §4.1: the actor. */
  readonly act: Readonly<Record<string, unknown>> | undefined;
  /** OpenID Connect Core §5.5: kept in the token because userinfo does not know the authorization request. */
  readonly userinfoClaims: readonly string[];
  /** Issued by the authorization endpoint, or exchanged for such a token: the admin API refuses it. */
  readonly isFromFrontChannel: boolean;
  /** In seconds. */
  readonly maxLifetime?: number | undefined;
}

/** RFC 9068 §2.2: an access token of a user. */
export async function userAccessToken(parts: IssuerParts, client: ClientSnapshot, token: UserAccessToken): Promise<IssuedAccessToken> {
  const { sub, grantId, sid, scopes, audience, claims, act, userinfoClaims } = token;
  const expiresIn = Math.min(lifetimesOf(parts.realm.settings, client).accessToken, token.maxLifetime ?? Infinity);
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + expiresIn;
  const payload = {
    ...claims,
    gid: grantId,
    sid,
    act,
    ...(token.isFromFrontChannel && { front_channel: true }),
    ...(userinfoClaims.length > 0 && { userinfo_claims: userinfoClaims }),
    jti: randomUUID(),
    sub,
    iat,
    exp,
    scope: scopes.join(" ") || undefined,
    client_id: client.clientId,
    iss: parts.issuer,
    aud: audienceClaim(audience),
    ...confirmedClaims(token),
  };
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

export interface ClientAccessToken extends Confirmed {
  readonly scopes: readonly string[];
  readonly resource: string;
}

/** RFC 6749 §4.4: an access token of the client credentials grant. */
export async function clientAccessToken(
  parts: IssuerParts,
  client: ClientSnapshot,
  { scopes, resource, ...confirmed }: ClientAccessToken,
): Promise<IssuedAccessToken> {
  const template = await clientTemplate(parts, client, JSON.stringify([resource, scopes.join(" ")]));
  const expiresIn = lifetimesOf(parts.realm.settings, client).accessToken;
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + expiresIn;
  const last = JSON.stringify({ ...confirmedClaims(confirmed), jti: randomUUID(), iat, exp });
  const jwt = await signJwt(parts, algOf(parts, client, "accessTokenAlg"), "at+jwt", `${template},${last.slice(1)}`);
  return { jwt, expiresIn, expiresAt: exp * SECOND };
}
