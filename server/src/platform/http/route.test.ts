import pino from "pino";
import Type from "typebox";
import { afterAll, expect, test } from "vitest";
import { callRoute, route } from "./route.ts";
import { createServer } from "./server.ts";

const app = createServer({ logger: pino({ level: "silent" }), trustProxy: false, secure: false });
afterAll(() => app.close());

test("a route with a misspelled option keeps the server from starting, also where the option comes from another object", () => {
  const limited = { bodyLimits: 10 };
  const declare = () => route(app, "POST", "/limited", { ...limited, handler: async () => ({}) });
  expect(declare).toThrow("POST /limited: a route has no option bodyLimits");
  const answered = { answers: Type.Null() };
  const read = async () => null;
  expect(() => callRoute(app, "GET", "/answered", { ...answered, read })).toThrow("GET /answered: a route has no option answers");
});

test("a route without a call, or with two, keeps the server from starting", () => {
  const call = async () => null;
  expect(() => callRoute(app, "GET", "/idle", {})).toThrow("GET /idle: the route needs a call, by read or by transact");
  expect(() => callRoute(app, "GET", "/both", { read: call, transact: call })).toThrow("GET /both: the route needs a call");
});
