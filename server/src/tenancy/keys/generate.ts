import { createPublicKey, webcrypto } from "node:crypto";
import { clock, DAY } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Vault } from "../../kernel/vault.ts";
import { selfSigned } from "./certificate.ts";
import { generateCompanions, type NewCompanion } from "./companion.ts";

/** A signing key ready for storage: its private half is already sealed. */
export interface NewKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly sealedPrivateKey: string;
  readonly certificate: string;
  readonly companions: readonly NewCompanion[];
}

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
const VALID_FOR = 3650 * DAY;

/** Returns the place of a private key, which is a part of its ciphertext's additional data. */
export const privateKeyPlace = (realm: string, keyId: string) => ({ realm, table: "realm_keys", column: "private_key", row: keyId });

export type MakeKeyPair = () => Promise<webcrypto.CryptoKeyPair>;

/** Generates a key pair. It takes half a second, off the main thread, so it must never be called inside a transaction. */
export const makeKeyPair: MakeKeyPair = () =>
  webcrypto.subtle.generateKey(RSA, true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>;

/** Generates a signing key with its certificate, and seals its private half. It is as slow as `makePair`. */
export async function generateKey(vault: Vault, realm: string, makePair = makeKeyPair): Promise<NewKey> {
  const keys = await makePair();
  const [spki, pkcs8] = await Promise.all([
    webcrypto.subtle.exportKey("spki", keys.publicKey),
    webcrypto.subtle.exportKey("pkcs8", keys.privateKey),
  ]);
  const keyId = newId();
  return {
    keyId,
    publicKey: Buffer.from(spki).toString("base64"),
    sealedPrivateKey: vault.seal(Buffer.from(pkcs8).toString("base64"), privateKeyPlace(realm, keyId)),
    certificate: await certified(realm, keys.privateKey, Buffer.from(spki)),
    companions: await generateCompanions(vault, realm, keyId),
  };
}

const certified = async (realm: string, privateKey: webcrypto.CryptoKey, spki: Buffer): Promise<string> => {
  const now = clock.now();
  const validity = { notBefore: now - DAY, notAfter: now + VALID_FOR };
  const sign = (data: Buffer) => webcrypto.subtle.sign(RSA.name, privateKey, data);
  return (await selfSigned({ commonName: realm, ...validity, spki }, sign)).toString("base64");
};

/** RFC 7517: returns the public key for the realm's JWKS. It has no `alg`, because it signs both RS256 and PS256. */
export function toJwk(key: { readonly keyId: string; readonly publicKey: string; readonly certificate: string }) {
  const { n, e } = createPublicKey({ key: Buffer.from(key.publicKey, "base64"), format: "der", type: "spki" }).export({ format: "jwk" });
  return { kty: "RSA", use: "sig", kid: key.keyId, n, e, x5c: [key.certificate] };
}
