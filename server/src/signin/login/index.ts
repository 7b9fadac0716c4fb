// Signing in and out by username and password, with the pages for it.
// Sessions are kept by signin/sessions; what asked for the sign-in is an interaction.
export { addressSubject, countAttempt, forgetAttemptsOf } from "./attempts.ts";
export type { LogoutRequest, LogoutRequests } from "./logout.routes.ts";
export { localPasswords, type PasswordSource } from "./password-sources.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./password-upgrades.ts";
export { loginRoutes } from "./routes.ts";
export { isOverloaded, type LoginParts, type ProvenUser, provePassword, stranger } from "./service.ts";
export { createVisitors, type Visitor, type VisitorParts, type Visitors } from "./visitors.ts";
