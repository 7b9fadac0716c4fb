import { sql } from "kysely";
import { clock, DAY } from "../../kernel/clock.ts";
import { NO_ID } from "../../kernel/ids.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import { type Db, inTransaction, type Tx } from "../../platform/db/index.ts";
import { enqueue } from "../../platform/jobs/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { type Settings, settingsOf } from "../settings/index.ts";
import type { StreamReader } from "./stream.store.ts";

export const RETENTION_JOB = "audit.retention";
const BATCH = 5_000;
/** The daily job creates its successor, and an outage of days must not end this chain. */
const MAX_ATTEMPTS = 1_000;

/** Handles `settings.changed`: a changed retention is applied immediately, and then once a day. */
export async function scheduleRetention(ctx: Ctx, { settings, before }: { settings: Settings; before: Settings }): Promise<void> {
  const { retentionDays } = settings.audit;
  if (retentionDays === null || retentionDays === before.audit.retentionDays) return;
  await enqueueRun(ctx.tx, ctx.realm, "now", ctx.now, ctx.now);
}

/** Enqueues a run. The dedupe key contains the day, so however many runs today has, tomorrow has one. */
const enqueueRun = (tx: Tx, realm: string, day: string, runAt: number, now: number) =>
  enqueue(tx, { kind: RETENTION_JOB, realm, payload: { realm }, dedupeKey: `${realm} ${day}`, runAt, maxAttempts: MAX_ATTEMPTS }, now);

/** Deletes expired events in batches, and enqueues itself for the next day. It ends when the realm has no retention. */
export async function applyRetention({ db, work }: { db: Db; work: UnitOfWork }, realm: string): Promise<void> {
  const stored = await settingsOf(db, realm);
  const days = stored?.settings.audit.retentionDays ?? null;
  if (days === null) return;
  const before = clock.now() - days * DAY;
  let from: Key | null = { ts: 0, eventId: NO_ID };
  while (from !== null) from = await deleteBatch(work, realm, from, before);
  const tomorrow = clock.now() + DAY;
  await inTransaction(db, (tx) => enqueueRun(tx, realm, new Date(tomorrow).toISOString().slice(0, 10), tomorrow, clock.now()));
}

interface Key {
  readonly ts: number;
  readonly eventId: string;
}
/** Deletes the expired ones of the next few thousand events, and records that. Returns where to continue, or null at the end. */
function deleteBatch(work: UnitOfWork, realm: string, from: Key, before: number): Promise<Key | null> {
  return work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
    const to = await endOfBatch(ctx.tx, realm, from, before);
    if (!to) return null;
    const count = await deleteBetween(ctx.tx, realm, from, to, before);
    if (count > 0) {
      const detail = `retention: deleted ${count} events from before ${new Date(before).toISOString()}`;
      ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "events", detail });
    }
    return to;
  });
}

async function endOfBatch(tx: Tx, realm: string, from: Key, before: number): Promise<Key | null> {
  const { rows } = await sql<{ ts: number; event_id: string }>`
    select ts, event_id from (
      select ts, event_id from audit_events
      where realm_id = ${realm} and (ts, event_id) > (${from.ts}, ${from.eventId}::text::uuid) and ts < ${before}
      order by ts, event_id limit ${BATCH}
    ) batch order by ts desc, event_id desc limit 1`.execute(tx);
  return rows[0] ? { ts: rows[0].ts, eventId: rows[0].event_id } : null;
}

/** An SQL condition: a reader (or the reader of this name) has not read event `e` yet. */
const isUnread = (name?: StreamReader) => sql<boolean>`exists (
  select 1 from event_cursors c
  where (e.xid, e.event_id) > (c.xid, c.event_id) and e.ts >= c.floor_ts ${name === undefined ? sql`` : sql`and c.name = ${name}`})`;

/** Tells whether events of the realm wait to be forwarded. */
export async function hasUnforwarded(db: Db, realm: string): Promise<boolean> {
  const { rows } = await sql`select 1 from audit_events e where e.realm_id = ${realm} and ${isUnread("forwarder")} limit 1`.execute(db);
  return rows.length > 0;
}

/** Deletes events, except those that a reader has not read yet, and those of unfinished deliveries. */
async function deleteBetween(tx: Tx, realm: string, from: Key, to: Key, before: number): Promise<number> {
  await sql`select set_config('gatehouse.maintenance', 'retention', true)`.execute(tx);
  const { numAffectedRows } = await sql`
    delete from audit_events e
    where e.realm_id = ${realm} and e.ts < ${before}
      -- The time is compared alone as well: from the pairs only, the planner would expect a third of the table.
      and e.ts >= ${from.ts} and e.ts <= ${to.ts}
      and (e.ts, e.event_id) > (${from.ts}, ${from.eventId}::text::uuid) and (e.ts, e.event_id) <= (${to.ts}, ${to.eventId}::text::uuid)
      and not ${isUnread()}
      and not exists (
        select 1 from webhooks w
        join webhook_deliveries d on d.realm_id = w.realm_id and d.webhook_id = w.webhook_id and d.status = 'PENDING'
        where w.realm_id = e.realm_id and d.event_id = e.event_id
      )`.execute(tx);
  await sql`select set_config('gatehouse.maintenance', '', true)`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
