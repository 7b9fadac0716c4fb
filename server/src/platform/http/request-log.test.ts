import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import { expect, test } from "vitest";
import { requestLog } from "./request-log.ts";

test("the log of a request names it, and is made when it has something to say", () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: "info", base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  let made = 0;
  const child: FastifyBaseLogger["child"] = (...given) => {
    made++;
    return logger.child(...given) as FastifyBaseLogger;
  };
  const log = requestLog({ child } as FastifyBaseLogger, { requestId: "r-1" }, {});
  expect([made, lines]).toEqual([0, []]);
  log.info({ status: 200 }, "answered");
  log.debug("not at this level");
  log.error("failed");
  log.child({ traceId: "t-1" }).warn("slow");
  expect([made, log.level]).toEqual([1, "info"]);
  expect(lines).toEqual([
    { level: 30, requestId: "r-1", status: 200, msg: "answered" },
    { level: 50, requestId: "r-1", msg: "failed" },
    { level: 40, requestId: "r-1", traceId: "t-1", msg: "slow" },
  ]);
});
