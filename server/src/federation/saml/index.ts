// A realm as a SAML service provider: sign-ins by SAML identity providers, its metadata for them. profile.ts is the contract of a scheme.
// Owns `broker_answers` and `identity_provider_metadata`.
export { deleteExpiredAnswers } from "./answers.store.ts";
export { type SamlBroker, samlBroker } from "./broker.ts";
export { derOf } from "./keys.ts";
export type { SamlAnswer, SamlProfile } from "./profile.ts";
export { createSamlTools, type SamlTools } from "./tools.ts";
