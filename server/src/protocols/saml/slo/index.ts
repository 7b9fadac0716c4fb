// Single logout: notifies the service providers that took part in a session of its end, over SOAP by a job, or by the browser. Owns
// `saml_logouts` and `saml_logout_participants`.
export { notifySamlParticipants, SAML_LOGOUT_JOB, samlLogoutJob } from "./back-channel.ts";
export { createSingleLogout } from "./begin.ts";
export { sloRoutes } from "./routes.ts";
export type { SloParts } from "./standing.ts";
export { deleteExpiredLogouts } from "./store.ts";
