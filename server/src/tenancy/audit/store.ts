import { type ColumnType, type Selectable, sql } from "kysely";
import { type Db, prepared, type Tx } from "../../platform/db/index.ts";
import { EXACT_TOTAL, estimate } from "../../platform/paging/index.ts";
import type { AuditEvent } from "../../platform/unit-of-work.ts";
import type { AuditEventRecord } from "./schema.ts";

interface AuditEventsTable {
  realm_id: string;
  event_id: string;
  ts: number;
  category: AuditEvent["category"];
  type: string;
  actor: string;
  actor_id: string | null;
  actor_kind: AuditEvent["actorKind"];
  source_ip: string | null;
  resource_type: string | null;
  resource_id: string | null;
  outcome: "SUCCESS" | "FAILURE";
  detail: string | null;
  impersonator: string | null;
  impersonator_id: string | null;
  request_id: string | null;
  xid: ColumnType<string, never, never>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    audit_events: AuditEventsTable;
  }
}

export async function insertEvents(tx: Tx, events: readonly AuditEvent[]): Promise<void> {
  const [first] = events;
  if (first && events.length === 1) await insertOne(tx, first);
  else await insertSeveral(tx, { rows: JSON.stringify(events.map(rowOf), wellFormed) });
}

const insertOne = prepared((event: AuditEvent, db) => db.insertInto("audit_events").values(rowOf(event)));

/** Replaces lone surrogates by U+FFFD, as a parameter would. The database refuses them in JSON. */
const wellFormed = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);

/** Inserts any number of events in one statement, which is compiled once. */
const insertSeveral = prepared(
  ({ rows }: { rows: string }) => sql`
    insert into audit_events (realm_id, event_id, ts, category, type, actor, actor_id, actor_kind, source_ip, resource_type, resource_id, outcome, detail, impersonator, impersonator_id, request_id)
    select realm_id, event_id, ts, category, type, actor, actor_id, actor_kind, source_ip, resource_type, resource_id, outcome, detail, impersonator, impersonator_id, request_id
    from json_populate_recordset(null::audit_events, ${rows}::text::json)`,
);

const rowOf = (event: AuditEvent) => ({
  realm_id: event.realm,
  event_id: event.id,
  ts: event.ts,
  category: event.category,
  type: event.type,
  actor: event.actor,
  actor_id: event.actorId,
  actor_kind: event.actorKind,
  source_ip: event.sourceIp,
  resource_type: event.resourceType,
  resource_id: event.resourceId,
  outcome: event.outcome,
  detail: event.detail,
  impersonator: event.impersonator,
  impersonator_id: event.impersonatorId,
  request_id: event.requestId,
});

