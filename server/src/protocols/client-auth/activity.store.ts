import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, deleteExpired } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { ServiceAccountSession } from "./activity.schema.ts";

interface ClientActivityTable {
  realm_id: string;
  id: string;
  first_at: number;
  last_at: number;
  tokens: number;
  source_ip: string | null;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    client_activity: ClientActivityTable;
  }
}

/** The client credentials grants of one client on one node since the last flush. */
export interface Activity {
  readonly realm: string;
  /** The client's id in the admin API, not its `client_id`. */
  readonly id: string;
  firstAt: number;
  lastAt: number;
  tokens: number;
  sourceIp: string | null;
  expiresAt: number;
}

/** Merges the counts of one node. Rows are ordered, so two nodes cannot deadlock. The join drops clients that were deleted meanwhile. */
export async function addActivity(db: Db, seen: readonly Activity[]): Promise<void> {
  await sql`
    insert into client_activity as a (realm_id, id, first_at, last_at, tokens, source_ip, expires_at)
    select c.realm_id, c.id, t."firstAt", t."lastAt", t.tokens, t."sourceIp", t."expiresAt"
    from json_to_recordset(${JSON.stringify(seen)}::text::json)
      as t (realm text, id uuid, "firstAt" bigint, "lastAt" bigint, tokens bigint, "sourceIp" text, "expiresAt" bigint)
    join clients c on c.realm_id = t.realm and c.id = t.id
    order by c.realm_id, c.id
    on conflict (realm_id, id) do update set
      first_at = case when a.expires_at <= excluded.first_at then excluded.first_at else least(a.first_at, excluded.first_at) end,
      tokens = case when a.expires_at <= excluded.first_at then excluded.tokens else a.tokens + excluded.tokens end,
      source_ip = case when excluded.last_at >= a.last_at then excluded.source_ip else a.source_ip end,
      last_at = greatest(a.last_at, excluded.last_at),
      expires_at = greatest(a.expires_at, excluded.expires_at)`.execute(db);
}

const order = listOrder("-lastSeenAt", { lastSeenAt: "client_activity.last_at" }, "client_activity.id");

/** Lists enabled clients with unexpired tokens. */
export async function listActivity(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<ServiceAccountSession>> {
  const search = query.search ?? "";
  const base = db
    .selectFrom("client_activity")
    .innerJoin("clients", (join) =>
      join.onRef("clients.realm_id", "=", "client_activity.realm_id").onRef("clients.id", "=", "client_activity.id"),
    )
    .select(["client_activity.id", "client_activity.realm_id as realmId", "clients.client_id as clientId", "clients.name"])
    .select(["client_activity.first_at as createdAt", "client_activity.last_at as lastSeenAt", "client_activity.tokens"])
    .select(["client_activity.source_ip as sourceIp", "client_activity.expires_at as expiresAt"])
    .where("client_activity.realm_id", "=", realm)
    .where("client_activity.expires_at", ">", now)
    .where("clients.enabled", "=", true)
    .$if(search !== "", (q) =>
      isId(search) ? q.where("client_activity.id", "=", search) : q.where("clients.client_key", "like", likePrefix(loginKey(search))),
    );
  return pageOf(db, base, order, query);
}

/** Deletes expired rows: a service-account session ends when its last token expires. */
export const deleteExpiredActivity = (db: Db, now: number): Promise<void> => deleteExpired(db, "client_activity", now);
