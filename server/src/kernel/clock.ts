/** The only clock. Everything else asks it, so that tests can move time instead of sleeping. */
let offset = 0;

export const clock = {
  /** Epoch milliseconds. */
  now: (): number => Date.now() + offset,
  /** Moves time for this process; tests only. */
  advance(ms: number): void {
    offset += ms;
  },
  reset(): void {
    offset = 0;
  },
  isMoved: (): boolean => offset !== 0,
};

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Clocks of two machines that differ by this much are reported: expiry and replay are judged by them. */
export const MUCH_SKEW = 2 * SECOND;
