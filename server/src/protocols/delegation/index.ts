// Delegation: an agent exchanges a user's token for one with which it acts for the user (RFC 8693), if the user has allowed it.
// What a new token may contain is said in protocols/token-endpoint/exchange.ts, for the token exchange grant as well.
export { delegationAudience } from "./audience.ts";
export { delegationRoutes } from "./routes.ts";
