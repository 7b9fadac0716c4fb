// Clients that come by themselves: dynamic registration (RFC 7591, 7592), its policy, and client ids that are addresses of metadata.
// Owns `initial_access_tokens` and the column `provisioning` of `realm_oidc`; the clients themselves are those of applications/clients.
export { createDocumentClients, type DocumentClients } from "./documents/documents.ts";
export { sendRegistrationError } from "./errors.ts";
export { deleteExpiredInitialTokens } from "./provisioning/initial-tokens.store.ts";
export { provisioningRoutes } from "./provisioning/provisioning.routes.ts";
export { createProvisioning, type ProvisioningSnapshots } from "./provisioning/provisioning.service.ts";
export { registrationRoutes } from "./routes.ts";
