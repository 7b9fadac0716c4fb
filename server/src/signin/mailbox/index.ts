// The mailbox of a development server: a page with the mail that realms without a provider would have sent.
// Owns no tables: tenancy/messaging keeps the mail in memory.
export { mailboxRoutes } from "./routes.ts";
