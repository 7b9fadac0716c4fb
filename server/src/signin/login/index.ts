// Signing in and out, with the pages for it: asks the steps of a flow one after the other until there is a session.
// Sessions are kept by signin/sessions; what asked for the sign-in is an interaction.
export { beginSignIn, loginPath, pagePath, type SignInStart, seeOther, toSignIn } from "./begin.ts";
export type { LogoutRequest, LogoutRequests } from "./logout.routes.ts";
export { returnTarget } from "./return-target.ts";
export { loginRoutes } from "./routes.ts";
export { type SessionStanding, standingOf } from "./session-standing.ts";
export { createVisitors, type PageParts, type Visitor, type Visitors } from "./visitors.ts";
