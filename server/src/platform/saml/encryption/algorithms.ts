import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";

interface DataEncryption {
  readonly cipher: `aes-${128 | 192 | 256}-${"gcm" | "cbc"}`;
  readonly keyBytes: number;
  readonly mode: "gcm" | "cbc";
}

const aes = (bits: 128 | 192 | 256, mode: "gcm" | "cbc"): DataEncryption => ({ cipher: `aes-${bits}-${mode}`, keyBytes: bits / 8, mode });

/** XML Encryption 1.1 §5.2. */
export const DATA_ENCRYPTION = {
  aes128gcm: `${NS.xenc11}aes128-gcm`,
  aes192gcm: `${NS.xenc11}aes192-gcm`,
  aes256gcm: `${NS.xenc11}aes256-gcm`,
  aes128cbc: `${NS.xenc}aes128-cbc`,
  aes192cbc: `${NS.xenc}aes192-cbc`,
  aes256cbc: `${NS.xenc}aes256-cbc`,
} as const;

export type DataEncryptionAlgorithm = (typeof DATA_ENCRYPTION)[keyof typeof DATA_ENCRYPTION];

const CIPHERS: Record<DataEncryptionAlgorithm, DataEncryption> = {
  [DATA_ENCRYPTION.aes128gcm]: aes(128, "gcm"),
  [DATA_ENCRYPTION.aes192gcm]: aes(192, "gcm"),
  [DATA_ENCRYPTION.aes256gcm]: aes(256, "gcm"),
  [DATA_ENCRYPTION.aes128cbc]: aes(128, "cbc"),
  [DATA_ENCRYPTION.aes192cbc]: aes(192, "cbc"),
  [DATA_ENCRYPTION.aes256cbc]: aes(256, "cbc"),
};

export function dataEncryption(uri: string): DataEncryption {
  const cipher = Object.hasOwn(CIPHERS, uri) ? CIPHERS[uri as DataEncryptionAlgorithm] : undefined;
  if (!cipher) throw new SamlError("encryption_algorithm", `The encryption algorithm ${uri} is not allowed`);
  return cipher;
}

export type OaepHash = "sha1" | "sha256" | "sha384" | "sha512";

/** XML Encryption 1.1 §5.5.2: `mgf1p` masks with SHA-1 whatever the digest is, and `oaep` names its mask. RSA PKCS#1 1.5 is refused. */
export const KEY_TRANSPORT = { mgf1p: `${NS.xenc}rsa-oaep-mgf1p`, oaep: `${NS.xenc11}rsa-oaep` } as const;

/** XML Encryption 1.1 §5.6.4, §5.4.1 and §5.7: eIDAS nodes encrypt so for an EC key. */
export const KEY_AGREEMENT = `${NS.xenc11}ECDH-ES`;
export const KEY_DERIVATION = `${NS.xenc11}ConcatKDF`;
export const KEY_WRAP = { aes128: `${NS.xenc}kw-aes128`, aes192: `${NS.xenc}kw-aes192`, aes256: `${NS.xenc}kw-aes256` } as const;

export const OAEP_DIGEST: Record<OaepHash, string> = {
  sha1: `${NS.ds}sha1`,
  sha256: `${NS.xenc}sha256`,
  sha384: "http://www.w3.org/2001/04/xmldsig-more#sha384",
  sha512: `${NS.xenc}sha512`,
};

export const OAEP_MASK: Record<OaepHash, string> = {
  sha1: `${NS.xenc11}mgf1sha1`,
  sha256: `${NS.xenc11}mgf1sha256`,
  sha384: `${NS.xenc11}mgf1sha384`,
  sha512: `${NS.xenc11}mgf1sha512`,
};

/** Returns the hash that `uri` names, or SHA-1 if there is none (XML Encryption 1.1 §5.5.2). SHA-1 is no weakness in OAEP. */
export function hashNamed(table: Record<OaepHash, string>, uri: string | null): OaepHash {
  if (uri === null) return "sha1";
  const found = (Object.keys(table) as OaepHash[]).find((hash) => table[hash] === uri);
  if (!found) throw new SamlError("encryption_algorithm", `The key transport parameter ${uri} is not allowed`);
  return found;
}
