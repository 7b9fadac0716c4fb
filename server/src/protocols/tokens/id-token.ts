import { hash } from "node:crypto";
import { CompactEncrypt, importJWK, type JWK } from "jose";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { isEdwards, isEncryptionKey, type SigningAlg } from "../../tenancy/keys/index.ts";
import { profileClaims } from "./access-token.ts";
import { lifetimesOf } from "./contents/lifetimes.ts";
import { algOf, defaultAlgOf, responseAlgOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";
import { type VerifiedJwt, verifyJwt } from "./verify.ts";

/** OpenID Connect Core §2: makes the payload of an ID token with these claims. */
export function idTokenPayload(parts: IssuerParts, client: ClientSnapshot, claims: Readonly<Record<string, unknown>>) {
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + lifetimesOf(parts.realm.settings, client).idToken;
  return Object.assign({}, claims, profileClaims(client, "ID"), { aud: client.clientId, exp, iat, iss: parts.issuer });
}

export const idTokenAlgOf = (parts: Pick<IssuerParts, "realm">, client: ClientSnapshot): SigningAlg => algOf(parts, client, "idTokenAlg");

/** OpenID Connect Core §2: signs an ID token with these claims. */
export async function signIdToken(parts: IssuerParts, client: ClientSnapshot, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const payload = idTokenPayload(parts, client, claims);
  const jwt = await signJwt(parts, idTokenAlgOf(parts, client), undefined, JSON.stringify(payload));
  return encryptedFor(parts, client, "idToken", jwt);
}

/** OpenID Connect Core §3.1.3.6, §3.3.2.11: makes `at_hash` and `c_hash` by the hash of the algorithm: SHA-512 of Ed25519, else SHA-256. */
export function halfHash(value: string, alg: SigningAlg): string {
  const digest = hash(isEdwards(alg) ? "sha512" : "sha256", value, "buffer");
  return digest.subarray(0, digest.length / 2).toString("base64url");
}

/** OpenID Connect Core §5.3.2: signs, encrypts or does both, by the client's settings. Returns null for plain JSON. */
export async function protectedUserinfo(
  parts: IssuerParts,
  client: ClientSnapshot,
  claims: Readonly<Record<string, unknown>>,
  exp: number,
): Promise<string | null> {
  const { userinfoAlg: alg } = client.settings;
  if (alg === null)
    return isEncrypted(client, "userinfo") ? encryptedFor(parts, client, "userinfo", JSON.stringify(claims), { isJwt: false }) : null;
  const payload = Object.assign({}, claims, { aud: client.clientId, exp, iat: Math.floor(clock.now() / SECOND), iss: parts.issuer });
  return encryptedFor(parts, client, "userinfo", await signJwt(parts, alg, undefined, JSON.stringify(payload)));
}

/** RFC 9701 §5: makes the introspection response a JWT if the caller is configured so or requests it. Returns null for plain JSON. */
export async function protectedIntrospection(
  parts: IssuerParts,
  caller: ClientSnapshot,
  answer: Readonly<Record<string, unknown>>,
  isRequested: boolean,
): Promise<string | null> {
  const { introspectionSignedResponseAlg: alg } = caller.settings;
  if (!isRequested && alg === null && !isEncrypted(caller, "introspection")) return null;
  const iat = Math.floor(clock.now() / SECOND);
  const payload = { iss: parts.issuer, aud: caller.clientId, iat, token_introspection: answer };
  const jwt = await signJwt(parts, alg ?? defaultAlgOf(caller), "token-introspection+jwt", JSON.stringify(payload));
  return encryptedFor(parts, caller, "introspection", jwt);
}

/** JARM §2.1: makes an authorization response a JWT that expires after two minutes. */
export const signAuthorizationResponse = async (
  parts: IssuerParts,
  client: ClientSnapshot,
  answer: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const payload = { ...answer, aud: client.clientId, exp: Math.floor(clock.now() / SECOND) + 120, iss: parts.issuer };
  const jwt = await signJwt(parts, responseAlgOf(client), undefined, JSON.stringify(payload));
  return encryptedFor(parts, client, "authorization", jwt);
};

/** Verifies an ID token of this client that has not expired. Returns null for anything else. */
export function verifyIdToken(parts: Pick<IssuerParts, "realm" | "issuer">, { clientId }: ClientSnapshot, jwt: string): VerifiedJwt | null {
  const verified = verifyIdTokenHint(parts, jwt);
  return verified?.payload.aud === clientId && Number(verified.payload.exp) > clock.now() / SECOND ? verified : null;
}

/**
 * Verifies an `id_token_hint`. An expired one is accepted, because it identifies the user and grants nothing. Returns null if it is no ID
 * token of this realm. Access tokens are recognised by their `typ`.
 */
export function verifyIdTokenHint({ realm, issuer }: Pick<IssuerParts, "realm" | "issuer">, jwt: string): VerifiedJwt | null {
  const verified = verifyJwt(realm, jwt, { issuer, ignoreExpiration: true });
  const isIdToken = verified && (verified.header.typ === undefined || verified.header.typ === "JWT");
  return isIdToken && typeof verified.payload.aud === "string" ? verified : null;
}

type Encrypted = "idToken" | "userinfo" | "authorization" | "introspection";

/** Tells whether the client is configured to get this content encrypted. */
export const isEncrypted = ({ settings }: ClientSnapshot, what: Encrypted): boolean => settings[`${what}EncryptedResponseAlg`] !== null;

/** RFC 7516: encrypts to a key of the client, if it is configured so. A signed token becomes a nested JWT (RFC 7519 §11.2). */
async function encryptedFor(
  { clientKeys }: Pick<IssuerParts, "clientKeys">,
  client: ClientSnapshot,
  what: Encrypted,
  content: string,
  { isJwt = true }: { readonly isJwt?: boolean } = {},
): Promise<string> {
  const alg = client.settings[`${what}EncryptedResponseAlg`];
  if (alg === null) return content;
  const fitting = () => clientKeys.known(client).find((key) => isEncryptionKey({ ...key }, alg));
  // This fetches jwksUri again if the cached keys are stale, because a client rotates its keys there.
  await clientKeys.refresh(client).catch(() => false);
  const key: JWK | undefined = fitting();
  if (!key) throw new OAuthError("invalid_request", `the client has published no key that ${alg} encrypts to`);
  const enc = client.settings[`${what}EncryptedResponseEnc`] ?? "A128CBC-HS256";
  return new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg, enc, ...(key.kid !== undefined && { kid: key.kid }), ...(isJwt && { cty: "JWT" }) })
    .encrypt(await importJWK(key, alg));
}
