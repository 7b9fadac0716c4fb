// The gate of the admin API: realm, session, CSRF, permission, in this order, for every route below /admin.
// Routes only declare what they need; a route that declares nothing keeps the server from starting.
export type { BearerAuthenticator } from "./actors.ts";
export { type GateParts, guardAdminRoutes } from "./gate.ts";
