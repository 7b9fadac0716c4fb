import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { StoredObject } from "./objects.store.ts";
import type { ObjectKind, ObjectQuery, ObjectState, ScimTargetObject, ScimTargetStatus } from "./schema.ts";
import type { TargetKey } from "./states.store.ts";

// The objects of targets, as administrators see and retry them.

const of = ({ realm, targetId }: TargetKey) => sql`o.realm_id = ${realm} and o.target_id = ${targetId}::uuid`;

export async function confirmHeld(tx: Tx, target: TargetKey, now: number): Promise<number> {
  const { numAffectedRows } = await sql`update scim_objects o set state = 'PENDING', confirmed = true, next_at = ${now}
    where ${of(target)} and o.state = 'HELD'`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

const again = (now: number) =>
  sql`state = 'PENDING', changes = o.changes + 1, leaving = null, attempts = 0, failed_digest = null, error = null, next_at = ${now}`;

export async function retryObject(tx: Tx, target: TargetKey, localId: string, now: number): Promise<void> {
  await sql`update scim_objects o set ${again(now)} where ${of(target)} and o.local_id = ${localId}::uuid and o.state <> 'GONE'`.execute(
    tx,
  );
}

export async function retryRefused(tx: Tx, target: TargetKey, now: number): Promise<void> {
  await sql`update scim_objects o set ${again(now)} where ${of(target)} and o.state in ('FAILED', 'DEAD')`.execute(tx);
}

export async function countObjects(db: Db, target: TargetKey): Promise<Pick<ScimTargetStatus, "users" | "groups">> {
  const { rows } = await sql<{ kind: ObjectKind; state: ObjectState; count: number }>`
    select o.kind, o.state, count(*)::int as count from scim_objects o where ${of(target)} group by 1, 2`.execute(db);
  const number = (kind: ObjectKind, state: ObjectState) => rows.find((row) => row.kind === kind && row.state === state)?.count ?? 0;
  const countsOf = (kind: ObjectKind) => ({
    synced: number(kind, "SYNCED"),
    pending: number(kind, "PENDING"),
    failed: number(kind, "FAILED"),
    dead: number(kind, "DEAD"),
    held: number(kind, "HELD"),
  });
  return { users: countsOf("user"), groups: countsOf("group") };
}

const order = listOrder("id", { id: "local_id" }, "local_id");

const listed = (db: Db, { realm, targetId }: TargetKey) =>
  db
    .selectFrom("scim_objects")
    .select(["kind", "local_id", "remote_id", "state", "attempts", "next_at", "error", "sent_at"])
    .select(
      sql<
        string | null
      >`case kind when 'user' then (select u.username from users u where u.realm_id = scim_objects.realm_id and u.user_id = local_id)
        else (select g.name from groups g where g.realm_id = scim_objects.realm_id and g.group_id = local_id) end`.as("name"),
    )
    .where("realm_id", "=", realm)
    .where("target_id", "=", targetId);

type Listed = Pick<StoredObject, "kind" | "local_id" | "remote_id" | "state" | "attempts" | "next_at" | "error" | "sent_at"> & {
  readonly name: string | null;
};

const shown = (row: Listed): ScimTargetObject => ({
  id: row.local_id,
  kind: row.kind,
  name: row.name,
  remoteId: row.remote_id,
  state: row.state,
  attempts: row.attempts,
  nextAttemptAt: row.state === "PENDING" ? row.next_at : null,
  error: row.error,
  sentAt: row.sent_at,
});

export async function listObjects(db: Db, target: TargetKey, query: ObjectQuery): Promise<Page<ScimTargetObject>> {
  const { search, state, kind, ...page } = query;
  const base = listed(db, target)
    .$if(state !== undefined, (q) => q.where("state", "=", state!))
    .$if(kind !== undefined, (q) => q.where("kind", "=", kind!))
    .$if(search !== undefined && search !== "", (q) =>
      isId(search!)
        ? q.where("local_id", "=", search!)
        : // Every kind is named so that the index is used.
          q.where(sql<boolean>`((kind in ('user', 'group') and remote_id = ${search!}) or local_id in (
            select n.user_id from login_names n where n.realm_id = scim_objects.realm_id and n.key = ${loginKey(search!)}))`),
    );
  const found = await pageOf(db, base, order, page);
  return { ...found, rows: found.rows.map((row) => shown(row as Listed)) };
}

export async function findObject(db: Db, target: TargetKey, localId: string): Promise<ScimTargetObject | null> {
  const row = await listed(db, target).where("local_id", "=", localId).limit(1).executeTakeFirst();
  return row ? shown(row as Listed) : null;
}
