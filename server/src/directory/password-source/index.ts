// Lazy migration: passwords of users who moved in without them are asked for, once each, at the system that they come from. Owns `password_sources`.
export { passwordSourceRoutes } from "./routes.ts";
export { createHttpPasswords } from "./source.ts";
