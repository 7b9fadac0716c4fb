// How often an answer may be guessed: counters per user, per address and per factor, in front of every question that can be guessed, and
// the events of wrong answers. The counters are kept by directory/credentials.
export { type Attempt, addressSubject, countAttempt, forgetAttemptsOf, type Guesser } from "./attempts.ts";
export { recordFailure, recordLock } from "./failures.ts";
