import { sql } from "kysely";
import { MINUTE, SECOND } from "../../../kernel/clock.ts";
import { batched, type Db, prepared } from "../../../platform/db/index.ts";
import { type LiveGrant, type LiveRow, liveColumns, liveGrants, toLiveGrant } from "./grants.store.ts";
import type { RecordPayload } from "./payload.ts";
import { type NewRecord, type RecordKey, type RecordValues, type StoredRecord, valuesOf } from "./records.store.ts";

// Contains the token endpoint's statements on codes and refresh tokens. Concurrent ones are batched into one round trip.

interface FoundRow extends Omit<LiveRow, "grant_id"> {
  /** The position of the request in the batch. */
  n: number;
  record_id: string;
  record: RecordPayload;
  record_grant: string | null;
  consumed_at: number | null;
  grant_id: string | null;
}

const found = sql`r.record_id, r.payload as record, r.grant_id as record_grant, r.consumed_at, live.*`;

const joinGrant = (now: number) => sql`left join lateral (
      select ${liveColumns} from ${liveGrants(now)} and g.realm_id = r.realm_id and g.grant_id = r.grant_id limit 1) live on true`;

const oneWithGrant = prepared(
  ({ realm, model, recordId, now }: RecordKey & { now: number }) =>
    sql<FoundRow>`
    select 1 as n, ${found} from oidc_records r ${joinGrant(now)}
    where r.realm_id = ${realm} and r.model = ${model} and r.record_id = ${recordId} and r.expires_at > ${now}`,
);

type Keys = Readonly<Record<"realms" | "models" | "recordIds", readonly string[]>>;

const manyWithGrant = prepared(
  ({ realms, models, recordIds, now }: Keys & { now: number }) =>
    sql<FoundRow>`
    select asked.n::int as n, ${found}
    from unnest(${realms}::text[], ${models}::text[], ${recordIds}::text[]) with ordinality as asked (realm_id, model, record_id, n)
    join oidc_records r on r.realm_id = asked.realm_id and r.model = asked.model and r.record_id = asked.record_id
    ${joinGrant(now)}
    where r.expires_at > ${now}`,
);

const withGrant = batched<RecordKey & { readonly now: number }, FoundRow>(async (db, asked) => {
  const [first] = asked;
  if (asked.length === 1) return oneWithGrant(db, first!);
  const rows = await manyWithGrant(db, {
    realms: asked.map(({ realm }) => realm),
    models: asked.map(({ model }) => model),
    recordIds: asked.map(({ recordId }) => recordId),
    now: Math.max(...asked.map(({ now }) => now)),
  });
  const answers: FoundRow[] = [];
  for (const row of rows) answers[row.n - 1] = row;
  return answers;
});

/** Finds a code or refresh token with its grant, if the grant is live. */
export async function findWithGrant(
  db: Db,
  key: RecordKey,
  now: number,
): Promise<{ record: StoredRecord & { readonly model: string }; grant: LiveGrant | null } | null> {
  const { realm, model, recordId } = key;
  const row = await withGrant(db, { realm, model, recordId, now });
  if (!row) return null;
  const { record: payload, record_grant: grantId, consumed_at: consumedAt } = row;
  return { record: { recordId: row.record_id, payload, grantId, consumedAt, model }, grant: hasGrant(row) ? toLiveGrant(row) : null };
}

const hasGrant = (row: FoundRow): row is FoundRow & LiveRow => row.grant_id !== null;

/** Extends an offline grant, at each use of its refresh token. */
const prolong = ({ realm, grantId, expiresAt }: Pick<RecordValues, "realm" | "grantId" | "expiresAt">) => sql`
  update oidc_grants set expires_at = ${expiresAt}
  where realm_id = ${realm} and grant_id = ${grantId}::uuid and session_id is null and expires_at < ${expiresAt}`;

const insert = (r: RecordValues) => sql`
  insert into oidc_records (realm_id, model, record_id, payload, grant_id, client_id, expires_at)
  select ${r.realm}, ${r.model}, ${r.recordId}, ${r.payload}::text::jsonb, ${r.grantId}::uuid, ${r.clientId}, ${r.expiresAt}::bigint`;

const add = prepared((record: RecordValues) => sql`with prolonged as (${prolong(record)}) ${insert(record)}`);

export async function addRefreshToken(db: Db, record: NewRecord): Promise<void> {
  await add(db, valuesOf(record));
}

/** The shortest extension that is written. */
const MIN_EXTENSION = MINUTE;

/** Extends a refresh token that is not rotated, and its offline grant. */
export async function prolongRefreshToken(db: Db, key: RecordKey, { payload, grantId }: StoredRecord, until: number): Promise<void> {
  const exp = Math.floor(until / SECOND);
  if (exp * SECOND - (payload.exp ?? 0) * SECOND < MIN_EXTENSION) return;
  await sql`
    with prolonged as (${prolong({ realm: key.realm, grantId, expiresAt: until })})
    update oidc_records set expires_at = ${until}, payload = jsonb_set(payload, '{exp}', to_jsonb(${exp}::bigint))
    where realm_id = ${key.realm} and model = ${key.model} and record_id = ${key.recordId} and expires_at < ${until}`.execute(db);
}

