import { sql } from "kysely";
import { type Db, prepared } from "../../../platform/db/index.ts";
import { type NewGrant, type NewRecord, type RecordValues, upsertGrant, upsertRecord, valuesOf } from "../../tokens/index.ts";

interface Participant {
  readonly sessionId: string;
  readonly clientId: string;
  readonly now: number;
}

type CodeValues = RecordValues & Participant;
type GrantValues = CodeValues & {
  readonly grantId: string;
  readonly userId: string;
  readonly grantSessionId: string | null;
  readonly grantPayload: string;
  readonly grantCreatedAt: number;
  readonly grantExpiresAt: number;
};

/** Stores the record and adds the client to the session's participants, unless the session has ended meanwhile. */
const recordAndParticipant = (r: CodeValues) => sql`
    record as (${upsertRecord(r)})
    insert into session_participants (realm_id, session_id, protocol, client_id, participant, joined_at)
    select s.realm_id, s.session_id, 'oidc', ${r.clientId}, '{}', ${r.now}::bigint
    from sessions s where s.realm_id = ${r.realm} and s.session_id = ${r.sessionId}
    on conflict (realm_id, session_id, protocol, client_id) do nothing`;

const ofKnownGrant = prepared((r: CodeValues) => sql`with ${recordAndParticipant(r)}`);

const withItsGrant = prepared((r: GrantValues) => {
  const { realm, grantId, userId, clientId, grantSessionId: sessionId, grantPayload: payload } = r;
  const grant = { grantId, userId, clientId, sessionId, payload, now: r.grantCreatedAt, expiresAt: r.grantExpiresAt };
  return sql`with given as (${upsertGrant(realm, grant)}), ${recordAndParticipant(r)}`;
});

/** Stores a code, its grant if that is new, and the client as a participant of the session, in one statement. */
export async function writeCode(db: Db, record: NewRecord, grant: NewGrant | null, participant: Participant): Promise<void> {
  const values = { ...valuesOf(record), ...participant };
  if (grant === null) await ofKnownGrant(db, values);
  else
    await withItsGrant(db, {
      ...{ ...values, grantId: grant.grantId, userId: grant.userId, grantSessionId: grant.sessionId },
      ...{ grantPayload: JSON.stringify(grant.payload), grantCreatedAt: grant.now, grantExpiresAt: grant.expiresAt },
    });
}
