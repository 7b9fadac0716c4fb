import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { SECOND } from "../../kernel/clock.ts";
import { addressOf, connectDirectly } from "./hosts.ts";
import { DatabaseUnavailable, isDatabaseUnavailable } from "./unavailable.ts";

const PROBE_MS = 3 * SECOND;
const AGAIN_MS = 500;
/** An unchanged reason is logged again after this time. */
const REMIND_MS = 10 * SECOND;

export interface Awaited {
  readonly url: string;
  /** The name of the setting that holds the URL. */
  readonly setting: string;
}

export interface Waiting {
  readonly withinMs: number;
  /** The name of the setting that limits the wait. */
  readonly limitedBy: string;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * Waits until the database answers and accepts writes. A fault that waiting cannot mend (a wrong password, a database that does not exist) is thrown at once.
 */
export async function awaitPostgres({ url, setting }: Awaited, { withinMs, limitedBy, log }: Waiting): Promise<void> {
  const host = addressOf(url).names.join(", ");
  const began = performance.now();
  let logged = { reason: "", at: 0 };
  for (;;) {
    const error = await probe(url);
    if (error === null) return;
    const reason = reasonOf(error);
    if (!isPassing(error)) throw new Error(`The database cannot be used: ${host} (${setting}): ${reason}`, { cause: error });
    const waited = performance.now() - began;
    if (waited + AGAIN_MS > withinMs) {
      const seconds = Math.round(withinMs / SECOND);
      throw new Error(`The database was not available within ${seconds} s (${limitedBy}): ${host} (${setting}): ${reason}`, {
        cause: error,
      });
    }
    if (logged.reason !== reason || waited - logged.at >= REMIND_MS) {
      log.warn({ host, setting, reason, givesUpInSeconds: Math.round((withinMs - waited) / SECOND) }, "waiting for the database");
      logged = { reason, at: waited };
    }
    await sleep(AGAIN_MS);
  }
}

async function probe(url: string): Promise<Error | null> {
  try {
    const client = await connectDirectly(url, {
      ...{ application_name: "gatehouse start", connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS },
    });
    try {
      const { rows } = await client.query("select pg_is_in_recovery() as standby");
      return rows[0].standby ? new DatabaseUnavailable("it is a standby, which takes no writes") : null;
    } finally {
      await client.end().catch(() => {}); // the probe has its answer
    }
  } catch (error) {
    return error as Error;
  }
}

/** Errors that pass with time: the host, the network or the server is not available yet. */
const SOCKET = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN"],
  ...["ENOTFOUND", "EAI_AGAIN", "ENOENT"],
]);

function isPassing(error: Error): boolean {
  const { code } = error as { code?: unknown };
  if (error instanceof pg.DatabaseError) return isDatabaseUnavailable(error);
  // An error without a code means that the server gave no answer in time, or closed the connection.
  return error instanceof DatabaseUnavailable && (code === undefined || SOCKET.has(String(code)));
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name cannot be resolved now",
  ENOENT: "there is no such socket",
};

/** Describes the error. A socket error's own message is not used, because it may contain configured values. */
function reasonOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && SOCKET.has(code)) return WORDS[code] ?? code;
  return error.message;
}
