import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type App, createServer, documentOf, publish } from "./index.ts";

const document = documentOf({ name: "Zoë", sign: "€" });
let app: App;
let origin: string;
let early: string[];
let found: string[];
let draining: boolean;
const logger = pino({ level: "info" }, { write: () => undefined });

beforeEach(async () => {
  [early, found, draining] = [[], [], false];
  logger.level = "info";
  app = createServer({ logger, trustProxy: false, secure: true, onEarlyAnswer: (route) => early.push(route), isDraining: () => draining });
  app.get("/realms/:realm/paper", {
    ...publish({
      known: (realm) => (realm === "warm" ? document : undefined),
      async find(realm) {
        found.push(realm);
        return document;
      },
    }),
  });
  app.get("/realms/:realm/other", async () => ({ ok: true }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(() => app.close());

const ask = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(origin + path, init);
  const all: Record<string, string> = {};
  answer.headers.forEach((value, name) => {
    all[name] = value;
  });
  const { "x-request-id": id, date: _date, ...headers } = all;
  return { status: answer.status, id, headers, text: await answer.text() };
};

test("a document that is at hand is answered as its route would, under its own id", async () => {
  const [first, second, routed] = [await ask("/realms/warm/paper"), await ask("/realms/warm/paper"), await ask("/realms/cold/paper")];
  expect([early, found]).toEqual([["/realms/:realm/paper", "/realms/:realm/paper"], ["cold"]]);
  expect({ ...first, id: "" }).toEqual({ ...routed, id: "" });
  expect(JSON.parse(first.text)).toEqual({ name: "Zoë", sign: "€" });
  expect(first.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "public, max-age=60",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "strict-transport-security": expect.stringContaining("max-age"),
    etag: document.etag,
  });
  for (const { id } of [first, second, routed]) expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(new Set([first.id, second.id, routed.id]).size).toBe(3);
});

test.each<[what: string, path: string, init: RequestInit, status: number]>([
  ["the tag that the caller knows", "/realms/warm/paper", { headers: { "if-none-match": document.etag } }, 304],
  ["a trace", "/realms/warm/paper", { headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` } }, 200],
  ["another method", "/realms/warm/paper", { method: "HEAD" }, 200],
  ["a query", "/realms/warm/paper?x=1", {}, 200],
])("a request with %s is routed", async (_what, path, init, status) => {
  expect((await ask(path, init)).status).toBe(status);
  expect([early, found]).toEqual([[], ["warm"]]);
});

test("and so is every other, and all of them while the server drains or logs at debug", async () => {
  expect((await ask("/realms/warm/other")).text).toBe('{"ok":true}');
  for (const path of ["/realms/warm/nothing", "/realms/warm", "/realms//paper/x"]) expect((await ask(path)).status).toBe(404);
  draining = true;
  await ask("/realms/warm/paper");
  draining = false;
  logger.level = "debug";
  await ask("/realms/warm/paper");
  expect([early, found]).toEqual([[], ["warm", "warm"]]);
});

test("a request that names two hosts is refused, also for such a document", async () => {
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET /realms/warm/paper HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n");
  expect((await text(socket)).split("\r\n", 1)[0]).toBe("HTTP/1.1 400 Bad Request");
});
