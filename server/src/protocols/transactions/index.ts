// Transactions: a client has a user sign a payload once, with a fresh second factor, and gets a signature of the realm that anyone can
// verify. Owns `transactions`.
export { transactionAudience } from "./caller.ts";
export { transactionRoutes } from "./routes.ts";
export { deleteExpiredTransactions, forgetTransactionsOf } from "./store.ts";
