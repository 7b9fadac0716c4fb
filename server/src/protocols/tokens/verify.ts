import { createPublicKey, type KeyObject } from "node:crypto";
import { isSignedBy, objectIn, parseJws } from "../../kernel/jws.ts";
import { reasonAgainstTimes } from "../../kernel/jwt-claims.ts";
import { createLru } from "../../kernel/lru.ts";
import { oncePer } from "../../kernel/once.ts";
import { signingAlgs } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

/** A JWT of this realm with valid signature, issuer, type and times. Liveness is checked elsewhere. */
export interface VerifiedJwt {
  readonly header: { readonly alg: string; readonly kid: string; readonly typ?: string };
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Caches keys per snapshot: a change of the realm's keys makes a new snapshot. */
const keysOf = oncePer((_realm: RealmSnapshot) => new Map<string, KeyObject>());

function publicKey(realm: RealmSnapshot, kid: string): KeyObject | null {
  const keys = keysOf(realm);
  const known = keys.get(kid);
  if (known) return known;
  const rsa = realm.keys.find(({ keyId }) => keyId === kid);
  const companion = realm.companions.find(({ publicJwk }) => publicJwk.kid === kid && publicJwk.use === "sig");
  const key = rsa
    ? createPublicKey({ key: Buffer.from(rsa.publicKey, "base64"), format: "der", type: "spki" })
    : companion && createPublicKey({ key: { ...companion.publicJwk }, format: "jwk" });
  if (key) keys.set(kid, key);
  return key ?? null;
}

const MAX_LENGTH = 16 * 1024;

export interface VerifyRules {
  readonly issuer: string;
  /** The required `typ` (RFC 8725 §3.11), or undefined for an ID token, which has none. */
  readonly typ?: string;
  readonly ignoreExpiration?: boolean;
}

/** Verifies a JWT. Returns null if it is invalid. */
export function verifyJwt(realm: RealmSnapshot, jwt: string, { issuer, typ, ignoreExpiration = false }: VerifyRules): VerifiedJwt | null {
  const known = seen.get(jwt);
  const keys = keysOf(realm);
  const signed = known?.keys === keys ? known.signed : readSigned(realm, jwt);
  if (!signed) return null;
  if (known?.signed !== signed) seen.set(jwt, { keys, signed });
  const { header, payload } = signed;
  if (typ !== undefined && header.typ !== typ && header.typ?.toLowerCase().replace(/^application\//, "") !== typ) return null;
  // `iat` is not checked, because the clock of the node that issued the token may be ahead.
  const { exp, nbf } = payload;
  const isCurrent = ignoreExpiration || reasonAgainstTimes({ exp, nbf }, { skew: 0 }) === null;
  return payload.iss === issuer && isCurrent ? signed : null;
}

/** Returns false if the JWT names a key that this snapshot does not have. Another node may have created the key. */
export function isKnownKey(realm: RealmSnapshot, jwt: string): boolean {
  const { kid } = objectIn(jwt.slice(0, MAX_LENGTH).split(".", 1)[0]!) ?? {};
  if (typeof kid !== "string") return true;
  return realm.keys.some(({ keyId }) => keyId === kid) || realm.companions.some(({ publicJwk }) => publicJwk.kid === kid);
}

/**
 * Caches verified tokens: the same token is presented many times, so its signature is verified once per snapshot. An entry has the keys of the
 * snapshot, not the snapshot, which it would keep in memory after a change of the realm.
 */
const seen = createLru<{ readonly keys: ReturnType<typeof keysOf>; readonly signed: VerifiedJwt }>(2_000);

function readSigned(realm: RealmSnapshot, jwt: string): VerifiedJwt | null {
  const jws = jwt.length > MAX_LENGTH ? null : parseJws(jwt);
  if (!jws || !signingAlgs.some((alg) => alg === jws.header.alg) || typeof jws.header.kid !== "string") return null;
  const key = publicKey(realm, jws.header.kid);
  if (!key || !isSignedBy(jws, key)) return null;
  // The signature bytes are left out, because the cached result does not need them.
  return { header: jws.header as VerifiedJwt["header"], payload: jws.payload };
}
