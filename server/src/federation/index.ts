// Federation: identity providers and directories of a realm, and sign-ins by them. providers/ has their records, links and mappers, brokers/ the parts that all
// sign-ins by a provider share, and oidc/, saml/, eid/ and ldap/ are one protocol each. Owns `identity_providers`, `identity_provider_secrets`,
// `identity_provider_mappers`, `identity_links`, `identity_link_tokens`, `identity_provider_grants`, `identity_provider_metadata`, `brokered_sessions`,
// `broker_answers`, `broker_logouts`, `broker_logout_tokens`, `directory_entries`, `directory_runs` and `directory_erasures`.
export {
  applyMapping,
  createAccount,
  identityToKeep,
  isInAllowedDomain,
  keepsAddress,
  resolveAccount,
  usesProfile,
  writesEachTime,
} from "./brokers/accounts.ts";
export type { BrokeredIdentity, BrokerRequest, BrokerTools, Destination, PostedAnswer } from "./brokers/broker.ts";
export { type BrokeredSignIn, brokeredSignInOf, identityIn, keepTokensOf, recordBrokeredSignIn } from "./brokers/brokered-sign-in.ts";
export { homeProvider, homeProviderOf } from "./brokers/home-realm.ts";
export { type ReadAssertion, readIdentityAssertion } from "./brokers/identity-assertions.ts";
export { deleteExpiredBrokerLogouts, findUpstreamLogout, takeUpstreamLogout } from "./brokers/logouts.store.ts";
export { askingProvider, type BrokerParts, createBrokers, REFUSED } from "./brokers/parts.ts";
export {
  prepareUpstreamLogout,
  readUpstreamLogout,
  recordUpstreamLogout,
  sessionsToEnd,
  type UpstreamLogoutParts,
} from "./brokers/upstream-logout.ts";
export { clearDisabledBySync, entriesOfUser, rereadEntry } from "./ldap/entries.store.ts";
export { createEntryChecks, type EntryChecks } from "./ldap/entry-checks.ts";
export { forgetEntries } from "./ldap/erasure.store.ts";
export { createDirectoryMetrics } from "./ldap/metrics.ts";
export { createDirectoryPasswords } from "./ldap/password-writer.ts";
export { createDirectoryPools } from "./ldap/pools.ts";
export { userFederationRoutes } from "./ldap/routes.ts";
export { deleteOldRuns } from "./ldap/runs.store.ts";
export { enqueueSyncs, SYNC_JOB, syncJob } from "./ldap/schedule.ts";
export { createSeenEntries } from "./ldap/seen-entries.ts";
export { userSourceRoutes } from "./ldap/source.routes.ts";
export { endAbandonedRuns } from "./ldap/sync.ts";
export { UNRECORDED_JOB, unrecordedJob } from "./ldap/unrecorded.ts";
export { fetchObject, UpstreamError } from "./oidc/metadata.ts";
export { assertMayAnswerFor, basisOf, isUsedByHolders, sourceOf } from "./providers/control.ts";
export { providerErrors } from "./providers/errors.ts";
export { findGrants, type Named } from "./providers/grants.ts";
export {
  beginRefresh,
  dropLinkTokens,
  endRefresh,
  findLinkTokens,
  keepLinkTokens,
  type LinkKey,
  type LinkTokens,
} from "./providers/link-tokens.store.ts";
export { userLinkRoutes } from "./providers/links.routes.ts";
export { LinkedAccount } from "./providers/links.schema.ts";
export { addLink, importedLinks, linkProvisioned, readLink, readLinks, removeOwnLink } from "./providers/links.service.ts";
export {
  FORGET_LINKS_JOB,
  findLinkedUser,
  forgetLinks,
  hasGrants,
  insertLink,
  type LinkedUser,
  linksOfUser,
  suppliedMembers,
  touchLink,
} from "./providers/links.store.ts";
export { CreateProviderMapper } from "./providers/mappers.schema.ts";
export { createMapper, readMappers, removeMapper, saveMapper } from "./providers/mappers.service.ts";
export { forgetTakenGrants, keepMappedGrants, nameSupplied, ownGivenGrants, ownMappedAttributes } from "./providers/owned-members.store.ts";
export { brokerOf, markOf, type ProtocolName, protocolOf } from "./providers/protocols.ts";
export type { IdentityProviders, ProviderSnapshot } from "./providers/provider.ts";
export { giveRenamedRole, keepGivenGroups, keepGivenRole } from "./providers/references.ts";
export { identityProviderRoutes } from "./providers/routes.ts";
export { CreateIdentityProvider } from "./providers/schema.ts";
export { createProvider, openProvider, type ProviderParts, removeProvider, saveProvider, searchProviders } from "./providers/service.ts";
export { createIdentityProviders, MAX_BUTTONS } from "./providers/snapshot.store.ts";
export { findProvider } from "./providers/store.ts";
export { deleteExpiredAnswers } from "./saml/answers.store.ts";
export { providerMetadataRoutes } from "./saml/metadata.routes.ts";
export { type ProviderLogoutParts, providerLogoutRoutes } from "./saml/slo.routes.ts";
export { readEntity } from "./saml/upstreams.ts";
