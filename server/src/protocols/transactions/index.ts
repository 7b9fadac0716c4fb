// Transactions: what an application wants a user to sign, once, with a fresh second factor, and what it gets: a signature by the realm
// that any party can verify. Owns `transactions`.
export { transactionAudience } from "./caller.ts";
export { type TransactionRouteParts, transactionRoutes } from "./routes.ts";
export { deleteExpiredTransactions } from "./store.ts";
