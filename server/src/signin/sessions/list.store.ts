import { type Selectable, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { type ListOrder, type ListQuery, type Page, pageOf } from "../../platform/paging/index.ts";
import { acrOf } from "./acr.ts";
import type { Session } from "./schema.ts";
import type { SessionsTable } from "./store.ts";

const listed = [
  "sessions.session_id",
  "sessions.realm_id",
  "sessions.user_id",
  "users.username",
  "sessions.created_at",
  "sessions.auth_time",
  "sessions.last_seen_at",
  "sessions.expires_at",
  "sessions.remembered",
  "sessions.acr",
  "sessions.amr",
  "sessions.impersonator",
  "sessions.source_ip",
  "sessions.user_agent",
] as const;
type Listed = Exclude<(typeof listed)[number] extends `${string}.${infer Column}` ? Column : never, "username">;

const order: ListOrder = {
  sorts: { lastSeenAt: sql.ref("sessions.last_seen_at"), createdAt: sql.ref("sessions.created_at") },
  defaultSort: "-lastSeenAt",
  id: sql.ref("sessions.session_id"),
};

const liveSessions = (db: Db, realm: string, now: number) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", (join) => join.onRef("users.realm_id", "=", "sessions.realm_id").onRef("users.user_id", "=", "sessions.user_id"))
    .select(listed)
    .where("sessions.realm_id", "=", realm)
    .where("sessions.expires_at", ">", now);

export async function findSession(db: Db, realm: string, sessionId: string, now: number): Promise<Omit<Session, "current"> | null> {
  const row = await liveSessions(db, realm, now).where("sessions.session_id", "=", sessionId).executeTakeFirst();
  return row ? toSession(row) : null;
}

/** Of the realm, or of one of its users. */
export async function listSessions(
  db: Db,
  realm: string,
  query: ListQuery & { readonly userId?: string },
  now: number,
): Promise<Page<Omit<Session, "current">>> {
  const search = query.search ?? "";
  const base = liveSessions(db, realm, now)
    .$if(query.userId !== undefined, (q) => q.where("sessions.user_id", "=", query.userId!))
    .$if(search !== "", (q) =>
      isId(search)
        ? q.where((eb) => eb.or([eb("sessions.session_id", "=", search), eb("sessions.user_id", "=", search)]))
        : q.where("users.username_key", "like", likePrefix(loginKey(search))),
    );
  const page = await pageOf(db, base, order, query);
  return { ...page, rows: page.rows.map(toSession) };
}

const toSession = (row: Pick<Selectable<SessionsTable>, Listed> & { username: string }): Omit<Session, "current"> => ({
  id: row.session_id,
  realmId: row.realm_id,
  userId: row.user_id,
  username: row.username,
  createdAt: row.created_at,
  authTime: row.auth_time,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
  remembered: row.remembered,
  amr: row.amr,
  acr: acrOf(row),
  impersonator: row.impersonator,
  sourceIp: row.source_ip,
  userAgent: row.user_agent,
});
