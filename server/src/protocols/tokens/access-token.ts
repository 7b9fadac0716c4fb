import { randomUUID } from "node:crypto";
import type { SubjectUser } from "../../applications/claims/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Act, Impersonator } from "./contents/act.ts";
import { audienceClaim, audienceOf } from "./contents/audience.ts";
import type { AuthorizationDetail } from "./contents/authorization-details.ts";
import { type Authentication, clientClaims } from "./contents/claims.ts";
import { lifetimesOf } from "./contents/lifetimes.ts";
import { algOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";
import { perClient } from "./per-client.ts";
import type { RequestedClaims } from "./records/payload.ts";

/** The keys that a token is bound to. An empty binding is that of a bearer token. */
export interface Binding {
  /** The thumbprint of the key (RFC 9449 §6.1). */
  readonly jkt?: string;
  /** The thumbprint of the certificate (RFC 8705 §3.1). */
  readonly "x5t#S256"?: string;
}

export const isBound = (binding: Binding): boolean => binding.jkt !== undefined || binding["x5t#S256"] !== undefined;

/** Returns the member of the binding whose key was not presented, or undefined if all keys were presented. */
export const unprovenBinding = (held: Binding, presented: Binding): keyof Binding | undefined =>
  (["jkt", "x5t#S256"] as const).find((name) => held[name] !== undefined && held[name] !== presented[name]);

/** Returns the `token_type` of a binding (RFC 9449 §5). */
export const tokenTypeOf = ({ jkt }: Binding): "DPoP" | "Bearer" => (jkt === undefined ? "Bearer" : "DPoP");

export interface IssuedAccessToken {
  readonly jwt: string;
  /** The lifetime in seconds. */
  readonly expiresIn: number;
  /** The expiry in epoch milliseconds. */
  readonly expiresAt: number;
}

/** The data for a user's tokens, which a grant of the token endpoint or the engine supplies. */
export interface UserIssue {
  readonly grantId: string;
  readonly userId: string;
  /** The user's row, if it was read already. */
  readonly user: SubjectUser | undefined;
  /** The administrator who impersonates the user, or null if there is none. */
  readonly impersonator: Impersonator | null;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly authentication: Authentication;
  /** The contents of the ID token, or null if none is issued. */
  readonly idToken: {
    readonly scopes: readonly string[];
    readonly nonce: string | undefined;
    /** The individually requested claims that were granted. */
    readonly requested: readonly string[];
  } | null;
  readonly claims: RequestedClaims | undefined;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  /** The actor (RFC 8693 §4.1). By default it is the impersonator, if there is one. */
  readonly act?: Act | undefined;
  /** RFC 9700 §2.1.2: true if the token is issued through the browser, or derived from such a token. The admin API refuses it. */
  readonly isFromFrontChannel?: boolean;
  /** The latest expiry, in seconds since 1970. A lifetime would be less exact, because it would begin before the token is made. */
  readonly notAfter?: number | undefined;
  readonly extraClaims?: ExtraClaims | undefined;
}

/** Claims that the grant itself adds to the access token. They replace mapped claims, never those of the protocol. */
type ExtraClaims = Readonly<Record<string, unknown>>;

/** Returns the claims that libraries for Keycloak require, if the client has that token profile. */
export const profileClaims = ({ clientId, settings }: ClientSnapshot, typ: "Bearer" | "ID") =>
  settings.tokenProfile === "keycloak" ? { typ, azp: clientId } : {};

/** RFC 9068 §2.2: returns the claims that all access tokens for the same client, subject, scope and audience have. */
const constantClaims = (parts: IssuerParts, client: ClientSnapshot, sub: string, scope: string, audience: readonly string[]) =>
  Object.assign(profileClaims(client, "Bearer"), {
    sub,
    scope: scope || undefined,
    client_id: client.clientId,
    iss: parts.issuer,
    aud: audienceClaim(audience),
    nhi: client.agent ? true : undefined,
    agent_id: client.agent?.id,
    client_epoch: client.tokenEpoch || undefined,
  });

/** Returns the claims that differ in each token. JSON leaves out undefined members. */
function freshClaims(lifetime: number, authorizationDetails: UserIssue["authorizationDetails"], binding: Binding, notAfter = Infinity) {
  const iat = Math.floor(clock.now() / SECOND);
  const cnf = isBound(binding) ? binding : undefined; // RFC 7800 §3.1
  return { jti: randomUUID(), iat, exp: Math.min(iat + lifetime, notAfter), authorization_details: authorizationDetails, cnf };
}

/** Signs an access token. `payload` is JSON. */
async function signed(
  parts: IssuerParts,
  client: ClientSnapshot,
  payload: string,
  expiresIn: number,
  exp: number,
): Promise<IssuedAccessToken> {
  const jwt = await signJwt(parts, algOf(parts, client, "accessTokenAlg"), "at+jwt", payload);
  return { jwt, expiresIn, expiresAt: exp * SECOND };
}

/** Returns the `may_act` claim (RFC 8693 §4.4). */
const mayActOf = ({ settings: { mayAct } }: ClientSnapshot) => (mayAct === null ? undefined : { sub: mayAct, client_id: mayAct });

/** The contents of a token that are made from the issue. */
interface Made {
  /** The user's subject for this client (public or pairwise). */
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly act: UserIssue["act"];
  readonly binding: Binding;
}

/** RFC 9068 §2.2: makes the payload of a user's access token. */
export function userAccessPayload(parts: IssuerParts, client: ClientSnapshot, issue: UserIssue, { sub, claims, act, binding }: Made) {
  // OpenID Connect Core §5.5: these are kept in the token because userinfo does not know the authorization request.
  const userinfoClaims = Object.keys(issue.claims?.userinfo ?? {});
  const { sid, acr, amr, authTime } = issue.authentication;
  const own = {
    gid: issue.grantId,
    sid,
    // RFC 9068 §2.2.1, RFC 9470 §6.1: these tell a resource server whether to request a stronger or newer authentication.
    acr,
    amr,
    auth_time: authTime,
    act,
    may_act: mayActOf(client),
    front_channel: issue.isFromFrontChannel || undefined,
    userinfo_claims: userinfoClaims.length > 0 ? userinfoClaims : undefined,
  };
  const constant = constantClaims(parts, client, sub, issue.scopes.join(" "), issue.audience);
  const lifetime = lifetimesOf(parts.realm.settings, client).accessToken;
  const fresh = freshClaims(lifetime, issue.authorizationDetails, binding, issue.notAfter);
  const payload = Object.assign({}, claims, issue.extraClaims, own, constant, fresh);
  return { payload, expiresIn: Math.max(0, fresh.exp - fresh.iat) };
}

/** RFC 9068 §2.2: signs an access token of a user. */
export async function userAccessToken(
  parts: IssuerParts,
  client: ClientSnapshot,
  { payload, expiresIn }: ReturnType<typeof userAccessPayload>,
): Promise<IssuedAccessToken> {
  return signed(parts, client, JSON.stringify(payload), expiresIn, payload.exp);
}

/** Makes the constant part of client credentials tokens for one scope and resource. Its JSON is cached without the closing brace. */
const clientTemplate = perClient(async (parts: IssuerParts, client, key): Promise<{ claims: object; constant: object; json: string }> => {
  const [resource, scope] = JSON.parse(key) as [string, string];
  const claims = await clientClaims(parts, client, "accessToken", scope.split(" "));
  const constant = Object.assign(constantClaims(parts, client, client.clientId, scope, audienceOf(client, resource)), {
    // The limit keeps tokens that are exchanged for this one within the scopes of the credential.
    workload_scope: client.scopeLimit?.join(" "),
  });
  return { claims, constant, json: JSON.stringify({ ...claims, ...constant }).slice(0, -1) };
});

export interface ClientIssue {
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  readonly extraClaims?: ExtraClaims | undefined;
  /** The longest lifetime in seconds. */
  readonly maxLifetime?: number | undefined;
}

/** RFC 6749 §4.4: makes an access token of the client credentials grant. */
export async function clientAccessToken(
  parts: IssuerParts,
  client: ClientSnapshot,
  { scopes, resource, authorizationDetails, extraClaims, maxLifetime = Infinity }: ClientIssue,
  binding: Binding,
): Promise<IssuedAccessToken> {
  const { claims, constant, json } = await clientTemplate(parts, client, JSON.stringify([resource, scopes.join(" ")]));
  const expiresIn = Math.min(lifetimesOf(parts.realm.settings, client).accessToken, maxLifetime);
  const fresh = freshClaims(expiresIn, authorizationDetails, binding);
  const payload = extraClaims
    ? JSON.stringify({ ...claims, ...extraClaims, ...constant, ...fresh })
    : `${json},${JSON.stringify(fresh).slice(1)}`;
  return signed(parts, client, payload, expiresIn, fresh.exp);
}
