// OIDC clients: their permissions, secrets, roles, mappers and service accounts. Owns `clients`, `client_resources` and
// `service_account_roles`.
// Protocols read them through `createClients`, which keeps those in use in memory until the realm's configuration changes.
export {
  addressVerdict,
  adminAudience,
  httpsVerdict,
  inList,
  inMember,
  isWithinServer,
  originVerdict,
  redirectUriVerdict,
  resourceKey,
} from "./addresses.ts";
export { type AdminOrigins, createAdminOrigins } from "./admin-origins.store.ts";
export { type Api, type Apis, createApis } from "./apis.store.ts";
export { type Clients, createClients } from "./cache.store.ts";
export { type GrantType, grantTypeNames, grantTypes, rulesOfGrantType, spellGrantType, toGrantType } from "./grant-types.ts";
export { clientMappers } from "./mappers.ts";
export { profileErrors, profileOf } from "./profiles.ts";
export { keyErrors } from "./public-keys.ts";
export {
  assertMayControlClient,
  assertMayReachAdministrators,
  getsUserTokens,
  givesPermissions,
  listedResource,
  mayAddress,
} from "./reach.ts";
export { saveAllowedResources } from "./resources.service.ts";
export { createClientRole, removeClientRole, saveClientRole } from "./roles.service.ts";
export { clientRoutes } from "./routes.ts";
export {
  AllowedResources,
  Client,
  type ClientSettings,
  CreateClient,
  CreateClientMapper,
  isClientId,
  Jwks,
  oauthAuthMethods,
  type ResponseType,
  responseTypes,
  UpdateClient,
} from "./schema.ts";
export { openSecrets } from "./secrets.ts";
export { sectorOf } from "./sector.ts";
export {
  type ClientTools,
  createClient,
  disableClient,
  readClient,
  removeClient,
  saveClient,
  shown as showClient,
  unknownScopes,
} from "./service.ts";
export { grantToServiceAccount, takeFromServiceAccount } from "./service-accounts.service.ts";
export { findServiceAccountPermissions, rolesOfServiceAccounts } from "./service-accounts.store.ts";
export { completeSettings, metadataNames, originsOf, settingsOf } from "./settings.ts";
export { type ClientAgent, type ClientSnapshot, isUsable, kindOfClient } from "./snapshot.ts";
export {
  type ClientRow,
  clientsUsingFlow,
  exchangeRegistrationHash,
  findClient,
  findClientByClientId,
  findClients,
  forgetPreviousClientSecrets,
  forgetPreviousRegistrationHash,
  listClients,
  renameFlowOfClients,
} from "./store.ts";
