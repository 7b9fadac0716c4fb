/** The only clock. All other code asks it, so that tests can move time instead of sleeping. */
let offset = 0;

export const clock = {
  /** Returns epoch milliseconds. */
  now: (): number => Date.now() + offset,
  /** Moves the time of this process, in tests only. */
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

/** A difference between the clocks of two machines that is reported, because expiry and replay are judged by these clocks. */
export const MUCH_SKEW = 2 * SECOND;
