// Applications: one app as administrators see it, over its OIDC or SAML client; templates hold the first settings of a new one.
// Owns no table: everything is kept by applications/clients.
export { applicationRoutes } from "./routes.ts";
