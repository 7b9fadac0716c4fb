// Realm signing keys: RSA-2048 keys, each with a certificate for SAML. Beside each there are keys for ES256, for decryption and, where requested, for EdDSA.
// Private halves are sealed. Owns `realm_keys`, `realm_key_companions` and `realm_companion_keys`. The published halves are part of the realm's snapshot
// (tenancy/realms).
export {
  asymmetricAlgs,
  clientAlgs,
  contentEncryptions,
  decryptionAlgs,
  encryptionAlgs,
  isEdwards,
  isEncryptionKey,
  isSameAlg,
  keyTypeOf,
  proofAlgs,
  type SigningAlg,
  secretAlgs,
  signingAlgs,
} from "./algorithms.ts";
export { completeKeys } from "./complete.ts";
export { createDecryptionKeys, type DecryptionKeys } from "./decryption.ts";
export { generateKey, type MakeKeyPair, makeKeyPair, type NewKey, toJwk } from "./generate.ts";
export { keyRoutes } from "./routes.ts";
export { RealmKey } from "./schema.ts";
export { publishEdwards, rotateKey, seedKey } from "./service.ts";
export { createSigningKeys, type Signer, type SigningKeys, samlSigningKey } from "./signing.ts";
export { type Companion, listKeys, type PublishedKeysRow, publishedKeys, toPublishedKeys } from "./store.ts";
export { adoptKey, CarriedKey, readCarriedKeys } from "./transfer.ts";
