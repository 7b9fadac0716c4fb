// The gate of the admin API: realm, session with CSRF or bearer token, permission, in this order, for every route below /admin.
// Routes only declare what they need; a route that declares nothing keeps the server from starting.
export { adminPreflightRoutes } from "./cors.ts";
export { type GateParts, guardAdminRoutes } from "./gate.ts";
