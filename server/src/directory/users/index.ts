// Users: who they are and how they are found at sign-in. Owns `users` and `login_names`.
// Changes go through `takeUser`, which holds the row and applies the escalation rule.
export { userErrors } from "./errors.ts";
export { userRoutes } from "./routes.ts";
export { CreateUser, type User } from "./schema.ts";
export { createUser, resetPassword, seedAdmin } from "./service.ts";
export { findUserByLogin, holdUserForSignIn } from "./store.ts";
