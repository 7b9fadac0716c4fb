import { hash } from "node:crypto";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { SigningAlg } from "../../tenancy/keys/index.ts";
import { lifetimesOf } from "./contents/lifetimes.ts";
import { algOf, responseAlgOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";
import { type VerifiedJwt, verifyJwt } from "./verify.ts";

/** OpenID Connect Core §2: signs an ID token, whose claims are known. */
export function signIdToken(parts: IssuerParts, client: ClientSnapshot, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const iat = Math.floor(clock.now() / SECOND);
  const payload = {
    ...claims,
    aud: client.clientId,
    exp: iat + lifetimesOf(parts.realm.settings, client).idToken,
    iat,
    iss: parts.issuer,
  };
  return signJwt(parts, algOf(parts, client, "idTokenAlg"), undefined, JSON.stringify(payload));
}

/** OpenID Connect Core §3.1.3.6, §3.3.2.11: `at_hash` and `c_hash`. All our algorithms hash with SHA-256. */
export const halfHash = (value: string): string => hash("sha256", value, "buffer").subarray(0, 16).toString("base64url");

/** OpenID Connect Core §5.3.2: what userinfo answers a client that wants it signed. */
export const signUserinfo = (
  parts: IssuerParts,
  client: ClientSnapshot,
  alg: SigningAlg,
  claims: Readonly<Record<string, unknown>>,
  exp: number,
): Promise<string> => {
  const payload = { ...claims, aud: client.clientId, exp, iat: Math.floor(clock.now() / SECOND), iss: parts.issuer };
  return signJwt(parts, alg, undefined, JSON.stringify(payload));
};

/** RFC 9101 and JARM §2.1: an answer of the authorization endpoint as a JWT, for two minutes. */
export const signAuthorizationResponse = (
  parts: IssuerParts,
  client: ClientSnapshot,
  answer: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const payload = { ...answer, aud: client.clientId, exp: Math.floor(clock.now() / SECOND) + 120, iss: parts.issuer };
  return signJwt(parts, responseAlgOf(client), undefined, JSON.stringify(payload));
};

/**
 * An `id_token_hint`, however old it is: it says who is meant, and opens nothing. Null: no ID token of this realm. An access token has its
 * type in the header: it is none.
 */
export function verifyIdTokenHint({ realm, issuer }: Pick<IssuerParts, "realm" | "issuer">, jwt: string): VerifiedJwt | null {
  const verified = verifyJwt(realm, jwt, { issuer, ignoreExpiration: true });
  const isIdToken = verified && (verified.header.typ === undefined || verified.header.typ === "JWT");
  return isIdToken && typeof verified.payload.aud === "string" ? verified : null;
}
