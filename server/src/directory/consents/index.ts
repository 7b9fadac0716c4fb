// What a user allowed a client to know and do. Owns `consents`.
// Protocols read and grant consents; the user and administrators list and withdraw them.
export { consentErrors } from "./errors.ts";
export { Consent } from "./schema.ts";
export { grantConsent, readConsents, revokeConsent } from "./service.ts";
export { findConsent, forgetConsentsTo } from "./store.ts";
