// Delegation: an agent exchanges a user's token for one with which it acts for the user (RFC 8693), if the user has allowed it.
// protocols/token-endpoint/exchange.ts has the rules for the content of the new token, for the token exchange grant as well.
export { delegationAudience } from "./delegate.ts";
export { delegationRoutes } from "./routes.ts";
