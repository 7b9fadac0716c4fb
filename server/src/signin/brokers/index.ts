// Brokers: signing in by an identity provider. One object per protocol (broker.ts is the contract), what becomes of those who come by it, and
// what is mapped from it. The step of a flow is `identity-provider` in signin/authenticators; records and links are signin/identity-providers'.
// Owns `brokered_sessions`, `broker_logouts` and `broker_logout_tokens`.

export { arrive, createAccount, isInAllowedDomain, keepsAddress } from "./accounts.ts";
export { arrivalOf, type BrokeredArrival, identityIn, keepTokensOf, recordArrival } from "./arrival.ts";
export type {
  Broker,
  BrokeredIdentity,
  BrokerRequest,
  BrokerTools,
  Departure,
  Destination,
  PostedAnswer,
  UpstreamHop,
  UpstreamLogoutNotice,
} from "./broker.ts";
export {
  type BrokeredSession,
  brokeredSessionsOf,
  recordBrokeredSession,
  sessionsByProvider,
  type UpstreamSession,
} from "./brokered-sessions.ts";
export { homeProvider, homeProviderOf } from "./home-realm.ts";
export { deleteExpiredBrokerLogouts, findUpstreamLogout, takeUpstreamLogout } from "./logouts.store.ts";
export { applyMapping, identityToKeep, usesProfile, writesEachTime } from "./mapping.ts";
export { askingProvider, type BrokerParts, brokerOf, brokers, createBrokers, REFUSED, samlBrokerOf } from "./parts.ts";
export { createRereads } from "./rereads.ts";
export { deleteExpiredAnswers } from "./saml/index.ts";
export { providerMetadataRoutes } from "./saml/metadata.routes.ts";
export { type ProviderLogoutParts, providerLogoutRoutes } from "./saml/slo.routes.ts";
export { readEntity } from "./saml/upstreams.ts";
export {
  type PreparedLogout,
  prepareUpstreamLogout,
  readUpstreamLogout,
  recordUpstreamLogout,
  sessionsToEnd,
  type UpstreamLogoutParts,
} from "./upstream-logout.ts";
