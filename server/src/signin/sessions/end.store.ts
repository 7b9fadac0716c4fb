import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Participant } from "./participants.store.ts";
import type { SessionsTable } from "./store.ts";

/** A session that is over. */
export interface EndedSession {
  readonly realm: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly impersonator: string | null;
  readonly impersonatorId: string | null;
  /** The clients that took part in it: they are notified. */
  readonly participants: readonly Participant[];
}

/** Read in the statement that deletes the session: they go with it. */
const participants = sql<Participant[]>`coalesce((
  select json_agg(json_build_object('protocol', p.protocol, 'clientId', p.client_id, 'participant', p.participant) order by p.joined_at)
  from session_participants p where p.realm_id = sessions.realm_id and p.session_id = sessions.session_id), '[]'::json)`;
const ending = ["realm_id", "session_id", "user_id", "impersonator", "impersonator_id", participants.as("participants")] as const;
type EndingRow = Pick<Selectable<SessionsTable>, "realm_id" | "session_id" | "user_id" | "impersonator" | "impersonator_id"> & {
  participants: Participant[];
};
const toEnded = (row: EndingRow): EndedSession => ({
  realm: row.realm_id,
  sessionId: row.session_id,
  userId: row.user_id,
  impersonator: row.impersonator,
  impersonatorId: row.impersonator_id,
  participants: row.participants,
});

export async function deleteSession(tx: Tx, realm: string, sessionId: string): Promise<EndedSession | null> {
  const row = await tx
    .deleteFrom("sessions")
    .where("realm_id", "=", realm)
    .where("session_id", "=", sessionId)
    .returning(ending)
    .executeTakeFirst();
  return row ? toEnded(row) : null;
}

export async function deleteSessionsOfUser(tx: Tx, realm: string, userId: string, except: string | null): Promise<EndedSession[]> {
  const rows = await tx
    .deleteFrom("sessions")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .$if(except !== null, (q) => q.where("session_id", "!=", except!))
    .returning(ending)
    .execute();
  return rows.map(toEnded);
}

/** The sessions in which an administrator acts as a user, in any realm; only those begun from `from`, one of their sessions, if it is named. */
export async function deleteImpersonationsBy(tx: Tx, userId: string, from: string | null = null): Promise<EndedSession[]> {
  const rows = await tx
    .deleteFrom("sessions")
    .where("impersonator_id", "=", userId)
    .$if(from !== null, (q) => q.where("impersonator_session", "=", from!))
    .returning(ending)
    .execute();
  return rows.map(toEnded);
}

const CLEANUP_BATCH = 5_000;

export async function deleteExpiredSessions(db: Db, now: number): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from sessions where (realm_id, session_id) in (select realm_id, session_id from sessions where expires_at <= ${now} limit ${CLEANUP_BATCH})`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0n) < CLEANUP_BATCH) return;
  }
}
