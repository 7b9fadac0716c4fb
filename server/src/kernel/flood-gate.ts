import { clock, MINUTE } from "./clock.ts";
import { createLru } from "./lru.ts";

const PER_MINUTE = 20;
const MAX_REALMS = 1_000;

/**
 * Returns a function that tells whether another refusal of a realm is recorded, on this node. Bad messages cost their sender nothing, and must not fill the
 * audit trail.
 */
export function createFloodGate(): (realm: string) => boolean {
  const recorded = createLru<{ readonly since: number; count: number }>(MAX_REALMS);
  return (realm) => {
    const now = clock.now();
    const known = recorded.get(realm);
    const current = known && now - known.since < MINUTE && now >= known.since ? known : { since: now, count: 0 };
    recorded.set(realm, current);
    return current.count++ < PER_MINUTE;
  };
}
