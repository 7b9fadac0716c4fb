import { createHash } from "node:crypto";
import { clock } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import { costOf, micros, type RateRule, takeOne, type Verdict, verdict } from "./gcra.ts";
import type { LimiterLog } from "./redis.ts";

export type { LimiterLog };

export interface RateLimiter {
  /** Counts one call and tells whether it was within the rule. The same key is counted separately for each rule. */
  take(key: string, rule: RateRule): Promise<Verdict>;
  /** Tells whether Redis answers. Returns null if none is configured. */
  healthy(): Promise<boolean> | null;
  close(): Promise<void>;
}

// The keys take a few megabytes. A flood of new keys pushes out the oldest counts, so memory stays bounded.
const MAX_KEYS = 50_000;
const MAX_KEY_LENGTH = 128;

export function createRateLimiter(options: { redisUrl?: string; log?: LimiterLog; maxKeys?: number } = {}): RateLimiter {
  const local = createLru<number>(options.maxKeys ?? MAX_KEYS);
  const { redisUrl, log } = options;
  // The module is loaded only if it is needed: most servers run without Redis.
  const shared = redisUrl === undefined ? null : import("./redis.ts").then(({ createSharedCounter }) => createSharedCounter(redisUrl, log));

  return {
    async take(key, rule) {
      const cost = costOf(rule);
      const id = `${rule.limit}/${rule.windowMs}:${shorten(key)}`;
      const now = micros(clock.now());
      const taken = (await (await shared)?.take(id, now, cost)) ?? takeOne(local.get(id) ?? 0, now, cost);
      // The result of Redis is stored here as well, so that losing Redis does not reset all budgets.
      local.set(id, taken.paidOff);
      return verdict(taken.allowed, taken.paidOff, now, cost);
    },
    healthy: () => shared?.then((counter) => counter.healthy()) ?? null,
    async close() {
      await (await shared)?.close();
      local.clear();
    },
  };
}

/** Shortens a key. Keys contain what anonymous callers send, and 50,000 long ones would take much memory. */
const shorten = (key: string): string => (key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("base64url"));
