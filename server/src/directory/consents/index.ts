// What a user allowed a client to know and do. Owns `consents`.
// Protocols ask and grant; the user, and whoever serves a request for their data, lists and withdraws.
export { consentErrors } from "./errors.ts";
export { Consent } from "./schema.ts";
export { grantConsent, readConsents, revokeConsent } from "./service.ts";
export { findConsent, forgetConsentsTo } from "./store.ts";
