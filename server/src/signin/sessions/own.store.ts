import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";
import type { Session } from "./schema.ts";

/** A session as its own user sees it, with the client ids of its participants. */
type OwnListedSession = Omit<Session, "realmId" | "userId" | "username" | "acr" | "impersonator" | "current"> & {
  readonly clients: readonly string[];
};

const MAX_LISTED = sql.lit(1_000);

/** The user's live sessions, last used first, without impersonation sessions, which the audit trail records. */
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
