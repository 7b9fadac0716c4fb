// Consents: the scopes that a user granted to a client, in the realm and at APIs. Owns `consents` and `resource_consents`.
// Protocols read and grant consents; the user and administrators list and withdraw them.
export { consentErrors } from "./errors.ts";
export { Consent } from "./schema.ts";
export { grantConsent, readConsents, revokeConsent } from "./service.ts";
export { consentedScopes, findConsent, forgetConsentsAt, forgetConsentsTo } from "./store.ts";
