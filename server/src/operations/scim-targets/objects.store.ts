import { type Generated, type Selectable, sql } from "kysely";
import { HOUR } from "../../kernel/clock.ts";
import { type Db, deleteInBatches, type Tx } from "../../platform/db/index.ts";
import type { ObjectKind, ObjectState } from "./schema.ts";
import type { TargetKey } from "./states.store.ts";

interface ObjectsTable {
  realm_id: string;
  target_id: string;
  kind: ObjectKind;
  local_id: string;
  remote_id: string | null;
  state: ObjectState;
  changes: Generated<number>;
  leaving: boolean | null;
  confirmed: Generated<boolean>;
  erased: Generated<boolean>;
  sent_digest: string | null;
  failed_digest: string | null;
  attempts: Generated<number>;
  next_at: number;
  error: string | null;
  sent_at: number | null;
  left_at: number | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_objects: ObjectsTable;
  }
}

/** A user or group with its state at a target. */
export type StoredObject = Omit<Selectable<ObjectsTable>, "realm_id" | "target_id">;

const columns = [
  ...["kind", "local_id", "remote_id", "state", "changes", "leaving", "confirmed", "erased"],
  ...["sent_digest", "failed_digest", "attempts", "next_at", "error", "sent_at", "left_at"],
] as const;
const selected = sql.join(columns.map((column) => sql.ref(`o.${column}`)));
const of = ({ realm, targetId }: TargetKey) => sql`o.realm_id = ${realm} and o.target_id = ${targetId}::uuid`;

/** Returns waiting objects that are not classified yet. */
export async function unclassified(db: Db, target: TargetKey, limit: number, now: number): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`select ${selected} from scim_objects o
    where ${of(target)} and o.state = 'PENDING' and o.next_at <= ${now} and o.leaving is null order by o.next_at limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Returns objects that are due and may be sent. */
export async function dueObjects(db: Db, target: TargetKey, kind: ObjectKind, limit: number, now: number): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`select ${selected} from scim_objects o
    where ${of(target)} and o.state = 'PENDING' and o.next_at <= ${now} and o.leaving is not null and o.kind = ${kind}
    order by o.next_at, o.local_id limit ${limit}`.execute(db);
  return rows;
}

export async function objectsOf(db: Db, target: TargetKey, kind: ObjectKind, ids: readonly string[]): Promise<Map<string, StoredObject>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<StoredObject>`select ${selected} from scim_objects o
    where ${of(target)} and o.kind = ${kind} and o.local_id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.local_id, row]));
}

/** Returns the next objects in the order of their ids. */
export async function walkObjects(db: Db, target: TargetKey, kind: ObjectKind, after: string, limit: number): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`select ${selected} from scim_objects o
    where ${of(target)} and o.kind = ${kind} and o.local_id > ${after}::uuid order by o.local_id limit ${limit}`.execute(db);
  return rows;
}

