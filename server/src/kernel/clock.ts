/** The only clock. All other code asks it, so that tests can move time instead of sleeping. */
let offset = 0;
/** Milliseconds by which the database's clock is ahead of this machine's. It is 0 unless they differ by much. */
let ahead = 0;

export const clock = {
  /** Returns epoch milliseconds. */
  now: (): number => Date.now() + offset,
  /** Returns the time by the database's clock, which is the same on every node: leases end by it, so that no other node takes the same work. */
  shared: (): number => clock.now() + ahead,
  /** Sets the database's time at this moment. With null, this machine's clock counts as right. */
  share(now: number | null): void {
    ahead = now === null ? 0 : now - Date.now();
  },
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
