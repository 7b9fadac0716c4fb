import { webcrypto } from "node:crypto";
import type { Vault } from "../../kernel/vault.ts";

/** RFC 7517, as it stands in the realm's JWKS. */
export interface PublicJwk {
  readonly kty: "EC";
  readonly use: "sig";
  readonly alg: "ES256";
  readonly kid: string;
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** A P-256 key that goes with an RSA key: it comes when ES256 is first asked for, and goes when that key goes. */
export interface NewCompanion {
  /** Of the RSA key. */
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
  readonly sealedPrivateKey: string;
}

export const companionKid = (keyId: string): string => `${keyId}-ec`;

export const companionPlace = (realm: string, keyId: string) => ({
  realm,
  table: "realm_key_companions",
  column: "private_key",
  row: keyId,
});

/** A fraction of a millisecond. */
export async function generateCompanion(vault: Vault, realm: string, keyId: string): Promise<NewCompanion> {
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const [{ x, y }, pkcs8] = await Promise.all([
    webcrypto.subtle.exportKey("jwk", keys.publicKey),
    webcrypto.subtle.exportKey("pkcs8", keys.privateKey),
  ]);
  return {
    keyId,
    publicJwk: { kty: "EC", use: "sig", alg: "ES256", kid: companionKid(keyId), crv: "P-256", x: x!, y: y! },
    sealedPrivateKey: vault.seal(Buffer.from(pkcs8).toString("base64"), companionPlace(realm, keyId)),
  };
}
