// Dynamic client registration (RFC 7591, RFC 7592), its policy, and Client ID Metadata Documents. Owns `initial_access_tokens` and the
// column `provisioning` of `realm_oidc`; applications/clients owns the clients.
export { createDocumentClients, type DocumentClients } from "./documents/documents.ts";
export { sendRegistrationError } from "./errors.ts";
export { deleteExpiredInitialTokens } from "./provisioning/initial-tokens.store.ts";
export { provisioningRoutes } from "./provisioning/provisioning.routes.ts";
export { UpdateProvisioning } from "./provisioning/provisioning.schema.ts";
export { createProvisioning, readProvisioning, replaceProvisioning } from "./provisioning/provisioning.service.ts";
export { registrationRoutes } from "./routes.ts";
