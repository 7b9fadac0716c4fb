import { SECOND } from "../../kernel/clock.ts";
import type { Attempt } from "./attempt.ts";

/** The maximum number of deliveries of one webhook that a node sends at once. */
export const WIDEST = 8;
const AT_FIRST = 2;
/** The maximum number of deliveries that a node sends at once in total. */
export const PLACES = 128;
/** The share of all webhooks together that are slow or do not answer, so that the others always find room. */
const PLACES_OF_SLOW = PLACES / 2;
const SLOW = 2 * SECOND;
/** The number of lanes that are remembered while they send nothing. */
const REMEMBERED = 10_000;

interface Lane {
  width: number;
  sending: number;
  slow: boolean;
}

/**
 * Tracks the width of each webhook's lane on this node. A lane widens with every quick answer and narrows to one with a timeout, so a receiver that does not
 * respond holds one connection, not eight.
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
    /** Returns how many more deliveries of this webhook may begin if `taken` places are already promised to others. */
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
    /** Ends a delivery. `attempt` is null if it shows nothing about the receiver. */
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
