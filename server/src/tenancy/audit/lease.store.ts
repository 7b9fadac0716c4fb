import { sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { endOfStream, foreign, type Position } from "./stream.store.ts";

// The forwarder's lease of its cursor. Between reading events and advancing the cursor, the forwarder waits for another server. A transaction may not do that,
// so the row is held until a time (`locked_until`) instead of by a lock. The end identifies the hold.

export interface ForwarderCursor {
  readonly position: Position;
  readonly lockedUntil: number;
  readonly movedAt: number;
  readonly lastError: string | null;
  /** True if the cursor came with a dump, and has to find its position in this cluster. */
  readonly isForeign: boolean;
}

/** Creates a cursor at the oldest transaction that is still open, so that everything that commits from now on comes after it. */
export async function createForwarderCursor(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into event_cursors (name, xid, event_id)
    values ('forwarder', pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000')
    on conflict (name) do nothing`.execute(db);
  return numAffectedRows === 1n;
}

export async function removeForwarderCursor(db: Db): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("event_cursors").where("name", "=", "forwarder").executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findForwarderCursor(db: Db): Promise<ForwarderCursor | null> {
  const row = await db
    .selectFrom("event_cursors")
    .select([sql<string>`xid::text`.as("xid"), "event_id", "floor_ts", "locked_until", "moved_at", "last_error"])
    .select(foreign(sql.ref("xid")).as("is_foreign"))
    .where("name", "=", "forwarder")
    .executeTakeFirst();
  if (!row) return null;
  const position = { xid: row.xid, eventId: row.event_id, floorTs: row.floor_ts };
  return { position, lockedUntil: row.locked_until, movedAt: row.moved_at, lastError: row.last_error, isForeign: row.is_foreign };
}

/** Takes the lease, or extends the one that ends at `held`, if the cursor is unchanged. */
export async function takeHold(db: Db, at: Position, held: number, until: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update event_cursors set locked_until = ${until}
    where name = 'forwarder' and xid = ${at.xid}::text::xid8 and event_id = ${at.eventId}::text::uuid
      and (locked_until <= ${clock.shared()} or locked_until = ${held})`.execute(db);
  return numAffectedRows === 1n;
}

/** Moves the cursor after an acknowledgement. Returns false if another node has taken over, which will send the same events again. */
export async function moveHeldCursor(db: Db, to: Position, held: number, now: number, until: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update event_cursors
    set xid = ${to.xid}::text::xid8, event_id = ${to.eventId}::text::uuid, moved_at = ${now}, locked_until = ${until}, last_error = null
    where name = 'forwarder' and locked_until = ${held}`.execute(db);
  return numAffectedRows === 1n;
}

/** Keeps the hold through the wait for the next try, so that several nodes do not try in turn. */
export async function noteFailure(db: Db, held: number, until: number, error: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update event_cursors set locked_until = ${until}, last_error = ${error}
    where name = 'forwarder' and locked_until = ${held}`.execute(db);
  return numAffectedRows === 1n;
}

export async function letGo(db: Db, held: number): Promise<void> {
  await sql`update event_cursors set locked_until = 0 where name = 'forwarder' and locked_until = ${held}`.execute(db);
}

/** The limit of the count. It is enough to show that the forwarder is stuck; a larger count would be too expensive. */
const LAG_COUNTED = 10_000;

/** Returns the number of events behind the cursor, up to `LAG_COUNTED`, and how long the first of them has waited. */
export async function forwarderLag(db: Db, now: number): Promise<{ waiting: number; oldestMs: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    select count(*) as waiting, (array_agg(ts order by xid, event_id))[1] as oldest
    from (
      select e.ts, e.xid, e.event_id from event_cursors c
      join audit_events e on (e.xid, e.event_id) > (c.xid, c.event_id) and e.ts >= c.floor_ts and e.xid < ${endOfStream(sql.ref("c.xid"), "open")}
      where c.name = 'forwarder' order by e.xid, e.event_id limit ${LAG_COUNTED}
    ) waiting`.execute(db);
  const { waiting = 0, oldest = null } = rows[0] ?? {};
  return { waiting, oldestMs: oldest === null ? 0 : Math.max(0, now - oldest) };
}
