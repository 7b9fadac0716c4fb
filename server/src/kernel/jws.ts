import { constants, type KeyObject, verify } from "node:crypto";
import { parseObject } from "./json.ts";

/** A JWS in compact serialisation (RFC 7515 §7.1) whose payload is a JSON object. No part of it is verified. */
export interface ParsedJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Parses a JWS. Returns null if the text is none, or if it has an extension that must be understood (RFC 7515 §4.1.11). */
export function parseJws(jws: string): ParsedJws | null {
  const [, head, body, signature] = COMPACT.exec(jws) ?? [];
  if (head === undefined || body === undefined || signature === undefined) return null;
  const header = objectIn(head);
  const payload = objectIn(body);
  if (!header || !payload || Object.hasOwn(header, "crit")) return null;
  return { header, payload, signed: Buffer.from(`${head}.${body}`, "latin1"), signature: Buffer.from(signature, "base64url") };
}

/** Returns the object in a base64url part of a JWS, or null if there is none. */
export const objectIn = (part: string): Record<string, unknown> | null => parseObject(Buffer.from(part, "base64url").toString("utf8"));

interface Algorithm {
  readonly type: "rsa" | "ec" | "ed25519";
  readonly curve?: string;
  readonly digest: string | null;
  readonly options: { readonly padding?: number; readonly saltLength?: number; readonly dsaEncoding?: "ieee-p1363" };
}

const pkcs1 = (bits: number): Algorithm => ({ type: "rsa", digest: `sha${bits}`, options: {} });
const pss = (bits: number): Algorithm => ({
  ...{ type: "rsa", digest: `sha${bits}` },
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 },
});
// RFC 7518 §3.4: a signature is R and S without ASN.1, and each algorithm has one curve.
const ecdsa = (bits: number, curve: string): Algorithm => ({
  type: "ec",
  curve,
  digest: `sha${bits}`,
  options: { dsaEncoding: "ieee-p1363" },
});
const edwards: Algorithm = { type: "ed25519", digest: null, options: {} };

/** Every algorithm with a public key of RFC 7518 §3.1 and RFC 8037. */
const algorithms = new Map<unknown, Algorithm>([
  ["RS256", pkcs1(256)],
  ["RS384", pkcs1(384)],
  ["RS512", pkcs1(512)],
  ["PS256", pss(256)],
  ["PS384", pss(384)],
  ["PS512", pss(512)],
  ["ES256", ecdsa(256, "prime256v1")],
  ["ES384", ecdsa(384, "secp384r1")],
  ["ES512", ecdsa(512, "secp521r1")],
  ["EdDSA", edwards],
  ["Ed25519", edwards],
]);

/** Returns the algorithm that the header names, if it is one for this key (RFC 8725 §3.1, RFC 7518 §3.3), or null. */
function algorithmFor({ header }: ParsedJws, { asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): Algorithm | null {
  const algorithm = algorithms.get(header.alg);
  if (!algorithm || algorithm.type !== asymmetricKeyType) return null;
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails;
  return algorithm.curve === namedCurve && (algorithm.type !== "rsa" || modulusLength >= 2048) ? algorithm : null;
}

/** Tells whether this key has made the signature. It runs in the event loop, so it is for our own keys and others that are known to be fast. */
export function isSignedBy(jws: ParsedJws, key: KeyObject): boolean {
  const algorithm = algorithmFor(jws, key);
  return algorithm !== null && verify(algorithm.digest, jws.signed, { key, ...algorithm.options }, jws.signature);
}

/** Does the same for a key of another party: an expensive key is used on another thread. */
export async function isSignedByAny(jws: ParsedJws, key: KeyObject): Promise<boolean> {
  if (isFast(key)) return isSignedBy(jws, key);
  const algorithm = algorithmFor(jws, key);
  if (algorithm === null) return false;
  const { digest, options } = algorithm;
  return new Promise((resolve, reject) =>
    verify(digest, jws.signed, { key, ...options }, jws.signature, (error, is) => (error ? reject(error) : resolve(is))),
  );
}

/** Tells whether the key takes only tens of microseconds. A long exponent or modulus takes milliseconds, and so do the larger curves. */
function isFast({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = Infinity, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === "rsa") return modulusLength <= 4096 && publicExponent <= 65_537n;
  return asymmetricKeyType === "ed25519" || namedCurve === "prime256v1";
}

// RSA keys of other parties beyond these sizes are refused: each signature would cost them nothing and this server milliseconds.
export const MAX_RSA_BITS = 8192;
const MAX_EXPONENT_BITS = 32;

/** Tells whether a key of another party may be used for anybody who presents a signature. */
export function isAffordable({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails;
  return asymmetricKeyType !== "rsa" || (modulusLength <= MAX_RSA_BITS && publicExponent < 2n ** BigInt(MAX_EXPONENT_BITS));
}

const digitsOf = (bits: number): number => Math.ceil(bits / 6);

/** Tells the same of a key that is not imported (RFC 7518 §6.3.1), by the lengths of its members in base64url. */
export const isAffordableJwk = ({ kty, n, e }: { readonly kty?: unknown; readonly n?: unknown; readonly e?: unknown }): boolean =>
  kty !== "RSA" || (String(n).length <= digitsOf(MAX_RSA_BITS) && String(e).length <= digitsOf(MAX_EXPONENT_BITS));
