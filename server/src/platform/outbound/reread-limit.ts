import { clock, SECOND } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";

/** A flood of tokens or messages with unknown keys costs a request each half minute. */
const PAUSE = 30 * SECOND;

/** An unknown key has a provider's keys read again: at once, and then once in a while. */
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
