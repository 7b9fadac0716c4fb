import { type Generated, type Selectable, sql } from "kysely";
import { DAY } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { type Db, deleteInBatches, type Tx } from "../../platform/db/index.ts";
import { listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { Delivery, DeliveryQuery, DeliveryStatus } from "./schema.ts";

interface DeliveriesTable {
  realm_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  event_ts: number;
  event_type: string;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_at: number;
  locked_until: Generated<number>;
  answer_status: number | null;
  answer: string | null;
  error: string | null;
  latency_ms: number | null;
  created_at: number;
  ended_at: number | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    webhook_deliveries: DeliveriesTable;
  }
}

const columns = [
  "webhook_id",
  "delivery_id",
  "event_id",
  "event_type",
  "status",
  "attempts",
  "next_at",
  "answer_status",
  "answer",
  "error",
  "latency_ms",
  "created_at",
  "ended_at",
] as const;
type Columns = Pick<Selectable<DeliveriesTable>, (typeof columns)[number]>;

// Ids follow the order of time, so the primary key is the order of creation.
const order = listOrder("-createdAt", { createdAt: "delivery_id" }, "delivery_id");

export async function listDeliveries(db: Db, realm: string, webhookId: string, query: DeliveryQuery): Promise<Page<Delivery>> {
  const { search, status, eventType, ...page } = query;
  const base = db
    .selectFrom("webhook_deliveries")
    .select(columns)
    .where("realm_id", "=", realm)
    .where("webhook_id", "=", webhookId)
    .$if(status !== undefined, (q) => q.where("status", "=", status!))
    .$if(eventType !== undefined, (q) => q.where("event_type", "=", eventType!))
    .$if(search !== undefined && search !== "", (q) =>
      isId(search!)
        ? q.where((eb) => eb.or([eb("delivery_id", "=", search!), eb("event_id", "=", search!)]))
        : q.where(sql<boolean>`false`),
    );
  const found = await pageOf(db, base, order, page);
  return { ...found, rows: found.rows.map(toDelivery) };
}

/** Resets a delivery, so that it is sent immediately. Returns null if there is no such delivery. A running attempt loses its lease. */
export async function resetDelivery(
  tx: Tx,
  realm: string,
  webhookId: string,
  deliveryId: string,
  now: number,
): Promise<{ delivery: Delivery; eventKept: boolean } | null> {
  const row = await tx
    .updateTable("webhook_deliveries")
    .set({ status: "PENDING", attempts: 0, next_at: now, locked_until: 0, ended_at: null })
    .where("realm_id", "=", realm)
    .where("webhook_id", "=", webhookId)
    .where("delivery_id", "=", deliveryId)
    .returning([...columns, "event_ts"])
    .executeTakeFirst();
  if (!row) return null;
  const { rows: kept } = await sql`
    select 1 from audit_events where realm_id = ${realm} and ts = ${row.event_ts} and event_id = ${row.event_id}::text::uuid`.execute(tx);
  return { delivery: toDelivery(row), eventKept: kept.length > 0 };
}

export interface NewDelivery {
  readonly realm: string;
  readonly webhook: string;
  readonly id: string;
  readonly event: string;
  readonly ts: number;
  readonly type: string;
}

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: number): Promise<void> {
  await sql`
    insert into webhook_deliveries (realm_id, webhook_id, delivery_id, event_id, event_ts, event_type, next_at, created_at)
    select n.realm, n.webhook, n.id, n.event, n.ts, n.type, ${now}::bigint, ${now}::bigint
    from json_to_recordset(${JSON.stringify(deliveries)}::text::json)
      as n (realm text, webhook uuid, id uuid, event uuid, ts bigint, type text)`.execute(tx);
}

const KEEP_DELIVERED = 7 * DAY;
const KEEP_DEAD = 30 * DAY;

/** Deletes old deliveries that have ended. It is a recurring job. */
export async function deleteEndedDeliveries(db: Db, now: number): Promise<void> {
  for (const [status, keep] of [
    ["DELIVERED", KEEP_DELIVERED],
    ["DEAD", KEEP_DEAD],
  ] as const)
    await deleteInBatches(db, "webhook_deliveries", sql`ended_at < ${now - keep} and status = ${status}`);
}

/** The limit of the count: counting a long backlog exactly would be too expensive. */
const COUNTED = 10_000;

/** Returns the due deliveries of all nodes that have not been sent: their number (up to 10,000), and the age of the oldest. */
export async function webhookBacklog(db: Db, now: number): Promise<{ waiting: number; oldestMs: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    with recursive first as (
      (select webhook_id, next_at from webhook_deliveries where status = 'PENDING' order by webhook_id, next_at limit 1)
      union all
      select n.webhook_id, n.next_at from first f cross join lateral (
        select d.webhook_id, d.next_at from webhook_deliveries d
        where d.status = 'PENDING' and d.webhook_id > f.webhook_id order by d.webhook_id, d.next_at limit 1) n
    )
    select (select count(*) from (
        select 1 from first l cross join lateral (
          select 1 from webhook_deliveries d
          where d.status = 'PENDING' and d.webhook_id = l.webhook_id and d.next_at <= ${now} limit ${sql.lit(COUNTED)}) due
        limit ${sql.lit(COUNTED)}) counted) as waiting,
      (select min(next_at) from first where next_at <= ${now}) as oldest`.execute(db);
  const { waiting = 0, oldest = null } = rows[0] ?? {};
  return { waiting, oldestMs: oldest === null ? 0 : now - oldest };
}

const toDelivery = (row: Columns): Delivery => ({
  id: row.delivery_id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  eventType: row.event_type,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.status === "PENDING" ? row.next_at : null,
  answerStatus: row.answer_status,
  answer: row.answer,
  error: row.error,
  latencyMs: row.latency_ms,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});
