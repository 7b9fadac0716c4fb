// The headless sign-in. Every proof that leads to a session, a grant or a signature goes through it: counted, checked, the user held, the
// proof accepted with what it leads to, in one place. Pages (signin/login), the password grant and transactions drive it; SAML and
// brokers will. What else can be guessed calls signin/attempts itself: the present password when it is changed (protocols/account),
// the code of a registration (signin/self-registration), and the codes of devices, which have counters of their own (protocols/decoupled).
export type { Authentication, Completion, Form } from "./answer.ts";
export { type Answered, continueDirectly, continueSignIn, returnToSignIn } from "./continue.ts";
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
