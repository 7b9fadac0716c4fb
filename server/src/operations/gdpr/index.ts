// Requests of people about their data, as an administrator serves them: export, consents, erasure.
// What erasing a user touches elsewhere is the list `user.erased` in core.ts; every feature that keeps something adds its line.
export { gdprRoutes } from "./routes.ts";
export { forgetImports } from "./traces.store.ts";
