import { sql } from "kysely";
import { deleteReturning, type Tx } from "../../platform/db/index.ts";
import type { Participant } from "./participants.store.ts";

/** An ended session. */
export interface EndedSession {
  readonly realm: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly impersonator: string | null;
  readonly impersonatorId: string | null;
  /** The clients to notify. */
  readonly participants: readonly Participant[];
}

/** The SQL of the clients to notify. It is part of the statement that deletes the session, because they are deleted with it. */
const participants = sql<Participant[]>`coalesce((
  select json_agg(json_build_object('protocol', p.protocol, 'clientId', p.client_id, 'participant', p.participant) order by p.joined_at)
  from session_participants p where p.realm_id = sessions.realm_id and p.session_id = sessions.session_id), '[]'::json)`;
const ending = [
  ...(["realm_id as realm", "session_id as sessionId", "user_id as userId", "impersonator", "impersonator_id as impersonatorId"] as const),
  participants.as("participants"),
] as const;

export async function deleteSession(tx: Tx, realm: string, sessionId: string): Promise<EndedSession | null> {
  return deleteReturning(tx, "sessions", { realm_id: realm, session_id: sessionId }, ending);
}

export async function deleteSessionsOfUser(tx: Tx, realm: string, userId: string, except: string | null): Promise<EndedSession[]> {
  return tx
    .deleteFrom("sessions")
    .where((e) => e.and({ realm_id: realm, user_id: userId }))
    .$if(except !== null, (q) => q.where("session_id", "!=", except!))
    .returning(ending)
    .execute();
}

/** Ends the impersonation sessions of an administrator, in any realm. */
export async function deleteImpersonationsBy(tx: Tx, userId: string): Promise<EndedSession[]> {
  return tx.deleteFrom("sessions").where("impersonator_id", "=", userId).returning(ending).execute();
}

/** Ends the impersonation sessions that were started from one of these sessions. */
export async function deleteImpersonationsFrom(
  tx: Tx,
  from: readonly Pick<EndedSession, "userId" | "sessionId">[],
): Promise<EndedSession[]> {
  if (from.length === 0) return [];
  const begun = JSON.stringify(from.map(({ userId, sessionId }) => ({ userId, sessionId })));
  return tx
    .deleteFrom("sessions")
    .where(
      sql<boolean>`(impersonator_id, impersonator_session) in (
        select f."userId", f."sessionId" from json_to_recordset(${begun}::text::json) as f ("userId" uuid, "sessionId" uuid))`,
    )
    .returning(ending)
    .execute();
}

/** Deletes up to `limit` expired sessions of any realm, oldest first. */
export async function deleteExpiredSessions(tx: Tx, now: number, limit: number): Promise<EndedSession[]> {
  return tx
    .deleteFrom("sessions")
    .where(
      // Sessions that another transaction is renewing or ending are skipped.
      sql<boolean>`(realm_id, session_id) in (
        select realm_id, session_id from sessions where expires_at <= ${now} order by expires_at limit ${limit} for update skip locked)`,
    )
    .returning(ending)
    .execute();
}
