// Lazy migration: the system that users come from is asked for the passwords of users who came without one, once each. Owns `password_sources`.
export { passwordSourceRoutes } from "./routes.ts";
export { createHttpPasswords } from "./source.ts";
