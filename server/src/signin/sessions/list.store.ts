import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { type ListOrder, type ListQuery, type Page, pageOf } from "../../platform/paging/index.ts";
import { acrOf } from "./proofs.ts";
import type { Session } from "./schema.ts";

const listed = [
  ...(["sessions.session_id as id", "sessions.realm_id as realmId", "sessions.user_id as userId", "users.username"] as const),
  ...(["sessions.created_at as createdAt", "sessions.auth_time as authTime", "sessions.last_seen_at as lastSeenAt"] as const),
  ...(["sessions.expires_at as expiresAt", "sessions.remembered", "sessions.acr", "sessions.amr", "sessions.impersonator"] as const),
  ...(["sessions.source_ip as sourceIp", "sessions.user_agent as userAgent"] as const),
] as const;

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

/** Lists the sessions of the realm, or of one of its users. */
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

const toSession = <R extends { readonly acr: string | null; readonly impersonator: string | null }>(row: R) => ({
  ...row,
  acr: acrOf(row),
});
