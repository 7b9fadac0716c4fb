// Makes each realm a SAML 2.0 identity provider: metadata, single sign-on, single logout and artifact resolution, in one folder each.
// platform/saml reads and writes messages. Owns `saml_name_ids` and `saml_answered_requests`.
export { samlMetadataRoutes } from "./metadata/index.ts";
export { samlRoutes } from "./routes.ts";
export { createSingleLogout, deleteExpiredLogouts, notifySamlParticipants, SAML_LOGOUT_JOB, samlLogoutJob } from "./slo/index.ts";
export { deleteAnsweredRequests } from "./sso/index.ts";
