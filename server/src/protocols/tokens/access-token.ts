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

/** RFC 7800 §3.1: the key that a token is bound to. Empty: a bearer token. */
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

/** What stands in every access token, of users and clients alike. */
const confirmedClaims = ({ binding, authorizationDetails }: Confirmed) => ({
  ...(authorizationDetails && { authorization_details: authorizationDetails }),
  ...(isBound(binding) && { cnf: binding }),
});

export interface UserAccessToken extends Confirmed {
  /** As the client knows the user. */
  readonly sub: string;
  readonly grantId: string;
  readonly sid: string | undefined;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  /** RFC 8693 §4.1: who acts for the user. */
  readonly act: Readonly<Record<string, unknown>> | undefined;
  /** OpenID Connect Core §5.5: the token is all that userinfo knows of the request. */
  readonly userinfoClaims: readonly string[];
  /** It, or the token that it was exchanged for, was handed out by the authorization endpoint: the admin API refuses it. */
  readonly isFromFrontChannel: boolean;
  /** Seconds that it may live at most. */
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

/** What is the same in all tokens that a client gets in its own name for one scope and resource: the payload without its closing brace. */
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

/** RFC 6749 §4.4: an access token of a client in its own name. */
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
