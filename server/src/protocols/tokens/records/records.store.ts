import { type ColumnType, sql } from "kysely";
import { type Db, deleteExpired, namesPersonIn, type PersonNames, prepared, type Tx } from "../../../platform/db/index.ts";
import type { RecordPayload } from "./payload.ts";

interface RecordsTable {
  realm_id: string;
  model: string;
  record_id: string;
  payload: ColumnType<RecordPayload, string, string>;
  grant_id: string | null;
  client_id: string | null;
  uid: string | null;
  user_code: string | null;
  consumed_at: ColumnType<number | null, number | null | undefined, number | null>;
  expires_at: number;
}

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    oidc_records: RecordsTable;
  }
}

/** A stored code, token or request. Its key is the SHA-256 of the issued value. */
export interface StoredRecord {
  readonly recordId: string;
  readonly payload: RecordPayload;
  readonly grantId: string | null;
  readonly consumedAt: number | null;
}

export interface RecordKey {
  readonly realm: string;
  readonly model: string;
  readonly recordId: string;
}

const columns = ["record_id as recordId", "payload", "grant_id as grantId", "consumed_at as consumedAt"] as const;

const byId = prepared(({ realm, model, recordId, now }: RecordKey & { now: number }, db) =>
  db
    .selectFrom("oidc_records")
    .select(columns)
    .where((e) => e.and({ realm_id: realm, model, record_id: recordId }))
    .where("expires_at", ">", now),
);

export async function findRecord(db: Db, { realm, model, recordId }: RecordKey, now: number): Promise<StoredRecord | null> {
  return (await byId(db, { realm, model, recordId, now }))[0] ?? null;
}

export interface NewRecord extends RecordKey {
  readonly payload: RecordPayload;
  readonly grantId: string | null;
  readonly clientId: string | null;
  readonly userCode: string | null;
  readonly expiresAt: number;
}

/** The values of the statements. */
export type RecordValues = Omit<NewRecord, "payload"> & { readonly payload: string };

export const valuesOf = ({ realm, model, recordId, payload, grantId, clientId, userCode, expiresAt }: NewRecord): RecordValues => ({
  realm,
  model,
  recordId,
  payload: JSON.stringify(payload),
  grantId,
  clientId,
  userCode,
  expiresAt,
});

export const upsertRecord = (r: RecordValues) => sql`
    insert into oidc_records as r (realm_id, model, record_id, payload, grant_id, client_id, user_code, expires_at)
    values (${r.realm}, ${r.model}, ${r.recordId}, ${r.payload}::text::jsonb, ${r.grantId}, ${r.clientId}, ${r.userCode}, ${r.expiresAt})
    on conflict (realm_id, model, record_id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = coalesce(excluded.user_code, r.user_code), expires_at = excluded.expires_at`;

const write = prepared(upsertRecord);

export async function writeRecord(db: Db, record: NewRecord): Promise<void> {
  await write(db, valuesOf(record));
}

const take = prepared(
  ({ realm, model, recordId, now }: RecordKey & { now: number }) =>
    sql<{ record_id: string }>`
    update oidc_records set consumed_at = ${now}
    where realm_id = ${realm} and model = ${model} and record_id = ${recordId} and consumed_at is null returning record_id`,
);

/** Consumes a record atomically: of concurrent callers, one gets true. */
export async function consumeRecord(db: Db, { realm, model, recordId }: RecordKey, now: number): Promise<boolean> {
  return (await take(db, { realm, model, recordId, now })).length > 0;
}

const remove = prepared(({ realm, model, recordId }: RecordKey, db) =>
  db.deleteFrom("oidc_records").where((e) => e.and({ realm_id: realm, model, record_id: recordId })),
);

export async function deleteRecord(db: Db, key: RecordKey): Promise<void> {
  await remove(db, key);
}

/** Reads and deletes a record that may be read once. */
export async function takeRecord(db: Db, { realm, model, recordId }: RecordKey, now: number): Promise<StoredRecord | null> {
  const row = await db
    .deleteFrom("oidc_records")
    .where((e) => e.and({ realm_id: realm, model, record_id: recordId }))
    .where("expires_at", ">", now)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * RFC 7523 §3, RFC 9449 §11.1: returns false if the value was presented before. The primary key decides between concurrent requests. The time may be a
 * fraction, because it comes from a JWT (RFC 7519 §2).
 */
export async function isFirst(db: Db, key: RecordKey, expiresAt: number): Promise<boolean> {
  const { rows } = await sql<{ record_id: string }>`
    insert into oidc_records (realm_id, model, record_id, payload, expires_at)
    values (${key.realm}, ${key.model}, ${key.recordId}, '{}', ${Math.ceil(expiresAt)})
    on conflict (realm_id, model, record_id) do nothing returning record_id`.execute(db);
  return rows.length > 0;
}

/** Deletes pending requests that name the user, on `user.erased`. Records of grants are deleted with their grant. */
export async function deleteRecordsNaming(tx: Tx, realm: string, person: PersonNames): Promise<void> {
  await sql`delete from oidc_records where realm_id = ${realm} and grant_id is null and ${namesPersonIn("payload", person)}`.execute(tx);
}

/** Returns pending requests that contain a JWT (`eyJ…`), which SQL cannot search. */
export async function recordsWithTokens(tx: Tx, realm: string): Promise<(RecordKey & { payload: RecordPayload })[]> {
  const { rows } = await sql<RecordKey & { payload: RecordPayload }>`
    select realm_id as realm, model, record_id as "recordId", payload from oidc_records
    where realm_id = ${realm} and grant_id is null and payload::text like '%eyJ%'`.execute(tx);
  return rows;
}

/** Deletes expired codes, refresh tokens, requests, grants and revocations. */
export async function deleteExpiredOAuth(db: Db, now: number): Promise<void> {
  for (const table of ["oidc_records", "oidc_grants", "revoked_tokens"] as const) await deleteExpired(db, table, now);
}

export async function sessionIdsOf(tx: Tx, realm: string, userId: string): Promise<string[]> {
  const rows = await tx.selectFrom("sessions").select("session_id").where("realm_id", "=", realm).where("user_id", "=", userId).execute();
  return rows.map(({ session_id }) => session_id);
}
