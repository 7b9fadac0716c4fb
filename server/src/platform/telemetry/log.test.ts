import { expect, test } from "vitest";
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

test("what is no error stays as it is", () => {
  const [text, object] = logged((log) => {
    log.warn("just %s", "words");
    log.warn({ err: "a text", count: 1 }, "words");
  });
  expect([text!.record.msg, object!.record]).toMatchObject(["just words", { err: "a text", count: 1 }]);
});
