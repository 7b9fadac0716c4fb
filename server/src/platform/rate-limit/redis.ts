import { Redis, type RedisOptions, type Result } from "ioredis";
import { clock, SECOND } from "../../kernel/clock.ts";
import { CLOCKS_APART, type Cost } from "./gcra.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    gatehouseTake(key: string, now: number, perTake: number, burst: number): Result<[number, string], Context>;
  }
}

const PREFIX = "gatehouse:rl:";

// Does the same as `takeOne`, atomically for all nodes. The caller passes the time, so that tests can move it and the script, which does not call TIME,
// replicates everywhere. If the clocks of nodes differ by a second, their budgets differ by a second's worth. Numbers are formatted here, because not every
// server that speaks Redis writes all sixteen digits by itself.
const TAKE = `
local paid_off = tonumber(redis.call("GET", KEYS[1]) or "0")
local now, per_take, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if paid_off - now > burst + ${CLOCKS_APART} then paid_off = 0 end
local next = math.max(paid_off, now) + per_take
if next - now > burst then return { 0, string.format("%.0f", paid_off) } end
redis.call("SET", KEYS[1], string.format("%.0f", next), "PX", math.ceil((next - now) / 1000))
return { 1, string.format("%.0f", next) }
`;

// No request waits for a dead Redis: nothing is queued while it is unavailable, and a Redis that hangs delays one request for this time.
const OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 250,
  connectTimeout: 2_000,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
  enableAutoPipelining: true,
} satisfies RedisOptions;

const PROBE_EVERY = SECOND;

export interface LimiterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface SharedCounter {
  /** Returns null if Redis is unavailable. */
  take(key: string, now: number, cost: Cost): Promise<{ allowed: boolean; paidOff: number } | null>;
  healthy(): Promise<boolean>;
  close(): Promise<void>;
}

export function createSharedCounter(url: string, log: LimiterLog | undefined): SharedCounter {
  const redis = new Redis(url, OPTIONS);
  redis.defineCommand("gatehouseTake", { numberOfKeys: 1, lua: TAKE });
  let state: "starting" | "up" | "down" | "closed" = "starting";
  let probedAt = 0;

  const wentUp = () => {
    if (state === "up" || state === "closed") return;
    state = "up";
    log?.info({ component: "rate-limit" }, "Redis answers: rate limits are shared between all nodes");
  };
  const wentDown = (error?: unknown) => {
    if (state === "down" || state === "closed") return;
    state = "down";
    log?.warn(
      { component: "rate-limit", reason: codeOf(error) },
      "Redis does not answer: until it does, each node counts its own rate limits",
    );
  };

  const answers = async (): Promise<boolean> => {
    // The first connection is still being opened. If it fails, an event reports it.
    if (state === "starting") return false;
    try {
      await redis.ping();
      wentUp();
      return state === "up";
    } catch (error) {
      wentDown(error);
      return false;
    }
  };

  redis.on("ready", wentUp);
  redis.on("error", wentDown);
  redis.on("close", () => wentDown());

  return {
    async take(key, now, { perTake, burst }) {
      if (state === "down") {
        // A Redis that hung and recovered sends no event, so it is polled. The request itself does not wait for the answer.
        if (clock.now() - probedAt >= PROBE_EVERY) {
          probedAt = clock.now();
          void answers();
        }
        return null;
      }
      // The first connection is still being opened, which is worth neither a warning nor a wait.
      if (state !== "up") return null;
      try {
        const [allowed, paidOff] = await redis.gatehouseTake(PREFIX + key, now, perTake, burst);
        return { allowed: allowed === 1, paidOff: Number(paidOff) };
      } catch (error) {
        wentDown(error);
        return null;
      }
    },
    healthy: answers,
    async close() {
      state = "closed";
      redis.disconnect();
    },
  };
}

/** Returns the code of the error only: ioredis attaches the failed command to its errors, and the AUTH command contains the password. */
function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return code;
  return typeof message === "string" ? (message.split(" ")[0] ?? "unknown") : "closed";
}
