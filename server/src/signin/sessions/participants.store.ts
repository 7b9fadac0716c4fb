import { type ColumnType, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";

interface ParticipantsTable {
  realm_id: string;
  session_id: string;
  protocol: string;
  client_id: string;
  participant: ColumnType<Record<string, unknown>, string | undefined, string>;
  joined_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    session_participants: ParticipantsTable;
  }
}

/** A client that was issued something in a session, and is notified when the session ends. */
export interface Participant {
  readonly protocol: string;
  readonly clientId: string;
  /** What the protocol needs to tell it. */
  readonly participant: Record<string, unknown>;
}

/** A session that is over, as those who react to it see it. */
export interface SessionEnd {
  readonly realm: string;
  readonly sessionId: string;
  /** Null: nothing may name them any more. */
  readonly userId: string | null;
  readonly participants: readonly Participant[];
}

/** From now on the client takes part. False: the session has ended meanwhile, and takes no participant. */
export async function joinSession(
  tx: Tx,
  realm: string,
  join: { sessionId: string; protocol: string; clientId: string; participant?: Record<string, unknown>; now: number },
): Promise<boolean> {
  const { sessionId, protocol, clientId, participant = {}, now } = join;
  const { numAffectedRows } = await sql`
    insert into session_participants as p (realm_id, session_id, protocol, client_id, participant, joined_at)
    select s.realm_id, s.session_id, ${protocol}, ${clientId}, ${JSON.stringify(participant)}::text::jsonb, ${now}
    from sessions s where s.realm_id = ${realm} and s.session_id = ${sessionId}
    on conflict (realm_id, session_id, protocol, client_id) do update set participant = p.participant || excluded.participant`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** The client has ended its own part, and need not be notified. */
export async function leaveSession(tx: Tx, realm: string, leave: { sessionId: string; protocol: string; clientId: string }): Promise<void> {
  await tx
    .deleteFrom("session_participants")
    .where("realm_id", "=", realm)
    .where("session_id", "=", leave.sessionId)
    .where("protocol", "=", leave.protocol)
    .where("client_id", "=", leave.clientId)
    .execute();
}

/** Uses closer to each other than this are one. */
export const awakeFor = (idleMs: number): number => Math.min(MINUTE, idleMs / 30);

/** What was issued in the session is used outside of its browser: the session does not run idle meanwhile. */
export async function keepSessionAwake(db: Db, realm: string, sessionId: string, idleMs: number, now: number): Promise<void> {
  await sql`
    update sessions set last_seen_at = ${now}, expires_at = case when remembered then expires_at else least(absolute_expiry, ${now + idleMs}) end
    where realm_id = ${realm} and session_id = ${sessionId} and expires_at > ${now} and last_seen_at <= ${now - awakeFor(idleMs)}`.execute(
    db,
  );
}
