// Signing in and out by username and password, with the pages for it.
// Sessions are kept by signin/sessions; what asked for the sign-in is an interaction.
export { forgetAttemptsOf } from "./attempts.ts";
export { localPasswords, type PasswordSource } from "./password-sources.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./password-upgrades.ts";
export { loginRoutes } from "./routes.ts";
export { stranger } from "./service.ts";
export { createVisitors, type Visitor, type VisitorParts, type Visitors } from "./visitors.ts";
