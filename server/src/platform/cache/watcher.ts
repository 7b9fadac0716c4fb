import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { SECOND } from "../../kernel/clock.ts";
import type { Db } from "../db/index.ts";
import { CHANNEL, type RealmChanges } from "./realm-changes.ts";

interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

interface Options {
  readonly db: Db;
  /** A direct connection: a pooler in transaction mode would not deliver notifications. */
  readonly url: string;
  readonly changes: RealmChanges;
  readonly log: Log;
}

const POLL_EVERY = SECOND;
const RECONNECT_AFTER = SECOND;

/** Hears what other nodes change: by notification at once, and by polling each second should a notification be lost. */
export async function watchRealmChanges({ db, url, changes, log }: Options): Promise<{ close(): Promise<void> }> {
  const { default: pg } = await import("pg");
  const stop = new AbortController();

  /** Listens until the connection is lost. */
  const listen = async () => {
    const client = new pg.Client({ connectionString: url, application_name: "gatehouse listen", keepAlive: true });
    const lost = new Promise<Error | undefined>((resolve) => {
      client.on("error", resolve);
      client.on("end", () => resolve(undefined));
      stop.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    client.on("notification", ({ payload }) => changes.drop(payload || null));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch((endError: Error) => log.info({ err: endError }, "the connection did not end cleanly"));
      throw error;
    }
    // What changed while nobody listened is unknown: start from nothing.
    changes.drop(null);
    return async () => {
      const error = await lost;
      if (!stop.signal.aborted) log.warn({ err: error }, "lost the connection that hears of changes; reading everything anew");
      changes.drop(null);
      await client.end().catch((endError: Error) => log.info({ err: endError }, "the connection did not end cleanly"));
    };
  };
  const listenAgain = async (untilLost: () => Promise<void>) => {
    await untilLost();
    while (!stop.signal.aborted) {
      await setTimeout(RECONNECT_AFTER, undefined, { ref: false });
      await listen().then(
        (again) => again(),
        (error) => log.warn({ err: error }, "still cannot listen for changes; polling goes on"),
      );
    }
  };

  let horizon = "0";
  const poll = async () => {
    // Everything written by transactions that were still open at the last look, or began since.
    const { rows } = await sql<{ xmin: string; realm_id: string | null; version: number | null }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, v.realm_id, v.version
      from (select 1) one left join realm_versions v on v.xid >= ${horizon}::text::xid8`.execute(db);
    horizon = rows[0]?.xmin ?? horizon;
    for (const { realm_id, version } of rows) if (realm_id !== null && version !== null) changes.drop(realm_id, version);
  };

  const { rows } = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db);
  horizon = rows[0]?.xmin ?? horizon;
  const listening = listenAgain(await listen());
  let polling = Promise.resolve();
  const timer = setInterval(() => {
    polling = poll().catch((error) => log.warn({ err: error }, "could not poll for changed realms"));
  }, POLL_EVERY).unref();

  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await Promise.race([Promise.all([polling, listening]), setTimeout(RECONNECT_AFTER, undefined, { ref: false })]);
    },
  };
}
