import { clock, SECOND } from "../../kernel/clock.ts";

/** Polls come each second: one that was missed is no outage, three are. */
const SILENCE = 3 * SECOND;
/** A statement may have been sent this long before the silence began, and outages this close together count as one. */
const MARGIN = 10 * SECOND;

/**
 * When the database was last silent, as this node saw it. A write shortly before or during an outage may have been committed although its answer was
 * lost: callers repeat it once the database is back.
 */
export interface Outages {
  /** The database has answered a poll. */
  heard(): void;
  /** For what was written at this time (epoch milliseconds): when its answer could first be given or repeated. */
  answerable(writtenAt: number): number;
}

export function createOutages(monotonic: () => number = () => performance.now()): Outages {
  let heardAt: number | null = null;
  let last: { readonly from: number; readonly until: number } | null = null;
  return {
    heard() {
      // Measured by the monotonic clock: a corrected time of day is no outage.
      const at = monotonic();
      const silence = heardAt === null ? 0 : at - heardAt;
      heardAt = at;
      if (silence < SILENCE) return;
      const until = clock.now();
      const from = until - silence;
      last = { from: last && from - last.until < MARGIN ? last.from : from, until };
    },
    answerable: (writtenAt) => (last && writtenAt >= last.from - MARGIN && writtenAt <= last.until ? last.until : writtenAt),
  };
}
