import { clock, SECOND } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";

/** The minimum time between two reads, so that a flood of tokens or messages with unknown keys costs one request in this time. */
const PAUSE = 30 * SECOND;

/** Limits how often an unknown key makes the server read a provider's keys again: at once for the first time, then only once in a while. */
export function createRereadLimit(max: number): { take(key: string): boolean } {
  const takenAt = createLru<number>(max);
  return {
    take(key) {
      const isDue = clock.now() - (takenAt.get(key) ?? Number.NEGATIVE_INFINITY) >= PAUSE;
      if (isDue) takenAt.set(key, clock.now());
      return isDue;
    },
  };
}
