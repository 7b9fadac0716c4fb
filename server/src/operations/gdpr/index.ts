// Requests of people about their data, which administrators serve: export, consents, erasure.
// The list `user.erased` in core.ts erases a user elsewhere; every feature that stores personal data adds its line.
export { gdprRoutes } from "./routes.ts";
export { forgetImports } from "./traces.store.ts";
