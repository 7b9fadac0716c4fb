import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { clock, MUCH_SKEW, SECOND } from "../../kernel/clock.ts";
import { assertWritable, connectDirectly, type Db, type Outages } from "../db/index.ts";
import { createLoop } from "../loop.ts";
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
  readonly outages: Outages;
  readonly log: Log;
  readonly reconnectAfter?: number;
}

const POLL_EVERY = SECOND;
const TIMEOUT = 5 * SECOND;
const TIME = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Listens for changes by other nodes: by notifications, and by a poll each second in case a notification is lost. */
export async function watchRealmChanges({
  db,
  url,
  changes,
  outages,
  log,
  reconnectAfter = SECOND,
}: Options): Promise<{ close(): Promise<void> }> {
  let isClosed = false;
  /** Gives up the present connection of the listener. */
  let giveUp: (error?: Error) => void = () => {};

  /** Resolves once the connection listens. The result is a function that waits until the connection is lost. */
  const listen = async () => {
    const client = await connectDirectly(url, {
      application_name: "gatehouse listen",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      connectionTimeoutMillis: TIMEOUT,
      query_timeout: TIMEOUT,
    });
    const lost = new Promise<Error | undefined>((resolve) => {
      giveUp = resolve;
      client.on("error", resolve);
      client.on("end", () => resolve(undefined));
    });
    client.on("notification", ({ payload }) => changes.drop(payload || null));
    // The socket is destroyed without a goodbye, because a goodbye on a dead connection would wait for an answer.
    const hangUp = () => (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      hangUp();
      throw error;
    }
    // Changes during the gap are unknown, so everything is dropped.
    changes.drop(null);
    return async () => {
      const error = await lost;
      if (!isClosed) log.warn({ err: error }, "lost the connection that listens for changes; everything is read again");
      changes.drop(null);
      hangUp();
    };
  };
  const listenAgain = async (untilLost: () => Promise<void>) => {
    await untilLost();
    while (!isClosed) {
      await setTimeout(reconnectAfter, undefined, { ref: false });
      if (isClosed) return;
      await listen().then(
        (untilLostAgain) => {
          if (isClosed) giveUp();
          return untilLostAgain();
        },
        (error) => log.warn({ err: error }, "still cannot listen for changes; polling continues"),
      );
    }
  };

  let isApart = false;
  /** Warns if the clocks differ. `now` is the database's time during a query that took `tookMs` and has just ended. */
  const compareClocks = (now: number, tookMs: number) => {
    const seconds = Math.round(Math.max(0, Math.abs(clock.now() - now) - tookMs) / SECOND);
    // A slow answer says little about the time of its arrival.
    if (tookMs < SECOND) clock.share(seconds > MUCH_SKEW / SECOND ? now : null);
    if (seconds > MUCH_SKEW / SECOND === isApart) return;
    isApart = !isApart;
    if (isApart) log.warn({ seconds }, "the clocks of this node and the database differ: keep both right with NTP");
    else log.info({}, "the clocks of this node and the database agree again");
  };

  let horizon = "0";
  const poll = async () => {
    const began = performance.now();
    // Selects what was written by transactions that were still open at the last poll, or began since. Every row of this cluster was written below xmax: a
    // higher number came with a dump of another cluster, and stays until the realm is changed here.
    const { rows } = await sql<{ xmin: string; now: number; realm_id: string | null; version: number | null }>`
      with writable as (${assertWritable})
      select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, ${TIME} as now,
        v.realm_id, v.version
      from (select 1) one left join writable on true left join realm_versions v
        on v.xid >= ${horizon}::text::xid8 and v.xid < pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
    horizon = rows[0]?.xmin ?? horizon;
    compareClocks(rows[0]?.now ?? clock.now(), performance.now() - began);
    for (const { realm_id, version } of rows) if (realm_id !== null && version !== null) changes.drop(realm_id, version);
    changes.confirm(began);
    outages.heard();
    return false;
  };

  const began = performance.now();
  const { rows } = await sql<{ xmin: string; now: number }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, ${TIME} as now`.execute(db);
  horizon = rows[0]?.xmin ?? horizon;
  // Before the first work is taken.
  compareClocks(rows[0]?.now ?? clock.now(), performance.now() - began);
  const listening = listenAgain(await listen());
  changes.confirm(began);
  outages.heard();
  const polling = createLoop(poll, POLL_EVERY, (err) => {
    log.warn({ err }, "could not poll for changed realms");
    // If the poll fails, notifications may be lost as well.
    giveUp(err as Error);
  });
  polling.start();

  return {
    async close() {
      isClosed = true;
      giveUp();
      await Promise.race([Promise.all([polling.stop(), listening]), setTimeout(SECOND, undefined, { ref: false })]);
    },
  };
}
