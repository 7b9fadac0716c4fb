/** A limit of `limit` calls at once. The budget refills evenly and is complete again after `windowMs`. */
export interface RateRule {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Verdict {
  readonly allowed: boolean;
  /** The number of further calls that are allowed now. */
  readonly remaining: number;
  /** The time until the next call is allowed; 0 if this one was. */
  readonly retryAfterSeconds: number;
  /** The time until the budget is complete. */
  readonly resetSeconds: number;
}

/*
 * GCRA, the generic cell rate algorithm, stores one number per key: the moment at which everything taken so far is paid off (the theoretical arrival time).
 * Windows of counters have edges at which a double burst passes; GCRA has none. It also knows exactly when to retry, and costs one number and one comparison,
 * in memory and in Redis.
 *
 * All times are whole microseconds: fractions of a millisecond, added up hundreds of times, would lose or grant a call now and then. An epoch in microseconds
 * stays exact in a double until the year 2255.
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

/** Nodes count by their own clocks, which may differ by this many microseconds. A refusal may also last longer by at most this time. */
export const CLOCKS_APART = 5e6;

export const micros = (ms: number): number => Math.floor(ms) * 1000;

/**
 * Decides about one call. `stored` is the stored number, or 0; `paidOff` in the result is to be stored. A debt above the whole budget was stored by a clock
 * that is ahead or was set back later, so it counts as nothing. The Lua script in redis.ts does the same.
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
