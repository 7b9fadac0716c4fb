// Identity providers and directories of a realm: their records, secrets and mappers, and which users are linked to them. Owns `identity_providers`,
// `identity_provider_secrets`, `identity_provider_mappers`, `identity_links`, `identity_link_tokens` and `identity_provider_grants`. signin/brokers signs people in by them.
export { assertMayAnswerFor, basisOf, sourceOf } from "./control.ts";
export { withinDeadline } from "./deadline.ts";
export { providerErrors } from "./errors.ts";
export { assertMayChoose, followGrants, type Given, grantsOfMappers } from "./giving.ts";
export {
  beginRefresh,
  dropLinkTokens,
  endRefresh,
  findLinkTokens,
  keepLinkTokens,
  type LinkKey,
  type LinkTokens,
} from "./link-tokens.store.ts";
export { userLinkRoutes } from "./links.routes.ts";
export { LinkedAccount } from "./links.schema.ts";
export {
  addLink,
  endOtherLinks,
  LOCAL,
  leaveDirectory,
  linkProvisioned,
  makeLocal,
  readLink,
  readLinks,
  removeOwnLink,
} from "./links.service.ts";
export {
  FORGET_LINKS_JOB,
  findLinkedUser,
  forgetLinks,
  hasGrants,
  insertLink,
  isLinkedTo,
  type Link,
  type LinkedUser,
  linksOfUser,
  type NewLink,
  recordNewGrants,
  recordSupplied,
  suppliedMembers,
  touchLink,
} from "./links.store.ts";
export { CreateProviderMapper, type MapperState } from "./mappers.schema.ts";
export { createMapper, readMappers, removeMapper, saveMapper } from "./mappers.service.ts";
export { attributeOf, type Claims, claimAt, claimsOfTemplate, countsNow, fillTemplate, mappedAttributes } from "./mapping.ts";
export { keepMappedGrants, nameSupplied, ownMappedAttributes } from "./owned-members.ts";
export type {
  CheckTools,
  Config,
  FieldFault,
  IdentityProviderProtocol,
  OpenProvider,
  ReadMetadata,
  TestedCheck,
} from "./protocol.ts";
export { EHERKENNING, EHERKENNING_LEVELS } from "./protocols/eherkenning.ts";
export { EIDAS_LEVELS, EIDAS_LOA, EIDAS_PERSON, eidasIdentifier } from "./protocols/eidas.ts";
export { type ProtocolName, protocolOf, protocols } from "./protocols/index.ts";
export { SYNC_DEFAULTS } from "./protocols/ldap.ts";
export { GROUPS_CLAIM, isDnValue } from "./protocols/ldap-mapper.ts";
export { type EntryFault, isFault, type Person, personAttributes, readPerson, shownDn } from "./protocols/ldap-person.ts";
export { connectionOf } from "./protocols/ldap-test.ts";
export {
  callProvider,
  discover,
  type Endpoints,
  endpointsOf,
  fetchObject,
  filledUrl,
  hostOf,
  needsDiscovery,
  objectOf,
  UpstreamError,
} from "./protocols/oidc-metadata.ts";
export { fits, privateKeyOf, SAML_SECRETS, samlDefaults, samlFaults, samlMembers } from "./protocols/saml-members.ts";
export {
  certificatesIn,
  fetchProviderMetadata,
  readProviderMetadata,
  type SamlUpstream,
  samlUpstream,
} from "./protocols/saml-metadata.ts";
export { readSigningKey } from "./protocols/signing-key.ts";
export { identityProviderRoutes } from "./routes.ts";
export { CreateIdentityProvider } from "./schema.ts";
export { createProvider, openProvider, type ProviderParts, removeProvider, saveProvider, searchProviders } from "./service.ts";
export {
  createIdentityProviders,
  type IdentityProviders,
  MAX_BUTTONS,
  type ProviderButton,
  type ProviderSnapshot,
  type ProvidersSnapshot,
} from "./snapshot.ts";
export { findProvider } from "./store.ts";
