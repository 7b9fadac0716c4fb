// Realm signing keys: RSA-2048 with a certificate each for SAML, and a P-256 and an Ed25519 key beside each; private halves sealed.
// Owns `realm_keys`, `realm_key_companions` and `realm_companion_keys`. The published halves are part of the realm's snapshot (tenancy/realms).
export {
  asymmetricAlgs,
  clientAlgs,
  isEdwards,
  isSameAlg,
  keyTypeOf,
  proofAlgs,
  type SigningAlg,
  secretAlgs,
  signingAlgs,
} from "./algorithms.ts";
export { completeKeys } from "./complete.ts";
export { generateKey, type MakeKeyPair, makeKeyPair, type NewKey, toJwk } from "./generate.ts";
export { keyRoutes } from "./routes.ts";
export { RealmKey } from "./schema.ts";
export { rotateKey, seedKey } from "./service.ts";
export { createSigningKeys, type Signer, type SigningKeys } from "./signing.ts";
export { type Companion, listKeys, type PublishedKeysRow, publishedKeys, toPublishedKeys } from "./store.ts";
