import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { costOf, takeOne } from "./gcra.ts";
import { createRateLimiter, rateLimited } from "./index.ts";

// Time stands still unless a test moves it: the answers are compared to the second.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  clock.reset();
  vi.useRealTimers();
});

const rule = { limit: 3, windowMs: 60_000 };

/** The number of allowed calls out of `times`, one after the other. */
async function allowed(limiter: ReturnType<typeof createRateLimiter>, key: string, by: typeof rule, times: number) {
  let count = 0;
  for (let i = 0; i < times; i++) if ((await limiter.take(key, by)).allowed) count += 1;
  return count;
}

describe("in process", () => {
  test("allows the limit at once, then says when to retry, to the second", async () => {
    const limiter = createRateLimiter();
    expect(await limiter.take("a", rule)).toMatchObject({ allowed: true, remaining: 2, retryAfterSeconds: 0, resetSeconds: 20 });
    expect(await limiter.take("a", rule)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.take("a", rule)).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 60 });
    expect(await limiter.take("a", rule)).toEqual({ allowed: false, remaining: 0, retryAfterSeconds: 20, resetSeconds: 60 });
    clock.advance(20_000);
    expect(await allowed(limiter, "a", rule, 5)).toBe(1);
    clock.advance(60_000);
    expect(await allowed(limiter, "a", rule, 5)).toBe(3);
  });

  test("a refusal costs nothing: knocking does not prolong the wait", async () => {
    const limiter = createRateLimiter();
    expect(await allowed(limiter, "a", rule, 100)).toBe(3);
    clock.advance(20_000);
    expect((await limiter.take("a", rule)).allowed).toBe(true);
  });

  test.each([
    [7, 60_000],
    [1000, 60_000],
    [120, 1_000],
    [1, 1],
    [99_999, 3_600_000],
  ])("%d per %d ms are exactly that many, whatever the fractions", (limit, windowMs) => {
    const now = 1_800_000_000_000_000;
    let paidOff = 0;
    let count = 0;
    for (let i = 0; i < limit + 50; i++) {
      const taken = takeOne(paidOff, now, costOf({ limit, windowMs }));
      paidOff = taken.paidOff;
      if (taken.allowed) count += 1;
    }
    expect(count).toBe(limit);
  });

  test("a clock that was set back refuses no longer than the rule does", async () => {
    const limiter = createRateLimiter();
    clock.advance(3_600_000);
    expect(await allowed(limiter, "a", rule, 5)).toBe(3);
    clock.advance(-3_600_000);
    expect(await allowed(limiter, "a", rule, 5)).toBe(3);
  });

  test("keys and rules are counted apart, long keys too", async () => {
    const limiter = createRateLimiter();
    const long = "x".repeat(10_000);
    expect(await allowed(limiter, "a", rule, 5)).toBe(3);
    expect(await allowed(limiter, "b", rule, 5)).toBe(3);
    expect(await allowed(limiter, "a", { limit: 2, windowMs: 1_000 }, 2)).toBe(2);
    expect(await allowed(limiter, `${long}1`, rule, 5)).toBe(3);
    expect(await allowed(limiter, `${long}2`, rule, 5)).toBe(3);
  });

  test("remembers no more keys than it may: the least recently seen go first", async () => {
    const limiter = createRateLimiter({ maxKeys: 2 });
    await allowed(limiter, "old", rule, 3);
    await allowed(limiter, "kept", rule, 3);
    await limiter.take("new", rule);
    expect((await limiter.take("kept", rule)).allowed).toBe(false);
    expect((await limiter.take("old", rule)).allowed).toBe(true);
  });

  test("has no health of its own without Redis", async () => {
    expect(createRateLimiter().healthy()).toBeNull();
  });

  test.each([
    { limit: 0, windowMs: 1000 },
    { limit: 1.5, windowMs: 1000 },
    { limit: 1, windowMs: 0 },
    { limit: Number.NaN, windowMs: 1 },
  ])("refuses the rule %j", async (bad) => {
    await expect(createRateLimiter().take("a", bad)).rejects.toBeInstanceOf(RangeError);
  });
});

describe("on a route", () => {
  test("says what is left, then 429 with Retry-After, per key", async () => {
    const app = Fastify();
    const onRequest = rateLimited(createRateLimiter(), {
      key: (req) => `test:${req.headers["x-who"]}`,
      rule: { limit: 2, windowMs: 60_000 },
      name: "test",
    });
    let ran = 0;
    app.get("/", { onRequest }, async () => ({ ran: ++ran }));
    const get = (who: string) => app.inject({ url: "/", headers: { "x-who": who } });

    const first = await get("ada");
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({ "ratelimit-policy": '"test";q=2;w=60', ratelimit: '"test";r=1;t=30' });
    await get("ada");
    const third = await get("ada");
    expect(third.statusCode).toBe(429);
    expect(third.headers).toMatchObject({ "retry-after": "30", "ratelimit-policy": '"test";q=2;w=60', ratelimit: '"test";r=0;t=60' });
    expect(third.json()).toMatchObject({ message: "Too many requests. Please try again in 30 seconds." });
    expect(ran).toBe(2);
    expect((await get("grace")).statusCode).toBe(200);

    clock.advance(30_000);
    expect((await get("ada")).statusCode).toBe(200);
    await app.close();
  });
});
