import { sql } from "kysely";
import { NO_ID } from "../../kernel/ids.ts";
import type { Db } from "../../platform/db/index.ts";
import { columns, type EventRow } from "./store.ts";
import type { Position } from "./stream.store.ts";

/** The number of events, of all realms, that one request reads. The next request reads the events after them. */
const SCANNED = 2_000;
export interface Scan {
  readonly rows: readonly EventRow[];
  /** The last event that was read, of any realm; null if all were read. */
  readonly stoppedAt: { readonly xid: string; readonly eventId: string } | null;
  /** The oldest transaction that was still open. Everything before it was read, unless `stoppedAt` is set. */
  readonly settled: string;
}

/** Returns the realm's events after a position, in commit order (see `readStream`). It is one statement, so that no event falls between two snapshots. */
export async function scanEvents(db: Db, realm: string, after: Position): Promise<Scan> {
  const { rows } = await sql<{ rows: EventRow[]; scanned: number; xid: string | null; event_id: string | null; settled: string }>`
    with scanned as materialized (
      select ${sql.join(columns.map((column) => sql.ref(column)))}, xid from audit_events
      where (xid, event_id) > (${after.xid}::text::xid8, ${after.eventId}::text::uuid)
        and xid < pg_snapshot_xmin(pg_current_snapshot()) and ts >= ${after.floorTs}
      order by xid, event_id limit ${sql.lit(SCANNED)}
    )
    select
      (select coalesce(json_agg(s order by s.xid, s.event_id), '[]') from scanned s where s.realm_id = ${realm}) as rows,
      (select count(*) from scanned) as scanned, last.xid::text as xid, last.event_id,
      pg_snapshot_xmin(pg_current_snapshot())::text as settled
    from (select 1) one left join (select xid, event_id from scanned order by xid desc, event_id desc limit 1) last on true`.execute(db);
  const { rows: events, scanned, xid, event_id: eventId, settled } = rows[0]!;
  return { rows: events, stoppedAt: scanned < SCANNED ? null : { xid: xid!, eventId: eventId! }, settled };
}

/** Returns the current end of the trail. */
export async function endOfTrail(db: Db, floorTs: number): Promise<Position> {
  const { rows } = await sql<{ settled: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as settled`.execute(db);
  return { xid: rows[0]!.settled, eventId: NO_ID, floorTs };
}
