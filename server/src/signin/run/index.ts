// The headless sign-in. Every proof that leads to a session, a grant or a signature goes through it: the attempt is counted and checked,
// the user locked, the proof accepted. Pages (signin/login), the password grant, transactions and SAML drive it. Features with other
// secrets that can be guessed call `countAttempt` themselves: the current password when it is changed (protocols/account), and the code of
// a registration (signin/self-registration). directory/credentials stores the counters.
// Owns `interactions`, the sign-ins in progress of admin login, OIDC and SAML. Each is bound to one browser, versioned, expires, and its
// result is taken once.
export { type Answered, continueDirectly, continueSignIn, type Form, returnToSignIn } from "./answer.ts";
export { type Attempt, countAttempt, forgetAttemptsOf } from "./attempts.ts";
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
  readInteractionElsewhere,
  saveInteractionState,
  startInteraction,
  takeResult,
  takeReturn,
} from "./interactions.store.ts";
export { beginStep, giveUp, isRequested, keepRun } from "./keep.ts";
export { CONTINUE_PATH, readState } from "./leave.ts";
export {
  beginActions,
  createStandings,
  isSetUp,
  isStepUp,
  positionOf,
  positionToAnswer,
  type RequestFacts,
  type SessionStanding,
  type Standings,
  standingOf,
  stepOf,
} from "./position.ts";
export {
  type After,
  type Asking,
  type Authentication,
  type Completion,
  canTrustBy,
  contextOf,
  hasDeclinedLink,
  type Outcome,
  openConfirmation,
  openDirectGrant,
  openSignIn,
  type Position,
  type Refused,
  type Run,
  restarted,
} from "./run.ts";
