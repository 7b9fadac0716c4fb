// Each realm as an OAuth 2.0 and OpenID Connect issuer, on `oidc-provider`, which nothing outside this folder knows.
// Owns `oidc_grants`, `oidc_records`, `revoked_tokens` and `client_activity`. Sessions, clients, claims and keys are those of other folders.

import "./engine-notices.ts";

export { serviceAccountSessionRoutes } from "./activity.routes.ts";
export { type ClientActivity, createClientActivity } from "./activity.ts";
export { deleteExpiredOidc } from "./cleanup.ts";
export {
  endGrantsBesides,
  endGrantsOfClient,
  endGrantsOfSession,
  endGrantsOfUser,
  endGrantsUnderConsent,
  forgetRequests,
} from "./endings.ts";
export { CIBA_PING_JOB, cibaPingJob } from "./grants/ciba-ping.ts";
export { BACKCHANNEL_JOB, backchannelJob, tellParticipants } from "./logout/backchannel.ts";
export { createLogoutRequests } from "./logout/requests.ts";
export { metadataRoutes } from "./metadata.routes.ts";
export { createCertificateGuard } from "./mtls.ts";
export { allowOrigin, preflight } from "./oauth.ts";
export { issuerOf, type OidcParts } from "./parts.ts";
export { createIssuers, type Issuers } from "./provider.ts";
export { type OidcRouteParts, oidcRoutes } from "./routes.ts";
export { createSubjectOf } from "./subjects.ts";
export type { LiveToken } from "./tokens/live.ts";
export { createTokenReader, type TokenReader } from "./tokens/reader.ts";
