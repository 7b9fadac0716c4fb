import { clock, SECOND } from "../../kernel/clock.ts";

/** A silence of this length is an outage. Polls come each second, so one missed poll is none and three are. */
const SILENCE = 3 * SECOND;
/** A statement may have been sent this long before the silence began. Outages closer together than this count as one. */
const MARGIN = 10 * SECOND;

/**
 * Records when the database was last silent, as this node saw it. A write shortly before or during an outage may have been committed although its answer was
 * lost: callers repeat it once the database is back.
 */
export interface Outages {
  /** Records that the database has answered a poll. */
  heard(): void;
  /** Returns when the answer to a write of this time (epoch milliseconds) could first be given or repeated: the end of the outage, or the time itself. */
  answerable(writtenAt: number): number;
}

export function createOutages(monotonic: () => number = () => performance.now()): Outages {
  let heardAt: number | null = null;
  let last: { readonly from: number; readonly until: number } | null = null;
  return {
    heard() {
      // The silence is measured by the monotonic clock, so that a correction of the time of day does not look like an outage.
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
