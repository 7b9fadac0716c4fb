import { type ColumnType, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { type Db, deleteRows, type Tx } from "../../platform/db/index.ts";

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

/** A client to which something was issued in a session, and which is notified when the session ends. */
export interface Participant {
  readonly protocol: string;
  readonly clientId: string;
  /** The data of the protocol for the logout request: `SessionIndex`, `NameID`. */
  readonly participant: Record<string, unknown>;
}

/** An ended session, as the payload of `sessions.ended`. */
export interface SessionEnd {
  readonly realm: string;
  readonly sessionId: string;
  /** Null if the user was erased. */
  readonly userId: string | null;
  readonly participants: readonly Participant[];
}

/** Adds a participant. Returns false if the session has ended meanwhile. */
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

/** Removes a participant that has ended its own session and needs no notice. */
export async function leaveSession(tx: Tx, realm: string, leave: { sessionId: string; protocol: string; clientId: string }): Promise<void> {
  await deleteRows(tx, "session_participants", {
    realm_id: realm,
    session_id: leave.sessionId,
    protocol: leave.protocol,
    client_id: leave.clientId,
  });
}

/** Returns how long `last_seen_at` is not written again. For short idle times it is written more often. */
export const touchInterval = (idleMs: number): number => Math.min(MINUTE, idleMs / 30);

/** Counts the use of a token as activity of its session. */
export async function touchSessionOfToken(db: Db, realm: string, sessionId: string, idleMs: number, now: number): Promise<void> {
  await sql`
    update sessions set last_seen_at = ${now}, expires_at = case when remembered then expires_at else least(absolute_expiry, ${now + idleMs}) end
    where realm_id = ${realm} and session_id = ${sessionId} and expires_at > ${now} and last_seen_at <= ${now - touchInterval(idleMs)}`.execute(
    db,
  );
}
