// Impersonation: an administrator plays a user, in a session that says so. Owns `impersonation_tickets`.
// The admin API hands out a link that works once and soon; the pages open it, show it and end it.
export { impersonationPages } from "./pages.routes.ts";
export { impersonateRoutes } from "./routes.ts";
export { deleteExpiredTickets, forgetTickets } from "./tickets.store.ts";
