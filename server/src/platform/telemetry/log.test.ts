import { afterEach, expect, test, vi } from "vitest";
import { DatabaseUnavailable } from "../db/index.ts";
import { createLog } from "./log.ts";

function logged(write: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = [];
  write(createLog("debug", { write: (line: string) => void lines.push(line) }));
  return lines.map((line) => ({ line, record: JSON.parse(line) }));
}

const failure = () => {
  const cause = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  return Object.assign(new Error("could not send", { cause }), { code: "E_SEND", inner: new Error("inside") });
};

test.each(["warn", "info", "debug"] as const)("a %s line reports an error's message and code, and no stack", (level) => {
  const all = logged((log) => {
    log[level]({ err: failure(), realm: "acme" }, "it failed");
    log.child({ reqId: "1" })[level]({ err: failure() }, "it failed");
    log[level](failure());
    log[level]({ err: new AggregateError([failure(), failure()], "both") }, "it failed");
  });
  for (const { line } of all) expect(line).not.toMatch(/"stack"|\bat \S+ \(|log\.test\.ts/);
  expect(all[0]!.record).toMatchObject({
    level,
    msg: "it failed",
    realm: "acme",
    err: { type: "Error", message: "could not send: connection refused", code: "E_SEND", inner: { message: "inside" } },
  });
  expect(all[2]!.record).toMatchObject({ msg: "could not send", err: { code: "E_SEND" } });
});

test.each(["error", "fatal"] as const)("a line of the level %s has the stack", (level) => {
  const [one] = logged((log) => log[level]({ err: failure() }, "it failed"));
  expect(one!.record.err.stack).toContain("log.test.ts");
});

test("a value that is no error stays as it is", () => {
  const [text, object] = logged((log) => {
    log.warn("just %s", "words");
    log.warn({ err: "a text", count: 1 }, "words");
  });
  expect([text!.record.msg, object!.record]).toMatchObject(["just words", { err: "a text", count: 1 }]);
});

afterEach(() => void vi.useRealTimers());

test("while the database is unavailable each cause is one line without stacks, and then a number", () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const log = createLog("debug", { write: (line: string) => void lines.push(line) });
  const refused = () =>
    new DatabaseUnavailable("connect ECONNREFUSED 127.0.0.1:5432", Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  for (let n = 0; n < 1_000; n++) log.child({ reqId: n }).error({ err: refused(), code: "server.database_unavailable" }, "request failed");
  for (let n = 0; n < 10; n++) log.warn({ err: refused() }, "could not poll");
  log.error({ err: Object.assign(new Error("terminating connection"), { code: "57P01" }) }, "request failed");
  log.error({ err: new Error("a bug") }, "request failed");
  const told = () => lines.splice(0).map((line) => JSON.parse(line));
  const first = told();
  expect(first.map(({ msg, err }) => [msg, err.code])).toEqual([
    ["request failed", "ECONNREFUSED"],
    ["could not poll", "ECONNREFUSED"],
    ["request failed", "57P01"],
    ["request failed", undefined],
  ]);
  expect(first.map(({ err }) => "stack" in err)).toEqual([false, false, false, true]);
  vi.advanceTimersByTime(10_000);
  expect(told()).toMatchObject([
    { level: "error", times: 999, seconds: 10, msg: expect.stringContaining("request failed") },
    { level: "warn", times: 9, msg: expect.stringContaining("could not poll") },
  ]);
  log.warn({ err: refused() }, "could not poll");
  expect(lines, "still counted").toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(told()).toMatchObject([{ times: 1 }]);
  log.warn({ err: refused() }, "could not poll");
  expect(told(), "a new outage").toHaveLength(1);
});