type Replacement = RecordValues & { readonly used: string; readonly usedModel: string; readonly now: number };

// The grant is locked first. Revocation locks it before its records, and two transactions that lock in opposite orders would
// deadlock.
const replaceOne = prepared(
  (record: Replacement) =>
    sql<{ record_id: string }>`
    with held as (
      select grant_id from oidc_grants where realm_id = ${record.realm} and grant_id = ${record.grantId}::uuid for key share
    ), taken as (
      update oidc_records set consumed_at = ${record.now}
      where realm_id = ${record.realm} and model = ${record.usedModel} and record_id = ${record.used} and consumed_at is null
        and exists (select 1 from held)
      returning record_id
    ), prolonged as (${prolong(record)} and exists (select 1 from taken))
    ${insert(record)} where exists (select 1 from taken) returning record_id`,
);

interface Columns extends Readonly<Record<"realms" | "usedModels" | "used" | "models" | "recordIds" | "payloads", readonly string[]>> {
  readonly grantIds: readonly (string | null)[];
  readonly clientIds: readonly (string | null)[];
  readonly expiries: readonly number[];
  readonly now: number;
}

// Consumes a batch. If two requests present the same record, it is consumed for one of them.
const replaceMany = prepared(
  (r: Columns) =>
    sql<{ record_id: string }>`
    with asked as (
      select * from unnest(${r.realms}::text[], ${r.grantIds}::uuid[], ${r.usedModels}::text[], ${r.used}::text[], ${r.models}::text[],
        ${r.recordIds}::text[], ${r.payloads}::text[], ${r.clientIds}::text[], ${r.expiries}::bigint[])
        as asked (realm_id, grant_id, used_model, used, model, record_id, payload, client_id, expires_at)
    ), held as (
      select g.realm_id, g.grant_id from oidc_grants g where (g.realm_id, g.grant_id) in (select a.realm_id, a.grant_id from asked a)
      order by g.realm_id, g.grant_id for key share
    ), taken as (
      update oidc_records r set consumed_at = ${r.now}
      from asked a join held h on h.realm_id = a.realm_id and h.grant_id = a.grant_id
      where r.realm_id = a.realm_id and r.model = a.used_model and r.record_id = a.used and r.consumed_at is null
      returning a.realm_id, a.record_id as next
    ), new as (
      select a.* from asked a join taken t on t.realm_id = a.realm_id and t.next = a.record_id
    ), prolonged as (
      update oidc_grants g set expires_at = n.expires_at
      from (select realm_id, grant_id, max(expires_at) as expires_at from new group by realm_id, grant_id) n
      where g.realm_id = n.realm_id and g.grant_id = n.grant_id and g.session_id is null and g.expires_at < n.expires_at
    )
    insert into oidc_records (realm_id, model, record_id, payload, grant_id, client_id, expires_at)
    select realm_id, model, record_id, payload::jsonb, grant_id, client_id, expires_at from new returning record_id`,
);

/** Tells whether this request consumed the record, or contains the error of its statement. */
type Outcome = { readonly won: boolean } | { readonly error: unknown };

const replaced = batched<Replacement, Outcome>(async (db, asked) => {
  const alone = (each: (typeof asked)[number]): Promise<Outcome> =>
    replaceOne(db, each).then(
      (rows) => ({ won: rows.length > 0 }),
      (error) => ({ error }),
    );
  if (asked.length > 1) {
    const first = firstOfEach(asked);
    // If one of them fails, or two batches deadlock, nothing is written, so each is tried alone.
    const rows = await replaceMany(db, columnsOf([...first])).catch(() => null);
    const won = rows && new Set(rows.map(({ record_id }) => record_id));
    if (won) return asked.map((each) => ({ won: first.has(each) && won.has(each.recordId) }));
  }
  return Promise.all(asked.map(alone));
});

/** Returns the first of the requests that present the same token. All of them have the same successor, as if the others came later. */
const firstOfEach = (asked: readonly Replacement[]): ReadonlySet<Replacement> =>
  new Set(new Map(asked.toReversed().map((each) => [`${each.realm} ${each.usedModel} ${each.used}`, each])).values());

const columnsOf = (asked: readonly Replacement[]): Columns => ({
  realms: asked.map(({ realm }) => realm),
  grantIds: asked.map(({ grantId }) => grantId),
  usedModels: asked.map(({ usedModel }) => usedModel),
  used: asked.map(({ used }) => used),
  models: asked.map(({ model }) => model),
  recordIds: asked.map(({ recordId }) => recordId),
  payloads: asked.map(({ payload }) => payload),
  clientIds: asked.map(({ clientId }) => clientId),
  expiries: asked.map(({ expiresAt }) => expiresAt),
  now: Math.max(...asked.map(({ now }) => now)),
});

/** Consumes a code or refresh token and stores its successor, both or neither. One of several concurrent requests gets true. */
export async function replaceByRefreshToken(db: Db, used: Omit<RecordKey, "realm">, record: NewRecord, now: number): Promise<boolean> {
  const outcome = await replaced(db, Object.assign(valuesOf(record), { used: used.recordId, usedModel: used.model, now }));
  if (outcome && "error" in outcome) throw outcome.error;
  return outcome?.won ?? false;
}
