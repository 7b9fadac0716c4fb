import { createPrivateKey, type KeyObject } from "node:crypto";

/** Reads a private key with which a client authenticates, and finds its algorithm. Returns null if the key cannot be used. */
export function readSigningKey(pem: string): { readonly key: KeyObject; readonly alg: "RS256" | "ES256" | "EdDSA" } | null {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return null;
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === "rsa" && (details?.modulusLength ?? 0) >= 2048) return { key, alg: "RS256" };
  if (type === "ec" && details?.namedCurve === "prime256v1") return { key, alg: "ES256" };
  return type === "ed25519" ? { key, alg: "EdDSA" } : null;
}

export const privateKeyFault = (pem: string): string | null =>
  readSigningKey(pem) === null ? "must be a private key in PEM without a passphrase: RSA of 2048 bits or more, P-256, or Ed25519" : null;
