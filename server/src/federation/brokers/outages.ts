import { clock, MINUTE } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";

/** The providers that recently did not answer this node. Their buttons say so. */
export interface Outages {
  failed(providerId: string): void;
  answered(providerId: string): void;
  isDown(providerId: string): boolean;
}

const LATELY = 2 * MINUTE;
const MAX_KEPT = 10_000;

export function createOutages(): Outages {
  const since = createLru<number>(MAX_KEPT);
  return {
    failed: (providerId) => void since.set(providerId, clock.now()),
    answered: (providerId) => void since.delete(providerId),
    isDown: (providerId) => clock.now() - (since.get(providerId) ?? Number.NEGATIVE_INFINITY) < LATELY,
  };
}
