// Applications: what an administrator thinks of as one app, over its OIDC client; templates say what a new one begins with.
// Owns no table: everything is kept by applications/clients.
export { applicationRoutes } from "./routes.ts";
