// How often somebody may guess: counters per user, per address and per factor, in front of every question that can be guessed.
// The counters are kept by directory/credentials.
export { type Attempt, addressSubject, countAttempt, forgetAttemptsOf, type Guesser } from "./attempts.ts";
