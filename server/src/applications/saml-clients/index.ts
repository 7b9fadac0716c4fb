// SAML service providers that sign in at a realm. Owns `saml_clients` and `saml_client_mappers`.
// Protocols read them through `createSamlClients`, which keeps those in use in memory until the realm's configuration changes.
export { attributesOf, needsOfSamlClient } from "./attributes.ts";
export { createSamlClients } from "./cache.store.ts";
export { samlClientName } from "./display-name.ts";
export { CreateSamlMapper } from "./mappers.schema.ts";
export { samlClientMappers } from "./mappers.ts";
export { refreshSamlMetadata } from "./refresh.ts";
export { samlClientRoutes } from "./routes.ts";
export { CreateSamlClient } from "./schema.ts";
export { createSamlClient, removeSamlClient, saveSamlClient, searchSamlClients, shown as showSamlClient } from "./service.ts";
export { defaultOptions } from "./settings.ts";
export type { NameIdKind, SamlClientSnapshot, SamlClients, SamlMapper } from "./snapshot.ts";
export {
  applicationName,
  findSamlClient,
  findSamlClients,
  renameFlowOfSamlClients,
  type SamlClientRow,
  samlClientsUsingFlow,
  withBackChannelLogout,
} from "./store.ts";
