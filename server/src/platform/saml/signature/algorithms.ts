import { constants, type KeyObject, type SigningOptions } from "node:crypto";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";

type Hash = "sha256" | "sha384" | "sha512";

interface SignatureMethod {
  readonly hash: Hash;
  readonly keyType: "rsa" | "ec";
  /** The hash's name in Node. */
  readonly options: SigningOptions & { readonly dsaEncoding?: "ieee-p1363" };
}

const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const MORE_2007 = "http://www.w3.org/2007/05/xmldsig-more#";

const rsa = (hash: Hash): SignatureMethod => ({ hash, keyType: "rsa", options: { padding: constants.RSA_PKCS1_PADDING } });
/** RFC 9231 §2.3.10: the salt is as long as the hash. */
const pss = (hash: Hash): SignatureMethod => ({
  hash,
  keyType: "rsa",
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
});
/** XML Signature §6.4.3: r and s are concatenated, and not encoded as DER. */
const ecdsa = (hash: Hash): SignatureMethod => ({ hash, keyType: "ec", options: { dsaEncoding: "ieee-p1363" } });

/** The signature methods that are used and accepted. SHA-1 is excluded, and so is HMAC, because its key would be the public certificate. */
const METHODS = {
  [`${MORE}rsa-sha256`]: rsa("sha256"),
  [`${MORE}rsa-sha384`]: rsa("sha384"),
  [`${MORE}rsa-sha512`]: rsa("sha512"),
  [`${MORE_2007}sha256-rsa-MGF1`]: pss("sha256"),
  [`${MORE_2007}sha384-rsa-MGF1`]: pss("sha384"),
  [`${MORE_2007}sha512-rsa-MGF1`]: pss("sha512"),
  [`${MORE}ecdsa-sha256`]: ecdsa("sha256"),
  [`${MORE}ecdsa-sha384`]: ecdsa("sha384"),
  [`${MORE}ecdsa-sha512`]: ecdsa("sha512"),
} as const satisfies Record<string, SignatureMethod>;

/** The methods by their JWA names (RFC 7518 §3.1), by which the realm's keys are found. */
export const SIGNATURE_ALGORITHM = {
  RS256: `${MORE}rsa-sha256`,
  RS384: `${MORE}rsa-sha384`,
  RS512: `${MORE}rsa-sha512`,
  PS256: `${MORE_2007}sha256-rsa-MGF1`,
  PS384: `${MORE_2007}sha384-rsa-MGF1`,
  PS512: `${MORE_2007}sha512-rsa-MGF1`,
  ES256: `${MORE}ecdsa-sha256`,
  ES384: `${MORE}ecdsa-sha384`,
  ES512: `${MORE}ecdsa-sha512`,
} as const;

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHM)[keyof typeof SIGNATURE_ALGORITHM];

const DIGESTS: Record<string, Hash> = {
  [`${NS.xenc}sha256`]: "sha256",
  [`${MORE}sha384`]: "sha384",
  [`${NS.xenc}sha512`]: "sha512",
};

export const DIGEST_ALGORITHM: Record<Hash, string> = {
  sha256: `${NS.xenc}sha256`,
  sha384: `${MORE}sha384`,
  sha512: `${NS.xenc}sha512`,
};

export const DIGEST_ALGORITHMS: readonly string[] = Object.keys(DIGESTS);
export const SIGNATURE_ALGORITHMS: readonly string[] = Object.keys(METHODS);

export function signatureMethod(uri: string): SignatureMethod {
  const method = Object.hasOwn(METHODS, uri) ? (METHODS as Record<string, SignatureMethod>)[uri] : undefined;
  if (!method) throw new SamlError("signature_algorithm", `The signature algorithm ${uri} is not allowed`);
  return method;
}

export function digestHash(uri: string): Hash {
  const hash = Object.hasOwn(DIGESTS, uri) ? DIGESTS[uri] : undefined;
  if (!hash) throw new SamlError("signature_algorithm", `The digest algorithm ${uri} is not allowed`);
  return hash;
}

/** Tells whether the key is of the kind that the method needs. */
export const suits = (key: KeyObject, { keyType }: SignatureMethod): boolean => key.asymmetricKeyType === keyType;
