/** At most `limit` at once; the budget refills evenly and is whole again after `windowMs`. */
export interface RateRule {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Verdict {
  readonly allowed: boolean;
  /** The number of further calls that are allowed right now. */
  readonly remaining: number;
  /** When the next one is allowed; 0 when this one was. */
  readonly retryAfterSeconds: number;
  /** When the whole budget is back. */
  readonly resetSeconds: number;
}

/*
 * GCRA, the generic cell rate algorithm: one number per key, the moment at which everything taken so far is paid off (the
 * theoretical arrival time). Chosen over windows of counters because it has no edges at which a double burst slips through, knows
 * exactly when to retry, and costs one number and one comparison, in memory and in Redis alike.
 *
 * Everything is whole microseconds: fractions of a millisecond added up hundreds of times would lose or grant one now and then.
 * An epoch in microseconds stays exact in a double until the year 2255.
 */
export interface Cost {
  readonly perTake: number;
  readonly burst: number;
}

export function costOf({ limit, windowMs }: RateRule): Cost {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError("A rate limit is a whole number of at least 1");
  if (!(windowMs > 0)) throw new RangeError("A rate limit needs a window of more than 0 ms");
  const perTake = Math.ceil((windowMs * 1000) / limit);
  return { perTake, burst: perTake * limit };
}

/** In microseconds. Nodes count by their own clocks, which may differ by this much; it also makes a refusal last longer by no more. */
export const CLOCKS_APART = 5e6;

export const micros = (ms: number): number => Math.floor(ms) * 1000;

/**
 * The one rule. `stored` is what was stored, or 0; the answer says what to store. More than a whole budget is never owed: it was stored by a clock
 * that is ahead, or was set back since, and counts as nothing. The Lua script in redis.ts is its twin.
 */
export function takeOne(stored: number, now: number, { perTake, burst }: Cost): { allowed: boolean; paidOff: number } {
  const paidOff = stored - now > burst + CLOCKS_APART ? 0 : stored;
  const next = Math.max(paidOff, now) + perTake;
  return next - now <= burst ? { allowed: true, paidOff: next } : { allowed: false, paidOff };
}

export function verdict(allowed: boolean, paidOff: number, now: number, { perTake, burst }: Cost): Verdict {
  const owed = Math.max(0, paidOff - now);
  return {
    allowed,
    remaining: Math.max(0, Math.floor((burst - owed) / perTake)),
    retryAfterSeconds: allowed ? 0 : Math.ceil((owed + perTake - burst) / 1e6),
    resetSeconds: Math.ceil(owed / 1e6),
  };
}
