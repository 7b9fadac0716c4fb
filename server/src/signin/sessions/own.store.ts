import { sql } from "kysely";
import { pageOfNamed } from "../../directory/users/index.ts";
import { isId } from "../../kernel/ids.ts";
import type { Db } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { acrOf } from "./proofs.ts";
import type { Session } from "./schema.ts";

/** A session as its own user sees it, with the client ids of its participants. */
type OwnListedSession = Omit<Session, "realmId" | "userId" | "username" | "acr" | "impersonator" | "current"> & {
  readonly clients: readonly string[];
};

const MAX_LISTED = sql.lit(1_000);

/** Lists the user's live sessions, last used first, without impersonation sessions, which the audit trail records. */
export async function listOwnSessions(db: Db, realm: string, userId: string, now: number): Promise<OwnListedSession[]> {
  const { rows } = await sql<OwnListedSession>`
    select s.session_id as id, s.created_at as "createdAt", s.auth_time as "authTime", s.last_seen_at as "lastSeenAt",
      s.expires_at as "expiresAt", s.remembered, s.amr, s.source_ip as "sourceIp", s.user_agent as "userAgent",
      array(select distinct p.client_id from session_participants p
        where p.realm_id = s.realm_id and p.session_id = s.session_id order by p.client_id) as clients
    from sessions s
    where s.realm_id = ${realm} and s.user_id = ${userId} and s.expires_at > ${now} and s.impersonator is null
    order by s.last_seen_at desc, s.session_id limit ${MAX_LISTED}`.execute(db);
  return rows;
}

/** Tells whether it is a live session of the user. */
export async function isOwnSession(db: Db, realm: string, userId: string, sessionId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("session_id")
    .where((e) => e.and({ realm_id: realm, session_id: sessionId, user_id: userId }))
    .where("impersonator", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

const listed = [
  ...(["sessions.session_id as id", "sessions.realm_id as realmId", "sessions.user_id as userId", "users.username"] as const),
  ...(["sessions.created_at as createdAt", "sessions.auth_time as authTime", "sessions.last_seen_at as lastSeenAt"] as const),
  ...(["sessions.expires_at as expiresAt", "sessions.remembered", "sessions.acr", "sessions.amr", "sessions.impersonator"] as const),
  ...(["sessions.source_ip as sourceIp", "sessions.user_agent as userAgent"] as const),
] as const;

const order = listOrder(
  "-lastSeenAt",
  // Ids grow with time. An index of `created_at` would be written at each use of a session, as the row moves.
  { lastSeenAt: "sessions.last_seen_at", createdAt: "sessions.session_id" },
  "sessions.session_id",
);

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
  const all = liveSessions(db, realm, now)
    .$if(query.userId !== undefined, (q) => q.where("sessions.user_id", "=", query.userId!))
    .$if(isId(search), (q) => q.where((eb) => eb.or([eb("sessions.session_id", "=", search), eb("sessions.user_id", "=", search)])));
  const page =
    search === "" || isId(search)
      ? await pageOf(db, all, order, query)
      : await pageOfNamed(db, realm, { all, userId: "sessions.user_id" }, order, { ...query, search });
  return mapPage(page, toSession);
}

const toSession = <R extends { readonly acr: string | null; readonly impersonator: string | null }>(row: R) => ({
  ...row,
  acr: acrOf(row),
});
