import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { createRateLimiter, type RateLimiter } from "./index.ts";

const installed = spawnSync("redis-server", ["--version"]).status === 0;

if (!installed) {
  test("redis-server is needed for these tests: please install Debian's redis-server package", ({ skip }) => {
    expect(process.env.CI, "redis-server is not installed, and CI skips nothing").not.toBe("true");
    skip("redis-server is not installed");
  });
}

describe.runIf(installed)("shared through Redis", () => {
  const rule = { limit: 10, windowMs: 60_000 };
  const limiters: RateLimiter[] = [];
  const logged: { level: string; fields: object; message: string }[] = [];
  const log = {
    info: (fields: object, message: string) => void logged.push({ level: "info", fields, message }),
    warn: (fields: object, message: string) => void logged.push({ level: "warn", fields, message }),
  };
  let port: number;
  let server: ChildProcess;
  let keys = 0;
  const newKey = () => `test:${++keys}`;

  async function startRedis() {
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--requirepass", "hunter2"];
    server = spawn("redis-server", flags, { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of server.stdout!) if (String(line).includes("Ready to accept connections")) break;
  }

  async function stopRedis() {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill("SIGKILL");
    await exit;
  }

  async function connected(url = `redis://:hunter2@127.0.0.1:${port}`): Promise<RateLimiter> {
    const limiter = createRateLimiter({ redisUrl: url, log });
    limiters.push(limiter);
    await expect.poll(() => limiter.healthy()).toBe(true);
    return limiter;
  }

  beforeAll(async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    port = (free.address() as AddressInfo).port;
    free.close();
    await once(free, "close");
    await startRedis();
  });
  // The clock stands still unless a test moves it; timers run, because Redis and its client need them.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(async () => {
    clock.reset();
    vi.useRealTimers();
    for (const limiter of limiters.splice(0)) await limiter.close();
    logged.length = 0;
  });
  afterAll(stopRedis);

  test("two nodes share one budget exactly, also when they ask at the same moment", async () => {
    const [one, two] = [await connected(), await connected()];
    const key = newKey();
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).take(key, { limit: 50, windowMs: 3_600_000 })),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(50);
    expect(await one.take(key, { limit: 50, windowMs: 3_600_000 })).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 72 });
  });

  test("the budget refills as time passes, and every key expires in Redis", async () => {
    const [one, two] = [await connected(), await connected()];
    const key = newKey();
    for (let i = 0; i < 10; i++) expect(await one.take(key, rule)).toMatchObject({ allowed: true, remaining: 9 - i });
    expect(await two.take(key, rule)).toMatchObject({ allowed: false, retryAfterSeconds: 6 });
    clock.advance(6_000);
    expect(await two.take(key, rule)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await one.take(key, rule)).toMatchObject({ allowed: false });

    const redis = new Redis(`redis://:hunter2@127.0.0.1:${port}`);
    const stored = await redis.keys("*");
    expect(stored.every((name) => name.startsWith("gatehouse:rl:"))).toBe(true);
    const lives = await Promise.all(stored.map((name) => redis.pttl(name)));
    expect(Math.min(...lives)).toBeGreaterThan(0);
    expect(Math.max(...lives)).toBeLessThanOrEqual(3_600_000);
    redis.disconnect();
  });

  test("a node whose clock is far ahead does not take the budget of the others away, and one a little ahead gives none", async () => {
    const [one, two] = [await connected(), await connected()];
    const short = { limit: 10, windowMs: 10_000 };
    const ahead = async (ms: number, key: string) => {
      clock.advance(ms);
      const verdicts = [];
      for (let i = 0; i < 11; i++) verdicts.push((await one.take(key, short)).allowed);
      clock.advance(-ms);
      return verdicts.filter(Boolean).length;
    };
    const key = newKey();
    expect(await ahead(90_000, key)).toBe(10);
    expect(await two.take(key, short)).toMatchObject({ allowed: true, remaining: 9 });
    const other = newKey();
    expect(await ahead(1_000, other)).toBe(10);
    expect(await two.take(other, short)).toMatchObject({ allowed: false });
  });

  test("the script and the process count alike", async () => {
    const shared = await connected();
    const local = createRateLimiter();
    const key = newKey();
    for (const wait of [0, 0, 5_999, 1, 0, 30_000, 0, 0, 120_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) {
      clock.advance(wait);
      const [a, b] = await Promise.all([shared.take(key, rule), local.take(key, rule)]);
      expect(a).toMatchObject({ allowed: b.allowed, remaining: b.remaining });
    }
  });

  test("counting goes on in process while Redis is down, and is shared again when Redis returns", async () => {
    const limiter = await connected();
    const key = newKey();
    for (let i = 0; i < 8; i++) await limiter.take(key, rule);
    expect(logged).toMatchObject([{ level: "info" }]);

    await stopRedis();
    const after = [];
    for (let i = 0; i < 5; i++) after.push((await limiter.take(key, rule)).allowed);
    expect(after).toEqual([true, true, false, false, false]);
    expect(await limiter.healthy()).toBe(false);
    expect(logged.map(({ level }) => level)).toEqual(["info", "warn"]);

    await startRedis();
    await expect.poll(() => limiter.healthy()).toBe(true);
    const other = await connected();
    const shared = newKey();
    for (let i = 0; i < 10; i++) await limiter.take(shared, rule);
    expect((await other.take(shared, rule)).allowed).toBe(false);
    expect(logged.map(({ level }) => level)).toEqual(["info", "warn", "info", "info"]);
  });

  test("a Redis that hangs is waited for once, not by every request, and is found again when it wakes", async () => {
    const limiter = await connected();
    const key = newKey();
    server.kill("SIGSTOP");
    try {
      expect((await limiter.take(key, rule)).allowed).toBe(true);
      expect(logged.at(-1)).toMatchObject({ level: "warn" });
      // More than could pass one by one if each waited for the command's time limit.
      for (let i = 0; i < 500; i++) await limiter.take(key, rule);
      expect((await limiter.take(key, rule)).allowed).toBe(false);
    } finally {
      server.kill("SIGCONT");
    }
    await expect
      .poll(async () => {
        clock.advance(1_000);
        await limiter.take(newKey(), rule);
        return logged.at(-1)?.level;
      })
      .toBe("info");
  });

  test("a Redis that was never there, or refuses the password, costs one warning without the password in it", async () => {
    for (const redisUrl of ["redis://:hunter3@127.0.0.1:1", `redis://:hunter3@127.0.0.1:${port}`]) {
      logged.length = 0;
      const limiter = createRateLimiter({ redisUrl, log });
      limiters.push(limiter);
      const verdicts = [];
      for (let i = 0; i < 12; i++) verdicts.push((await limiter.take("never", rule)).allowed);
      expect(verdicts.filter(Boolean)).toHaveLength(10);
      await expect.poll(() => logged.length).toBe(1);
      expect(await limiter.healthy()).toBe(false);
      expect(logged).toMatchObject([{ level: "warn" }]);
      expect(JSON.stringify(logged)).not.toContain("hunter3");
    }
  });
});
