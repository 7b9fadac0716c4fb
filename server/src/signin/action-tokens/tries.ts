import { raiseAttempts } from "../../directory/credentials/index.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";

const MAX_TRIES = 5;
/** No code that was sent lives longer. */
const KEPT_MINUTES = 25 * 60;
const policy = { maxFailures: MAX_TRIES, lockMinutes: KEPT_MINUTES, forgetAfterMinutes: KEPT_MINUTES, growingWaits: false };

/**
 * Tells whether a code that was sent may be tried: five times, whatever else the realm counts. The try is counted in a row of its own
 * before the code is checked, so that concurrent tries cannot exceed the limit. `sent` identifies the code, and each code has another.
 */
export async function mayTryCode(work: UnitOfWork, origin: Origin, sent: string): Promise<boolean> {
  const { allowed } = await work.transact(origin, (ctx) => raiseAttempts(ctx.tx, ctx.realm, "code", sent, policy, ctx.now));
  return allowed;
}
