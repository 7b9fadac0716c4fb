import { type ColumnType, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import { countUpTo } from "../../platform/http/index.ts";
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
  source_ip: string | null;
  resource_type: string | null;
  resource_id: string | null;
  outcome: "SUCCESS" | "FAILURE";
  detail: string | null;
  impersonator: string | null;
  xid: ColumnType<string, never, never>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    audit_events: AuditEventsTable;
  }
}

export async function insertEvents(tx: Tx, events: readonly AuditEvent[]): Promise<void> {
  await tx
    .insertInto("audit_events")
    .values(
      events.map((event) => ({
        realm_id: event.realm,
        event_id: event.id,
        ts: event.ts,
        category: event.category,
        type: event.type,
        actor: event.actor,
        actor_id: event.actorId,
        source_ip: event.sourceIp,
        resource_type: event.resourceType,
        resource_id: event.resourceId,
        outcome: event.outcome,
        detail: event.detail,
        impersonator: event.impersonator,
      })),
    )
    .execute();
}

export interface EventFilter {
  readonly type?: string | undefined;
  readonly actor?: string | undefined;
  readonly outcome?: "SUCCESS" | "FAILURE" | undefined;
  readonly category?: AuditEvent["category"] | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
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
  "source_ip",
  "resource_type",
  "resource_id",
  "outcome",
  "detail",
  "impersonator",
] as const;

/** Newest first. */
export async function listEvents(db: Db, realm: string, filter: EventFilter, page: number, size: number) {
  const matching = db
    .selectFrom("audit_events")
    .where("realm_id", "=", realm)
    .$if(filter.type !== undefined, (q) => q.where("type", "=", filter.type!))
    .$if(filter.actor !== undefined, (q) => q.where((eb) => eb.or([eb("actor", "=", filter.actor!), eb("actor_id", "=", filter.actor!)])))
    .$if(filter.outcome !== undefined, (q) => q.where("outcome", "=", filter.outcome!))
    .$if(filter.category !== undefined, (q) => q.where("category", "=", filter.category!))
    .$if(filter.resourceType !== undefined, (q) => q.where("resource_type", "=", filter.resourceType!))
    .$if(filter.resourceId !== undefined, (q) => q.where("resource_id", "=", filter.resourceId!))
    .$if(filter.from !== undefined, (q) => q.where("ts", ">=", filter.from!))
    .$if(filter.to !== undefined, (q) => q.where("ts", "<", filter.to!));
  const [rows, count] = await Promise.all([
    matching
      .select(columns)
      .orderBy(sql`ts desc, event_id desc`)
      .limit(size)
      .offset(page * size)
      .execute(),
    countUpTo(db, matching),
  ]);
  return { items: rows.map((row) => toEventRecord(toEvent(row))), ...count };
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
  sourceIp: row.source_ip,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  outcome: row.outcome,
  detail: row.detail,
  impersonator: row.impersonator,
});

/** The event as everyone outside sees it. */
export const toEventRecord = ({ ts, actorId: _, ...event }: AuditEvent): AuditEventRecord => ({
  ...event,
  ts: new Date(ts).toISOString(),
  kind: "audit",
});
