// The guarded connector of all outbound connections: fetch, SMTP, APNs, JWKS, LDAP and SOAP.
// It decides which addresses may be reached, how long a peer may take and how much it may send.
export { addressSet, inSet, ipv6Bytes, isLoopbackAddress, isPublicAddress, plainAddress } from "./addresses.ts";
export { createRemoteDocuments, type ReadDocument, type ReadFailure, type RemoteDocumentRules } from "./documents.ts";
export { OutboundError, type OutboundReason } from "./errors.ts";
export type { OutboundRequest, OutboundResponse } from "./fetch.ts";
export { freshFor } from "./freshness.ts";
export type { Address, Resolve } from "./guard.ts";
export { createOutbound, type Outbound, type OutboundOptions } from "./outbound.ts";
export { receiverFaults, urlFaults } from "./receivers.ts";
export { createRereadLimit } from "./reread-limit.ts";
export { retryAfterMs } from "./retry-after.ts";
export type { ClientIdentity } from "./sockets.ts";