export interface EventFilter {
  readonly types?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly outcome?: "SUCCESS" | "FAILURE" | undefined;
  readonly category?: AuditEvent["category"] | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const columns = [
  "realm_id",
  "event_id",
  "ts",
  "category",
  "type",
  "actor",
  "actor_id",
  "actor_kind",
  "source_ip",
  "resource_type",
  "resource_id",
  "outcome",
  "detail",
  "impersonator",
  "impersonator_id",
  "request_id",
] as const;

const matching = (db: Db, realm: string, filter: EventFilter) =>
  db
    .selectFrom("audit_events")
    .where("realm_id", "=", realm)
    // A single type is compared by `=`, so that its index also provides the order.
    .$if(filter.types?.length === 1, (q) => q.where("type", "=", filter.types![0]!))
    .$if((filter.types?.length ?? 0) > 1, (q) => q.where("type", "in", filter.types!))
    .$if(filter.outcome !== undefined, (q) => q.where("outcome", "=", filter.outcome!))
    .$if(filter.category !== undefined, (q) => q.where("category", "=", filter.category!))
    .$if(filter.resourceType !== undefined, (q) => q.where("resource_type", "=", filter.resourceType!))
    .$if(filter.resourceId !== undefined, (q) => q.where("resource_id", "=", filter.resourceId!))
    .$if(filter.requestId !== undefined, (q) => q.where("request_id", "=", filter.requestId!))
    .$if(filter.from !== undefined, (q) => q.where("ts", ">=", filter.from!))
    .$if(filter.to !== undefined, (q) => q.where("ts", "<", filter.to!));
type Matching = ReturnType<typeof matching>;

/** Returns one page, newest first, and the total: exact up to 10,000, above that an estimate. */
export async function listEvents(db: Db, realm: string, filter: EventFilter, page: number, size: number) {
  const all = matching(db, realm, filter);
  const { actor } = filter;
  // An actor is found by name or by id, each by its own index. With `or` in one query, all of the actor's events would be sorted.
  const parts = actor === undefined ? [all] : [all.where("actor", "=", actor), all.where("actor_id", "=", actor)];
  const reading = readPage(db, parts, page, size);
  const [rows, count] = await Promise.all([reading, countEvents(db, parts, async () => (await reading).length === size)]);
  return { items: rows.map((row) => toEventRecord(toEvent(row))), ...count };
}

async function readPage(db: Db, parts: readonly Matching[], page: number, size: number): Promise<EventRow[]> {
  const newest = (part: Matching) => part.select(columns).orderBy(sql`ts desc, event_id desc`);
  const [only, ...others] = parts as [Matching, ...Matching[]];
  if (others.length === 0)
    return newest(only)
      .limit(size)
      .offset(page * size)
      .execute();
  const upToHere = parts.map((part) => sql`(${newest(part).limit((page + 1) * size)})`);
  const { rows } = await sql<EventRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from (${sql.join(upToHere, sql` union `)}) events
    order by ts desc, event_id desc limit ${size} offset ${page * size}`.execute(db);
  return rows;
}

/**
 * Counts exactly up to 10,000; above that it takes the planner's estimate. The estimate is queried as soon as a full page shows that it may be needed, not
 * after the count: one after the other, they would make a trail of millions noticeably slower than a small one.
 */
async function countEvents(db: Db, parts: readonly Matching[], mayBeMany: () => Promise<boolean>) {
  const bare = parts.map((part) => part.select(sql`1`.as("one")));
  const counting = bare.map((part) => sql`(select count(*) from (${part} limit ${sql.lit(EXACT_TOTAL + 1)}) counted)`);
  const [{ rows }, expected] = await Promise.all([
    sql<{ counts: number[] }>`select array[${sql.join(counting)}]::integer[] as counts`.execute(db),
    mayBeMany().then((many) => (many ? Promise.all(bare.map(estimate)) : [])),
  ]);
  const counts = rows[0]!.counts;
  if (counts.some((count) => count > EXACT_TOTAL)) return { total: Math.max(EXACT_TOTAL + 1, ...expected), estimated: true };
  const some = counts.filter((count) => count > 0);
  if (some.length < 2) return { total: some[0] ?? 0, estimated: false };
  const ids = parts.map((part) => part.select("event_id"));
  const { rows: both } = await sql<{ total: number }>`select count(*) as total from (${sql.join(ids, sql` union `)}) events`.execute(db);
  return { total: both[0]!.total, estimated: false };
}

export type EventRow = Pick<Selectable<AuditEventsTable>, (typeof columns)[number]>;

export const toEvent = (row: EventRow): AuditEvent => ({
  id: row.event_id,
  ts: row.ts,
  realm: row.realm_id,
  category: row.category,
  type: row.type,
  actor: row.actor,
  actorId: row.actor_id,
  actorKind: row.actor_kind,
  sourceIp: row.source_ip,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  outcome: row.outcome,
  detail: row.detail,
  impersonator: row.impersonator,
  impersonatorId: row.impersonator_id,
  requestId: row.request_id,
});

/** Returns the event in the form in which it is shown and sent. */
export const toEventRecord = ({ ts, actorId: _, impersonatorId: __, ...event }: AuditEvent): AuditEventRecord => ({
  ...event,
  ts: new Date(ts).toISOString(),
  kind: "audit",
});
