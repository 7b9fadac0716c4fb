import { sql } from "kysely";
import type { AdapterPayload } from "oidc-provider";
import { type Db, prepared } from "../../../platform/db/index.ts";
import { type LiveGrant, type LiveRow, liveColumns, liveGrants, toLiveGrant } from "./grants.store.ts";
import type { NewRecord, StoredRecord } from "./records.store.ts";

// What the token endpoint does with codes and refresh tokens all day, in as few trips to the database as it takes.

interface Key {
  readonly realm: string;
  readonly model: string;
  readonly recordId: string;
}

interface FoundRow extends Omit<LiveRow, "grant_id"> {
  record_id: string;
  record: AdapterPayload;
  record_grant: string | null;
  consumed_at: number | null;
  grant_id: string | null;
}

const withGrant = prepared((db, { realm, model, recordId, now }: Key & { now: number }) => {
  const query = sql<FoundRow>`
    select r.record_id, r.payload as record, r.grant_id as record_grant, r.consumed_at, live.*
    from oidc_records r left join lateral (
      select ${liveColumns} from ${liveGrants(now)} and g.realm_id = r.realm_id and g.grant_id = r.grant_id) live on true
    where r.realm_id = ${realm} and r.model = ${model} and r.record_id = ${recordId} and r.expires_at > ${now}`;
  return { compile: () => query.compile(db) };
});

/** A code or a refresh token together with the grant it hangs on, if that is alive. */
export async function findWithGrant(db: Db, key: Key, now: number): Promise<{ record: StoredRecord; grant: LiveGrant | null } | null> {
  const [row] = await withGrant(db, { ...key, now });
  if (!row) return null;
  const { record_id, record, record_grant, consumed_at, grant_id, ...grant } = row;
  return {
    record: { recordId: record_id, payload: record, grantId: record_grant, consumedAt: consumed_at },
    grant: grant_id === null ? null : toLiveGrant({ ...grant, grant_id }),
  };
}

type Stored = { [K in keyof NewRecord]: K extends "payload" ? string : NewRecord[K] };

/** A grant without a session lives for as long as its refresh token is used. */
const prolong = ({ realm, grantId, expiresAt }: Stored) => sql`
  update oidc_grants set expires_at = ${expiresAt}
  where realm_id = ${realm} and grant_id = ${grantId}::uuid and session_id is null and expires_at < ${expiresAt}`;

const insert = (r: Stored) => sql`
  insert into oidc_records (realm_id, model, record_id, payload, grant_id, client_id, expires_at)
  select ${r.realm}, ${r.model}, ${r.recordId}, ${r.payload}::text::jsonb, ${r.grantId}::uuid, ${r.clientId}, ${r.expiresAt}::bigint`;

const add = prepared((db, record: Stored) => {
  const query = sql`with prolonged as (${prolong(record)}) ${insert(record)}`;
  return { compile: () => query.compile(db) };
});

export async function addRefreshToken(db: Db, record: NewRecord): Promise<void> {
  await add(db, { ...record, payload: JSON.stringify(record.payload) });
}

const replace = prepared((db, record: Stored & { readonly used: string; readonly now: number }) => {
  const query = sql<{ record_id: string }>`
    with taken as (
      update oidc_records set consumed_at = ${record.now}
      where realm_id = ${record.realm} and model = ${record.model} and record_id = ${record.used} and consumed_at is null
      returning record_id
    ), prolonged as (${prolong(record)} and exists (select 1 from taken))
    ${insert(record)} where exists (select 1 from taken) returning record_id`;
  return { compile: () => query.compile(db) };
});

/** The next refresh token for the one that was used, both or neither. Of many at the same time one gets it; false for the others. */
export async function replaceRefreshToken(db: Db, used: string, record: NewRecord, now: number): Promise<boolean> {
  return (await replace(db, { ...record, payload: JSON.stringify(record.payload), used, now })).length > 0;
}
