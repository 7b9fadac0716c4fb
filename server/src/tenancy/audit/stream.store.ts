import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { AuditEvent } from "../../platform/unit-of-work.ts";
import { columns, type EventRow, toEvent } from "./store.ts";

/** The readers of the audit trail. Each has a row in `event_cursors`. */
export type StreamReader = "webhooks" | "forwarder";

/** A reader's position: transaction id and event id, because several events share a transaction. */
export interface Position {
  readonly xid: string;
  readonly eventId: string;
  readonly floorTs: number;
}

export interface StreamedEvent {
  readonly event: AuditEvent;
  readonly position: Position;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    event_cursors: {
      name: string;
      xid: string;
      event_id: string;
      floor_ts: number;
      locked_until: number;
      moved_at: number;
      last_error: string | null;
    };
  }
}

/**
 * Returns the next events after a position, in commit order. A transaction that is still open may commit with a lower number than later ones, so nothing at or
 * above the oldest open transaction is read. The rest is read next time, and no late commit is skipped. Beyond a position of another cluster (see `lockCursor`)
 * there are only restored events, which no transaction is writing.
 */
export async function readStream(db: Db, after: Position, limit: number): Promise<StreamedEvent[]> {
  // The text form has another name: otherwise `order by xid` would sort it as text, with 1000 before 999.
  const { rows } = await sql<EventRow & { number: string }>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, xid::text as number
    from audit_events
    where (xid, event_id) > (${after.xid}::text::xid8, ${after.eventId}::text::uuid)
      and xid < ${endOfStream(sql`${after.xid}::text::xid8`, "settled")}
      and ts >= ${after.floorTs}
    order by xid, event_id
    limit ${limit}`.execute(db);
  return rows.map((row) => ({ event: toEvent(row), position: { xid: row.number, eventId: row.event_id, floorTs: after.floorTs } }));
}

/** Tells whether no transaction of this cluster has had this number yet: then the row came with a dump from another cluster. */
export const foreign = (xid: RawBuilder<unknown>) => sql<boolean>`${xid} >= pg_snapshot_xmax(pg_current_snapshot())`;
const LAST_XID = sql.lit(String(2n ** 64n - 1n));

/** Returns where to stop reading: before the oldest open transaction or, for counting only, after the youngest one. */
export const endOfStream = (after: RawBuilder<unknown>, until: "settled" | "open"): RawBuilder<unknown> => {
  const end = until === "settled" ? sql`pg_snapshot_xmin(pg_current_snapshot())` : sql`pg_snapshot_xmax(pg_current_snapshot())`;
  return sql`case when ${foreign(after)} then ${LAST_XID}::xid8 else ${end} end`;
};

/** Locks the reader's cursor for this transaction. Returns null while another node has it. */
export async function lockCursor(tx: Tx, reader: StreamReader): Promise<Position | null> {
  const row = await tx
    .selectFrom("event_cursors")
    .select([sql<string>`xid::text`.as("xid"), "event_id", "floor_ts", foreign(sql.ref("xid")).as("is_foreign")])
    .where("name", "=", reader)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row) return null;
  const position = { xid: row.xid, eventId: row.event_id, floorTs: row.floor_ts };
  const stays = !row.is_foreign || (await readStream(tx, position, 1)).length > 0;
  return stays ? position : moveToThisCluster(tx, reader);
}

/**
 * Moves a cursor to this cluster. After a restore into another cluster, whose transactions begin with low numbers again, the cursor is ahead of everything that
 * will be written. Once the restored events beyond it have been read, it moves to the first event of this cluster. Restored events with numbers that are yet to
 * come were delivered before the restore: they are recognized because they are older than the last restored one.
 */
async function moveToThisCluster(tx: Tx, reader: StreamReader): Promise<Position> {
  const { rows } = await sql<{ xid: string; event_id: string; floor_ts: number }>`
    with restored as (
      select coalesce(max(ts) + 1, 0) as until from audit_events where ${foreign(sql.ref("xid"))}
    ), own as (
      select min(xid) as first from audit_events, restored
      where xid < pg_snapshot_xmax(pg_current_snapshot()) and ts >= restored.until and restored.until > 0
    )
    update event_cursors c
    set xid = coalesce(own.first, pg_snapshot_xmin(pg_current_snapshot())), event_id = '00000000-0000-0000-0000-000000000000',
      floor_ts = greatest(c.floor_ts, restored.until)
    from restored, own
    where c.name = ${reader}
    returning c.xid::text as xid, c.event_id, c.floor_ts`.execute(tx);
  const { xid, event_id: eventId, floor_ts: floorTs } = rows[0]!;
  return { xid, eventId, floorTs };
}

/** Moves the cursor, in the transaction that makes the move safe: it created deliveries, or an acknowledgement was received. */
export async function moveCursor(tx: Tx, reader: StreamReader, to: Position, now: number): Promise<void> {
  await sql`
    update event_cursors set xid = ${to.xid}::text::xid8, event_id = ${to.eventId}::text::uuid, moved_at = ${now}
    where name = ${reader}`.execute(tx);
}
