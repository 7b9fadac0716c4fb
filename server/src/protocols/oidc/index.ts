// Each realm as an OpenID Connect issuer: authorization, logout, userinfo and metadata, on `oidc-provider`, which nothing outside this folder
// knows. Sessions, clients, claims, keys and tokens are those of other folders.

import "./engine/runtime-warning.ts";

export { CIBA_PING_JOB, cibaPingJob } from "../decoupled/ciba-ping.ts";
export { createIssuers, type Issuers } from "./engine/provider.ts";
export { BACKCHANNEL_JOB, backchannelJob, tellParticipants } from "./logout/backchannel.ts";
export { createLogoutRequests } from "./logout/requests.ts";
export { metadataRoutes } from "./metadata/routes.ts";
export type { OidcParts } from "./parts.ts";
export { type OidcRouteParts, oidcRoutes } from "./routes.ts";
