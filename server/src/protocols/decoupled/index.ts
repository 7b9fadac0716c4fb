// Decoupled requests, which a user approves in a browser: the device flow (RFC 8628) and CIBA.
// Reads and writes their records in `oidc_records`, which protocols/tokens owns.
export { cibaRoutes } from "./ciba.routes.ts";
export { CIBA_PING_JOB, cibaPingJob, keepCallback } from "./ciba-ping.ts";
export { deviceRoutes } from "./device.routes.ts";
export {
  countPoll,
  type DecoupledModel,
  decide,
  findPolled,
  isActiveUser,
  keepDeviceCode,
  keepRequest,
  userOfSession,
} from "./requests.store.ts";
export { isRefusedOnPage, isRefusedTo, needsRecentSignIn, shownAgent, shownApis, shownScopes } from "./visitors.ts";
