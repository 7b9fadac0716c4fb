import { SECOND } from "../../kernel/clock.ts";
import type { Attempt } from "./attempt.ts";

/** A node sends at most this many deliveries of one webhook at once. */
export const WIDEST = 8;
const AT_FIRST = 2;
/** A node sends at most this many deliveries at once in all. */
export const PLACES = 128;
/** The share of webhooks that are slow or do not answer, together: however many they are, the others find room. */
const PLACES_OF_SLOW = PLACES / 2;
const SLOW = 2 * SECOND;
/** Webhooks whose lane is remembered while nothing is sent. */
const REMEMBERED = 10_000;

interface Lane {
  width: number;
  sending: number;
  slow: boolean;
}

/**
 * The width of each webhook's lane on this node. It widens with every quick answer and narrows to one with a timeout, so that a
 * receiver that does not respond holds one connection, not eight.
 */
export function createLanes() {
  const lanes = new Map<string, Lane>();
  let sending = 0;
  let sendingSlow = 0;

  const laneOf = (webhook: string): Lane => lanes.get(webhook) ?? { width: AT_FIRST, sending: 0, slow: false };
  const setSlow = (lane: Lane, slow: boolean) => {
    if (lane.slow !== slow) sendingSlow += slow ? lane.sending : -lane.sending;
    lane.slow = slow;
  };

  return {
    /** The number of further deliveries of this webhook that may begin, if `taken` places are promised to others already. */
    free(webhook: string, taken: { all: number; slow: number }): number {
      const { width, sending: own, slow } = laneOf(webhook);
      const left = PLACES - sending - taken.all;
      const leftSlow = slow ? PLACES_OF_SLOW - sendingSlow - taken.slow : left;
      return Math.max(0, Math.min(width - own, left, leftSlow));
    },
    isSlow: (webhook: string): boolean => laneOf(webhook).slow,
    hasRoom: (taken = 0): boolean => sending + taken < PLACES,
    begin(webhook: string): void {
      const lane = laneOf(webhook);
      lanes.set(webhook, lane);
      lane.sending += 1;
      sending += 1;
      if (lane.slow) sendingSlow += 1;
    },
    /** Null: nothing was learned about the receiver. */
    end(webhook: string, attempt: Pick<Attempt, "delivered" | "timedOut" | "latencyMs"> | null): void {
      const lane = laneOf(webhook);
      lane.sending -= 1;
      sending -= 1;
      if (lane.slow) sendingSlow -= 1;
      if (attempt) {
        setSlow(lane, attempt.timedOut || attempt.latencyMs >= SLOW);
        if (attempt.timedOut) lane.width = 1;
        else if (lane.slow) lane.width = Math.max(1, lane.width - 1);
        else lane.width = Math.min(WIDEST, lane.width + 1);
      }
      if (lanes.size > REMEMBERED) for (const [id, { sending: busy }] of lanes) if (busy === 0) lanes.delete(id);
    },
  };
}
