import { loadConfig } from "../config.ts";
import { type Command, UsageError } from "./command.ts";
import { localUrl, probe } from "./probe.ts";

const DEFAULT_TIMEOUT_MS = 3000;

/** Serves the health check of a container: the exit code is 0 if the server on this machine is ready. */
export const run: Command = async (call) => {
  const url = `${localUrl(loadConfig({ flags: call.options }))}/readyz`;
  const answer = await probe(url, timeout(call.options.timeout));
  const ready = "status" in answer && answer.status === 200;
  const reason = "failure" in answer ? answer.failure : `it answered ${answer.status}`;
  call.print({ ready, url, ...answer }, ready ? `Ready: ${url}` : `Not ready: ${url}: ${reason}`);
  return ready ? 0 : 1;
};

function timeout(given: string | boolean | undefined): number {
  if (given === undefined) return DEFAULT_TIMEOUT_MS;
  const ms = /^\d{1,6}$/.test(String(given)) ? Number(given) : 0;
  if (ms < 1) throw new UsageError(`--timeout takes milliseconds from 1 to 999999, got "${given}".`, "healthcheck");
  return ms;
}
