// The pages of signing in and out: they show the questions of signin/run, and start a session when a sign-in passes.
// The session belongs to signin/sessions. The request for the sign-in is an interaction.
export { assertMayBegin, countAnonymousRequest, type LimitParts } from "./anonymous-limit.ts";
export { accountPath, homePath, loginPath, pagePath, seeOther } from "./begin.ts";
export { leadsAway, leavingPage } from "./leave.ts";
export { isLocal } from "./local.ts";
export type { LogoutRequest, LogoutRequests, PendingLogout, SingleLogout } from "./logout.routes.ts";
export { createMessageCopies } from "./message-copies.ts";
export { showPostForm } from "./post-form.ts";
export { returnTarget } from "./return-target.ts";
export { loginRoutes } from "./routes.ts";
export { type SigningOut, showSigningOut, signedOutPath, signOutHere } from "./sign-out.ts";
export { createVisitors, type Exchange, type PageParts, type Visitor, type Visitors } from "./visitors.ts";
