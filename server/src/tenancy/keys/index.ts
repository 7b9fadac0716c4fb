// Realm signing keys: RSA-2048, private halves sealed, a certificate each for SAML. Owns `realm_keys`.
// The published halves are part of the realm's snapshot (tenancy/realms), which serves the JWKS.
export { generateKey, type MakeKeyPair, makeKeyPair, type NewKey, toJwk } from "./generate.ts";
export { keyRoutes } from "./routes.ts";
export { RealmKey } from "./schema.ts";
export { rotateKey, seedKey } from "./service.ts";
export { listKeys } from "./store.ts";
