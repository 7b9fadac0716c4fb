// Impersonation: an administrator acts as a user, in a session that says so. Owns `impersonation_tickets`.
// The admin API returns a link that works once and expires soon. The pages open it, show the impersonation and end it.
export { impersonationPages } from "./pages.routes.ts";
export { impersonateRoutes } from "./routes.ts";
export { deleteExpiredTickets, forgetTickets } from "./tickets.store.ts";
