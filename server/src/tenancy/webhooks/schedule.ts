import type { Attempt } from "./attempt.ts";
import type { Claim, Outcome } from "./claims.store.ts";

/** The share of random delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/** Returns the state of a delivery after an attempt: delivered, waiting for the next retry of the schedule, or given up after the last one. */
export function outcomeOf(claim: Claim, attempt: Attempt, waits: readonly number[], now: number): Outcome {
  const attempts = claim.attempts + 1;
  const wait = waits[attempts - 1];
  const response = { answerStatus: attempt.status, answer: attempt.answer, error: attempt.error, latencyMs: attempt.latencyMs };
  if (attempt.delivered) return { claim, attempts, status: "DELIVERED", nextAt: now, endedAt: now, ...response };
  if (wait === undefined) return { claim, attempts, status: "DEAD", nextAt: now, endedAt: now, ...response };
  // A receiver may request a longer wait, up to the one after this in the schedule.
  const patience = Math.min(attempt.retryAfterMs, waits[attempts] ?? wait);
  const delay = Math.max(wait, patience) * (1 + Math.random() * JITTER);
  return { claim, attempts, status: "PENDING", nextAt: now + Math.round(delay), endedAt: null, ...response };
}

/** Returns the outcome of a delivery whose event is gone: no attempt can succeed. */
export const withoutEvent = (claim: Claim, now: number): Outcome => ({
  claim,
  status: "DEAD",
  attempts: claim.attempts,
  nextAt: now,
  endedAt: now,
  answerStatus: null,
  answer: null,
  error: "The event was deleted, so there is nothing to send.",
  latencyMs: 0,
});
