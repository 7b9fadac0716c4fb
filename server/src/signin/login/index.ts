// The pages of signing in and out: they show what signin/run asks, and start a session when it passes.
// Sessions are kept by signin/sessions; what requested the sign-in is an interaction.
export type { LogoutRequest, LogoutRequests } from "./logout.routes.ts";
export { returnTarget } from "./return-target.ts";
export { loginRoutes } from "./routes.ts";
export { createVisitors, type Visitor, type VisitorParts, type Visitors } from "./visitors.ts";
