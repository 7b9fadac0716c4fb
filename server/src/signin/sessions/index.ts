// The SSO session: one per browser and realm, its cookie and its CSRF token. Owns `sessions` and `session_participants`.
// All protocols use it. Its permissions are read from the database at each request.

export { type Cookies, createCookies, newSessionToken } from "./cookies.ts";
export { CSRF_HEADER, type Csrf, createCsrf } from "./csrf.ts";
export type { EndedSession } from "./end.store.ts";
export { proveByEnrolling } from "./enrolled.store.ts";
export { isAtWork, mayStillImpersonate, takeBackSession } from "./impersonators.store.ts";
export { limitSessions } from "./limits.service.ts";
export { type ClientOfRealm, notifyParticipants } from "./notify.ts";
export { userSessionRoutes } from "./of-user.routes.ts";
export { logOutUser } from "./of-user.service.ts";
export { listOwnSessions } from "./own.store.ts";
export { joinSession, leaveSession, touchInterval, touchSessionOfToken } from "./participants.store.ts";
export { acrOf, type Factor, factorOf, levelOf, type SessionProof } from "./proofs.ts";
export {
  hasRecentAuthentication,
  hasSecondFactor,
  insufficientAuthentication,
  isRecentlyAuthenticated,
  isSecondFactor,
  recencyOf,
  recentProofs,
  secondFactors,
  stepUpPath,
} from "./recent-authentication.store.ts";
export { sessionRoutes } from "./routes.ts";
export {
  actorOfSession,
  endExpiredSessions,
  endImpersonation,
  endOtherOwnSessions,
  endOtherSessions,
  endOwnSession,
  endSession,
  endSessionsOfUser,
  forgetSessions,
  type Impersonation,
  resolveSession,
  type SignIn,
  type StartedSession,
  startImpersonation,
  startSession,
} from "./service.ts";
export { findSessionBehind, type LiveSession, unstoredSession } from "./store.ts";
export { type SignInUser, type SignInUserRow, signInUserColumns, toSignInUser } from "./user.store.ts";
