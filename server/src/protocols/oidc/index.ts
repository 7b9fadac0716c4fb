// Makes each realm an OpenID Connect issuer: authorization, logout, userinfo and metadata, in one folder each. Only `engine` imports
// `oidc-provider`. Sessions, clients, claims, keys and tokens belong to other folders.
export { createIssuers } from "./engine/index.ts";
export type { Issuers } from "./issuer.ts";
export { BACKCHANNEL_JOB, backchannelJob, createLogoutRequests, notifyOidcParticipants } from "./logout/index.ts";
export { metadataRoutes } from "./metadata/index.ts";
export { previewRoutes } from "./preview/index.ts";
export { oidcRoutes } from "./routes.ts";
export { userinfoAudience } from "./userinfo/index.ts";
