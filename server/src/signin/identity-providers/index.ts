// Identity providers and directories of a realm: their records, secrets and mappers, and which users are linked to them. Owns `identity_providers`,
// `identity_provider_secrets`, `identity_provider_mappers`, `identity_links` and `identity_provider_grants`. signin/brokers signs people in by them.
export { assertMayAnswerFor, sourceOf } from "./control.ts";
export { providerErrors } from "./errors.ts";
export {
  FORGET_LINKS_JOB,
  findLinkedUser,
  forgetLinks,
  insertLink,
  type Link,
  linksOfUser,
  type NewLink,
  touchLink,
} from "./links.store.ts";
export type { MapperState } from "./mappers.schema.ts";
export type { CheckTools, Config, FieldFault, IdentityProviderProtocol, OpenProvider, TestedCheck } from "./protocol.ts";
export { type ProtocolName, protocolOf, protocols } from "./protocols/index.ts";
export { type EntryFault, isFault, type Person, personAttributes, readPerson, shownDn } from "./protocols/ldap-person.ts";
export { connectionOf } from "./protocols/ldap-test.ts";
export { identityProviderRoutes } from "./routes.ts";
export {
  createIdentityProviders,
  type IdentityProviders,
  type ProviderButton,
  type ProviderSnapshot,
  type ProvidersSnapshot,
} from "./snapshot.ts";
