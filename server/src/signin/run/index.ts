// The headless sign-in. Every proof that leads to a session, a grant or a signature goes through it: counted, checked, the user held, the
// proof accepted with what it leads to, in one place. Pages (signin/login), the password grant and transactions drive it; SAML and
// brokers will. What else can be guessed calls `countAttempt` itself: the present password when it is changed (protocols/account) and
// the code of a registration (signin/self-registration); the codes of devices have counters of their own (protocols/decoupled).
// The counters are kept by directory/credentials.
// Owns `interactions`, the sign-ins in progress, whatever requested them (admin login, OIDC, SAML, a broker). Each belongs to one browser,
// moves by version and expires; its result is taken once.
export type { Authentication, Completion, Form } from "./answer.ts";
export { type Attempt, addressSubject, countAttempt, forgetAttemptsOf } from "./attempts.ts";
export { type Answered, continueDirectly, continueSignIn, returnToSignIn } from "./continue.ts";
export { recordLock } from "./failures.ts";
export {
  claimInteraction,
  completeInteraction,
  deleteExpiredInteractions,
  endSignInsOf,
  forgetInteractions,
  type Interaction,
  interactionErrors,
  LINK_KIND,
  readInteraction,
  startInteraction,
  takeResult,
} from "./interactions.ts";
export { beginStep, giveUp, isRequested, keepRun } from "./keep.ts";
export { CONTINUE_PATH, readState } from "./leave.ts";
export { beginActions, positionOf, positionToAnswer, stepOf } from "./position.ts";
export {
  type After,
  type Asking,
  contextOf,
  type Outcome,
  openConfirmation,
  openDirectGrant,
  openSignIn,
  type Position,
  type Refused,
  type Run,
  restarted,
} from "./run.ts";
export { type SessionStanding, standingOf } from "./session-standing.ts";
