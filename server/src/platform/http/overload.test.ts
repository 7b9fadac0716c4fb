import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { type App, createServer } from "./server.ts";

let app: App | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

const OVERLOADED = { status: 503, retryAfter: "2", code: "server.overloaded" };

async function serve(load: { maxInFlight: number; maxLoopDelayMs: number }) {
  app = createServer({ logger: pino({ level: "silent" }), trustProxy: false, secure: false, load });
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  app.get("/slow", async () => {
    await held;
    return { done: true };
  });
  app.get("/fast", async () => ({ done: true }));
  app.get("/probe", { config: { servedAlways: true } }, async () => ({ up: true }));
  const base = await app.listen({ port: 0, host: "127.0.0.1" });
  const get = async (path: string) => {
    const response = await fetch(base + path);
    const body = (await response.json()) as { code?: string };
    return { status: response.status, retryAfter: response.headers.get("retry-after"), code: body.code };
  };
  return { get, base, finish };
}

test("more requests than are allowed at once are refused with a time to come again; probes are served", async () => {
  const { get, finish } = await serve({ maxInFlight: 2, maxLoopDelayMs: 0 });
  const slow = [get("/slow"), get("/slow")];
  await expect.poll(() => get("/fast")).toEqual(OVERLOADED);
  expect((await get("/probe")).status).toBe(200);
  expect((await get("/nowhere")).status).toBe(503);
  finish();
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
  await expect.poll(async () => (await get("/fast")).status).toBe(200);
});

test("a caller who disconnects leaves the place to others", async () => {
  const { get, base } = await serve({ maxInFlight: 1, maxLoopDelayMs: 0 });
  const leaving = new AbortController();
  const slow = fetch(`${base}/slow`, { signal: leaving.signal }).catch(() => "gone");
  await expect.poll(() => get("/fast")).toEqual(OVERLOADED);
  leaving.abort();
  expect(await slow).toBe("gone");
  await expect.poll(async () => (await get("/fast")).status).toBe(200);
});

test("while the event loop runs late requests are refused, and served again once it keeps up", async () => {
  const { get } = await serve({ maxInFlight: 0, maxLoopDelayMs: 100 });
  const status = async () => (await get("/fast")).status;
  await expect.poll(status).toBe(200);
  const late = () => {
    const until = performance.now() + 1500;
    while (performance.now() < until); // nothing else runs meanwhile
    return get("/fast");
  };
  await expect.poll(late).toEqual(OVERLOADED);
  expect((await get("/probe")).status).toBe(200);
  await expect.poll(status).toBe(200);
});