/** Marks objects to be compared and sent. Their attempts are counted anew. */
export async function markObjects(
  tx: Tx,
  target: TargetKey,
  kind: ObjectKind,
  ids: readonly string[],
  now: number,
  forgetsSent = false,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into scim_objects as o (realm_id, target_id, kind, local_id, state, next_at)
    select ${target.realm}, ${target.targetId}::uuid, ${kind}, id, 'PENDING', ${now}::bigint from unnest(${[...ids].sort()}::uuid[]) as id
    on conflict (realm_id, target_id, kind, local_id) do update
      set state = 'PENDING', changes = o.changes + 1, leaving = null, attempts = 0, next_at = ${now}::bigint,
        sent_digest = case when ${forgetsSent} then null else o.sent_digest end`.execute(tx);
}

export interface Change {
  readonly realm_id: string;
  readonly kind: ObjectKind;
  readonly object_id: string;
}

/** Marks changed objects for every enabled target of their realms. An object that exists neither here nor at the target needs no row. */
export async function markChanges(tx: Tx, changes: readonly Change[], now: number): Promise<void> {
  await sql`
    insert into scim_objects as o (realm_id, target_id, kind, local_id, state, next_at)
    select t.realm_id, t.target_id, c.kind, c.object_id, 'PENDING', ${now}::bigint
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as c (realm_id text, kind text, object_id uuid)
    join scim_targets t on t.realm_id = c.realm_id and t.enabled
    where exists (select 1 from scim_objects k
        where k.realm_id = t.realm_id and k.target_id = t.target_id and k.kind = c.kind and k.local_id = c.object_id)
      or (c.kind = 'user' and exists (select 1 from users u where u.realm_id = c.realm_id and u.user_id = c.object_id))
      or (c.kind = 'group' and t.config->'groups'->>'mode' <> 'none'
        and exists (select 1 from groups g where g.realm_id = c.realm_id and g.group_id = c.object_id))
    order by 1, 2, 3, 4
    on conflict (realm_id, target_id, kind, local_id) do update
      set state = 'PENDING', changes = o.changes + 1, leaving = null, attempts = 0, next_at = ${now}::bigint`.execute(tx);
}

const exact = (target: TargetKey, { kind, local_id }: Pick<StoredObject, "kind" | "local_id">) =>
  sql`${of(target)} and o.kind = ${kind} and o.local_id = ${local_id}::uuid`;
/** The condition that an object has not changed since it was read; otherwise it still has to be sent. */
const unchanged = ({ changes }: Pick<StoredObject, "changes">) => sql`o.changes = ${changes}`;

/** Stores which of the objects leave. */
export async function classify(
  tx: Tx,
  target: TargetKey,
  classified: readonly { readonly object: StoredObject; readonly leaving: boolean }[],
): Promise<void> {
  if (classified.length === 0) return;
  const rows = classified.map(({ object: { kind, local_id, changes }, leaving }) => ({ kind, local_id, changes, leaving }));
  await sql`update scim_objects o set leaving = c.leaving, confirmed = o.confirmed and c.leaving
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as c (kind text, local_id uuid, changes bigint, leaving boolean)
    where ${of(target)} and o.kind = c.kind and o.local_id = c.local_id and o.changes = c.changes`.execute(tx);
}

/** Deletes an object for which there is nothing to do, here or at the target. */
export async function dropObject(tx: Tx, target: TargetKey, object: StoredObject): Promise<void> {
  await sql`delete from scim_objects o where ${exact(target, object)} and ${unchanged(object)}`.execute(tx);
}

/** Records that an object was sent: the target has the state of `digest`. */
export async function storeSent(
  tx: Tx,
  target: TargetKey,
  object: StoredObject,
  sent: { readonly remoteId: string | null; readonly digest: string },
  now: number,
): Promise<void> {
  const left = object.leaving && !object.confirmed ? sql`${now}::bigint` : sql`o.left_at`;
  await sql`update scim_objects o set remote_id = ${sent.remoteId}, sent_digest = ${sent.digest}, failed_digest = null, attempts = 0, error = null,
      sent_at = ${now}, left_at = ${left}, confirmed = false,
      state = case when ${unchanged(object)} then 'SYNCED' else o.state end, leaving = case when ${unchanged(object)} then false else o.leaving end
    where ${exact(target, object)}`.execute(tx);
}

/** Records that an account was deleted at the target, or is no longer managed from here. It counts as leaving for a while. */
export async function storeGone(tx: Tx, target: TargetKey, object: StoredObject, now: number): Promise<void> {
  if (object.erased) {
    await sql`delete from scim_objects o where ${exact(target, object)}`.execute(tx);
    return;
  }
  const left = object.confirmed ? 0 : now;
  await sql`update scim_objects o set remote_id = null, sent_digest = null, failed_digest = null, attempts = 0, error = null, left_at = ${left},
      sent_at = ${now}, confirmed = false, leaving = case when ${unchanged(object)} then false else o.leaving end,
      state = case when ${unchanged(object)} then 'GONE' else o.state end
    where ${exact(target, object)}`.execute(tx);
}

/** Stores the object's id at the target, or null for none. "taken": it is the id of another user or group. "gone": the object no longer exists here. */
export async function storeRemoteId(
  db: Db,
  target: TargetKey,
  object: StoredObject,
  remoteId: string | null,
): Promise<"stored" | "taken" | "gone"> {
  try {
    const { numAffectedRows } =
      await sql`update scim_objects o set remote_id = ${remoteId}, sent_digest = null where ${exact(target, object)}`.execute(db);
    return numAffectedRows === 0n ? "gone" : "stored";
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== "scim_objects_claimed") throw error;
    return "taken";
  }
}

/** Records the account of a user who was erased while it was created, so that it is deleted there. A deleted target gets no more objects. */
export async function storeErased(db: Db, { realm, targetId }: TargetKey, remoteId: string, now: number): Promise<void> {
  await sql`insert into scim_objects (realm_id, target_id, kind, local_id, remote_id, state, erased, confirmed, next_at)
    select realm_id, target_id, 'user', gen_random_uuid(), ${remoteId}, 'PENDING', true, true, ${now}::bigint
    from scim_targets where realm_id = ${realm} and target_id = ${targetId}::uuid on conflict do nothing`.execute(db);
}

/** Records a failed attempt. `digest`: a refused representation is sent again only if it differs. */
export async function storeFailure(
  tx: Tx,
  target: TargetKey,
  object: StoredObject,
  failure: {
    readonly state: "PENDING" | "FAILED" | "DEAD";
    readonly digest: string | null;
    readonly error: string;
    readonly nextAt: number;
  },
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update scim_objects o set state = ${failure.state}, failed_digest = ${failure.digest}, error = ${failure.error},
      attempts = o.attempts + 1, next_at = ${failure.nextAt}
    where ${exact(target, object)} and ${unchanged(object)}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Marks the groups of a user who has an account there now, because the membership can be sent. */
export async function markGroupsOf(tx: Tx, target: TargetKey, userId: string, now: number): Promise<void> {
  await sql`update scim_objects o set state = 'PENDING', changes = o.changes + 1, leaving = null, attempts = 0, next_at = ${now}
    from group_members m
    where ${of(target)} and o.kind = 'group' and o.state <> 'PENDING' and m.realm_id = o.realm_id and m.group_id = o.local_id
      and m.user_id = ${userId}::uuid`.execute(tx);
}

/** Accounts that leave within this time count together. */
const LATELY = HOUR;

/** Counts the accounts that leave now or have recently left without a confirmation, and the accounts that the target has. */
export async function countLeaving(db: Db, target: TargetKey, now: number): Promise<{ leaving: number; accounts: number }> {
  const { rows } = await sql<{ waiting: number; held: number; left: number; accounts: number }>`
    select count(*) filter (where o.state = 'PENDING' and o.leaving and not o.confirmed and not o.erased)::int as waiting,
      count(*) filter (where o.state = 'HELD')::int as held,
      count(*) filter (where o.left_at > ${now - LATELY})::int as left,
      count(*) filter (where o.remote_id is not null or o.left_at > ${now - LATELY})::int as accounts
    from scim_objects o where ${of(target)}`.execute(db);
  const { waiting = 0, held = 0, left = 0, accounts = 0 } = rows[0] ?? {};
  return { leaving: waiting === 0 ? 0 : waiting + held + left, accounts };
}

export async function holdLeaving(tx: Tx, target: TargetKey): Promise<number> {
  const { numAffectedRows } = await sql`update scim_objects o set state = 'HELD'
    where ${of(target)} and o.state = 'PENDING' and o.leaving and not o.confirmed and not o.erased`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export async function hasLeaving(db: Db, target: TargetKey): Promise<boolean> {
  const { rows } = await sql`select 1 from scim_objects o
    where ${of(target)} and o.state = 'PENDING' and o.leaving and not o.confirmed and not o.erased limit 1`.execute(db);
  return rows.length > 0;
}

export async function hasHeld(db: Db, target: TargetKey): Promise<boolean> {
  const { rows } = await sql`select 1 from scim_objects o where ${of(target)} and o.state = 'HELD' limit 1`.execute(db);
  return rows.length > 0;
}

/** Tells whether something waits for an attempt, now or later. */
export async function hasPendingObjects(db: Db): Promise<boolean> {
  const row = await db.selectFrom("scim_objects").select("local_id").where("state", "=", "PENDING").limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Deletes objects that were kept to notice a mass deletion. */
export async function deleteGoneObjects(db: Db, now: number): Promise<void> {
  await deleteInBatches(db, "scim_objects", sql`state = 'GONE' and left_at <= ${now - LATELY}`);
}
