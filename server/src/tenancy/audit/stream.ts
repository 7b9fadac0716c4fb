import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { AuditEvent } from "../../platform/unit-of-work.ts";
import { columns, type EventRow, toEvent } from "./store.ts";

/** Who reads the trail to send it on. Each has a row of its own in `event_cursors`. */
export type StreamReader = "webhooks" | "forwarder";

/** Where a reader stands. Both halves together: several events share a transaction. */
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
    event_cursors: { name: string; xid: string; event_id: string; floor_ts: number; locked_until: number; moved_at: number };
  }
}

/**
 * The next events after a position, in commit order. A transaction that is still open may yet commit with a lower number than
 * later ones, so nothing at or above the oldest open transaction is read: what is passed over now comes next time, and no late
 * commit is skipped.
 */
export async function readStream(db: Db, after: Position, limit: number): Promise<StreamedEvent[]> {
  const { rows } = await sql<EventRow & { xid: string }>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, xid::text as xid
    from audit_events
    where (xid, event_id) > (${after.xid}::text::xid8, ${after.eventId}::text::uuid)
      and xid < pg_snapshot_xmin(pg_current_snapshot())
      and ts >= ${after.floorTs}
    order by xid, event_id
    limit ${limit}`.execute(db);
  return rows.map((row) => ({ event: toEvent(row), position: { xid: row.xid, eventId: row.event_id, floorTs: after.floorTs } }));
}

/** Takes the reader's cursor for this transaction; null while another node has it. */
export async function lockCursor(tx: Tx, reader: StreamReader): Promise<Position | null> {
  const row = await tx
    .selectFrom("event_cursors")
    .select([sql<string>`xid::text`.as("xid"), "event_id", "floor_ts"])
    .where("name", "=", reader)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row ? { xid: row.xid, eventId: row.event_id, floorTs: row.floor_ts } : null;
}

/** In the transaction that made the move safe: deliveries created, or an acknowledgement received. */
export async function moveCursor(tx: Tx, reader: StreamReader, to: Position, now: number): Promise<void> {
  await sql`
    update event_cursors set xid = ${to.xid}::text::xid8, event_id = ${to.eventId}::text::uuid, moved_at = ${now}
    where name = ${reader}`.execute(tx);
}
