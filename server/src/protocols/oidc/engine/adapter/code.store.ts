import { sql } from "kysely";
import { type Db, prepared } from "../../../../platform/db/index.ts";
import type { NewGrant, NewRecord } from "../../../tokens/index.ts";

interface Taken {
  readonly sessionId: string;
  readonly clientId: string;
  readonly now: number;
}

type RecordValues = Omit<NewRecord, "payload" | "clientId"> & Taken & { readonly payload: string };
type GrantValues = RecordValues & {
  readonly grantUserId: string;
  readonly grantSessionId: string | null;
  readonly grantPayload: string;
  readonly grantCreatedAt: number;
  readonly grantExpiresAt: number;
};

/** Stores the record and adds the client to the session's participants, unless the session has ended meanwhile. */
const recordAndParticipant = (r: RecordValues) => sql`
    record as (
      insert into oidc_records as r (realm_id, model, record_id, payload, grant_id, client_id, user_code, expires_at)
      values (${r.realm}, ${r.model}, ${r.recordId}, ${r.payload}::text::jsonb, ${r.grantId}, ${r.clientId}, ${r.userCode}, ${r.expiresAt})
      on conflict (realm_id, model, record_id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
        user_code = coalesce(excluded.user_code, r.user_code), expires_at = excluded.expires_at)
    insert into session_participants (realm_id, session_id, protocol, client_id, participant, joined_at)
    select s.realm_id, s.session_id, 'oidc', ${r.clientId}, '{}', ${r.now}::bigint
    from sessions s where s.realm_id = ${r.realm} and s.session_id = ${r.sessionId}
    on conflict (realm_id, session_id, protocol, client_id) do nothing`;

const ofKnownGrant = prepared((r: RecordValues) => sql`with ${recordAndParticipant(r)}`);

const withItsGrant = prepared(
  (r: GrantValues) =>
    sql`
    with given as (
      insert into oidc_grants as g (realm_id, grant_id, user_id, client_id, session_id, payload, created_at, expires_at)
      values (${r.realm}, ${r.grantId}, ${r.grantUserId}, ${r.clientId}, ${r.grantSessionId}, ${r.grantPayload}::text::jsonb,
        ${r.grantCreatedAt}, ${r.grantExpiresAt})
      on conflict (realm_id, grant_id) do update set payload = excluded.payload, expires_at = greatest(g.expires_at, excluded.expires_at)
        where g.user_id = excluded.user_id and g.client_id = excluded.client_id), ${recordAndParticipant(r)}`,
);

/** Stores a code, its grant if that is new, and the client as a participant of the session, in one statement. */
export async function writeCode(
  db: Db,
  { payload, ...record }: NewRecord,
  grant: NewGrant | null,
  { sessionId, clientId, now }: Taken,
): Promise<void> {
  const values = { ...record, payload: JSON.stringify(payload), sessionId, clientId, now };
  if (grant === null) await ofKnownGrant(db, values);
  else
    await withItsGrant(db, {
      ...values,
      ...{ grantUserId: grant.userId, grantSessionId: grant.sessionId, grantPayload: JSON.stringify(grant.payload) },
      ...{ grantCreatedAt: grant.now, grantExpiresAt: grant.expiresAt },
    });
}
