import { type RawBuilder, sql } from "kysely";
import { holdUserForSignIn } from "../../directory/users/index.ts";
import { type Db, inTransaction, lockName, type Tx } from "../../platform/db/index.ts";
import { type NewRecord, type RecordPayload, writeRecord } from "../tokens/index.ts";

/** The records of decoupled requests. */
export type DecoupledModel = "DeviceCode" | "BackchannelAuthenticationRequest";

interface Key {
  readonly realm: string;
  readonly model: DecoupledModel;
  /** The SHA-256 of the device code or auth_req_id. */
  readonly recordId: string;
}

const isOpen = sql`(grant_id is null and not payload ? 'error' and consumed_at is null)`;

export interface PolledRecord {
  readonly clientId: string;
  readonly isOpen: boolean;
  readonly isExpired: boolean;
}

/** Finds a request, even an expired one until cleanup, because its client gets `expired_token`. */
export async function findPolled(db: Db, { realm, model, recordId }: Key, now: number): Promise<PolledRecord | null> {
  const { rows } = await sql<PolledRecord>`
    select client_id as "clientId", ${isOpen} as "isOpen", expires_at <= ${now} as "isExpired" from oidc_records
    where realm_id = ${realm} and model = ${model} and record_id = ${recordId}`.execute(db);
  return rows[0] ?? null;
}

/**
 * RFC 8628 §3.5: returns false if the client polls too soon, and extends its interval. One statement lets only one concurrent poll pass.
 */
export async function countPoll(
  db: Db,
  { realm, model, recordId }: Key,
  now: number,
  { interval, slower }: { readonly interval: number; readonly slower: number },
): Promise<boolean> {
  const isSoon = sql`coalesce((payload #>> '{poll,due}')::bigint, 0) > ${now}`;
  const wait = sql`coalesce((payload #>> '{poll,wait}')::bigint, ${interval}::bigint) + case when ${isSoon} then ${slower}::bigint else 0 end`;
  const { rows } = await sql<{ soon: boolean }>`
    update oidc_records
    set payload = jsonb_set(payload, '{poll}', jsonb_build_object('due', ${now}::bigint + ${wait}, 'wait', ${wait}, 'soon', ${isSoon}))
    where realm_id = ${realm} and model = ${model} and record_id = ${recordId}
    returning (payload #>> '{poll,soon}')::boolean as soon`.execute(db);
  return !rows[0]?.soon;
}

/** Stores the user's decision once: only one of concurrent decisions succeeds. */
export async function decide(
  tx: Tx,
  { realm, model, recordId }: Key,
  answer: { readonly grantId: string | null; readonly payload: Record<string, unknown> },
  now: number,
): Promise<boolean> {
  const { rows } = await sql<{ record_id: string }>`
    update oidc_records set payload = payload || ${JSON.stringify(answer.payload)}::text::jsonb, grant_id = ${answer.grantId}
    where realm_id = ${realm} and model = ${model} and record_id = ${recordId} and expires_at > ${now} and ${isOpen}
    returning record_id`.execute(tx);
  return rows.length > 0;
}

/** A pending request. */
export interface OpenRequest {
  readonly recordId: string;
  readonly clientId: string;
  readonly payload: RecordPayload;
}

const openRequests = async (db: Db, realm: string, now: number, which: RawBuilder<unknown>): Promise<OpenRequest[]> => {
  const { rows } = await sql<OpenRequest>`
    select record_id as "recordId", client_id as "clientId", payload from oidc_records
    where realm_id = ${realm} and expires_at > ${now} and ${isOpen} and ${which}`.execute(db);
  return rows;
};

export const findOpenDevice = async (db: Db, realm: string, userCodeHash: string, now: number): Promise<OpenRequest | null> =>
  (await openRequests(db, realm, now, sql`model = 'DeviceCode' and user_code = ${userCodeHash}`))[0] ?? null;

const ofUser = (userId: string) => sql`model = 'BackchannelAuthenticationRequest' and payload ->> 'accountId' = ${userId}`;

/** The limit of the list. The oldest requests, which expire first, come first. */
const MOST = 50;

export const openRequestsOf = (db: Db, realm: string, userId: string, now: number): Promise<OpenRequest[]> =>
  openRequests(db, realm, now, sql`${ofUser(userId)} order by expires_at, record_id limit ${MOST}`);

/** Stores a CIBA request. `gone`: the user may not sign in. */
export const keepRequest = (
  db: Db,
  record: NewRecord,
  userId: string,
  { most, now }: { readonly most: number; readonly now: number },
): Promise<"kept" | "too_many" | "gone"> =>
  inTransaction(db, async (tx) => {
    // Held to write: of two at once, the second counts the first.
    if (!(await holdUserForSignIn(tx, record.realm, userId, { toWrite: true }))) return "gone";
    if ((await openRequestsOf(tx, record.realm, userId, now)).length >= most) return "too_many";
    await writeRecord(tx, record);
    return "kept";
  });

export const findOpenRequest = async (db: Db, realm: string, userId: string, recordId: string, now: number): Promise<OpenRequest | null> =>
  (await openRequests(db, realm, now, sql`${ofUser(userId)} and record_id = ${recordId}`))[0] ?? null;

/** Stores a device code, unless `most` codes of the client are pending. Requests of one client take turns, so that each counts those before it. */
export const keepDeviceCode = (
  db: Db,
  record: NewRecord & { readonly clientId: string },
  { most, now }: { readonly most: number; readonly now: number },
): Promise<"kept" | "too_many"> =>
  inTransaction(db, async (tx) => {
    await lockName(tx, "device-codes", record.realm, record.clientId);
    if (await hasOpenDevices(tx, record.realm, record.clientId, most, now)) return "too_many";
    await writeRecord(tx, record);
    return "kept";
  });

/** Tells whether a client has this many pending device codes. Selects by model, because the client may have a million refresh tokens. */
async function hasOpenDevices(db: Db, realm: string, clientId: string, many: number, now: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from oidc_records
    where realm_id = ${realm} and model = 'DeviceCode' and user_code is not null and client_id = ${clientId} and expires_at > ${now} and ${isOpen}
    offset ${many - 1} limit 1`.execute(db);
  return rows.length > 0;
}

export async function storeSealed(db: Db, realm: string, recordId: string, sealed: string): Promise<void> {
  await sql`
    update oidc_records set sealed = ${sealed}
    where realm_id = ${realm} and model = 'BackchannelAuthenticationRequest' and record_id = ${recordId}`.execute(db);
}

export async function findSealed(db: Db, realm: string, recordId: string, now: number): Promise<string | null> {
  const { rows } = await sql<{ sealed: string | null }>`
    select sealed from oidc_records
    where realm_id = ${realm} and model = 'BackchannelAuthenticationRequest' and record_id = ${recordId} and expires_at > ${now}`.execute(
    db,
  );
  return rows[0]?.sealed ?? null;
}

/** Locks the session until commit, so that ending it also ends new grants. Returns false if it has ended. */
export async function holdSession(tx: Tx, realm: string, sessionId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from sessions where realm_id = ${realm} and session_id = ${sessionId} for key share`.execute(tx);
  return rows.length > 0;
}

/** Tells whether a user is enabled and not locked. */
export async function isActiveUser(db: Db, realm: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from users where realm_id = ${realm} and user_id = ${userId} and enabled and not locked`.execute(db);
  return rows.length > 0;
}

export async function userOfSession(db: Db, realm: string, sessionId: string, now: number): Promise<string | null> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from sessions where realm_id = ${realm} and session_id = ${sessionId} and expires_at > ${now}`.execute(db);
  return rows[0]?.user_id ?? null;
}
