// Applications: one app as administrators see it, with its OIDC or SAML client. Templates have the first settings of a new one.
// Owns no table: applications/clients and applications/saml-clients keep everything.
export { applicationRoutes } from "./routes.ts";
