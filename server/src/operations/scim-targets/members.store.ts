import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import { inScope } from "./people.store.ts";
import type { Settings } from "./schema.ts";
import type { TargetKey } from "./states.store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_members: { realm_id: string; target_id: string; group_id: string; user_id: string };
  }
}

/** A member whose membership is to be sent. `remoteId` is null if the account there is gone, and its memberships with it. */
export interface MemberChange {
  readonly userId: string;
  readonly remoteId: string | null;
}

type Sender = TargetKey & { readonly settings: Pick<Settings, "users"> };

/** The members of a group who have an account at the target, and should be members there. */
const wanted = ({ realm, targetId, settings }: Sender, groupId: string) => sql`
  select m.user_id, o.remote_id from group_members m
  join users u on u.realm_id = m.realm_id and u.user_id = m.user_id
  join scim_objects o on o.realm_id = m.realm_id and o.target_id = ${targetId}::uuid and o.kind = 'user' and o.local_id = m.user_id
    and o.remote_id is not null
  where m.realm_id = ${realm} and m.group_id = ${groupId}::uuid and ${inScope(settings)}`;

const sent = ({ realm, targetId }: TargetKey, groupId: string) =>
  sql`s.realm_id = ${realm} and s.target_id = ${targetId}::uuid and s.group_id = ${groupId}::uuid`;

export async function membersToAdd(db: Db, target: Sender, groupId: string, limit: number): Promise<MemberChange[]> {
  const { rows } = await sql<MemberChange>`
    select w.user_id as "userId", w.remote_id as "remoteId" from (${wanted(target, groupId)}) w
    where not exists (select 1 from scim_members s where ${sent(target, groupId)} and s.user_id = w.user_id)
    order by w.user_id limit ${limit}`.execute(db);
  return rows;
}

export async function membersToRemove(db: Db, target: Sender, groupId: string, limit: number): Promise<MemberChange[]> {
  const { rows } = await sql<MemberChange>`
    select s.user_id as "userId", o.remote_id as "remoteId" from scim_members s
    left join scim_objects o on o.realm_id = s.realm_id and o.target_id = s.target_id and o.kind = 'user' and o.local_id = s.user_id
    where ${sent(target, groupId)} and not exists (select 1 from (${wanted(target, groupId)}) w where w.user_id = s.user_id)
    order by s.user_id limit ${limit}`.execute(db);
  return rows;
}

export async function hasMemberChanges(db: Db, target: Sender, groupId: string): Promise<boolean> {
  return (await membersToAdd(db, target, groupId, 1)).length > 0 || (await membersToRemove(db, target, groupId, 1)).length > 0;
}

export async function storeAdded(tx: Tx, { realm, targetId }: TargetKey, groupId: string, userIds: readonly string[]): Promise<void> {
  await sql`insert into scim_members (realm_id, target_id, group_id, user_id)
    select ${realm}, ${targetId}::uuid, ${groupId}::uuid, id from unnest(${[...userIds]}::uuid[]) as id on conflict do nothing`.execute(tx);
}

export async function storeRemoved(tx: Tx, target: TargetKey, groupId: string, userIds: readonly string[]): Promise<void> {
  await sql`delete from scim_members s where ${sent(target, groupId)} and s.user_id = any(${[...userIds]}::uuid[])`.execute(tx);
}

/** Stores which members a group has at the target, of the accounts that are ours. */
export async function storeKnownMembers(tx: Tx, target: TargetKey, groupId: string, remoteIds: readonly string[]): Promise<void> {
  const { realm, targetId } = target;
  await sql`delete from scim_members s using scim_objects o
    where ${sent(target, groupId)} and o.realm_id = s.realm_id and o.target_id = s.target_id and o.kind = 'user' and o.local_id = s.user_id
      and not o.remote_id = any(${[...remoteIds]}::text[])`.execute(tx);
  await sql`insert into scim_members (realm_id, target_id, group_id, user_id)
    select o.realm_id, o.target_id, ${groupId}::uuid, o.local_id from scim_objects o
    where o.realm_id = ${realm} and o.target_id = ${targetId}::uuid and o.kind = 'user' and o.remote_id = any(${[...remoteIds]}::text[])
    on conflict do nothing`.execute(tx);
}

/** Deletes the memberships of a group or an account that no longer exists at the target. */
export async function forgetMembersOf(
  tx: Tx,
  { realm, targetId }: TargetKey,
  who: { groupId: string } | { userId: string },
): Promise<void> {
  const one = "groupId" in who ? sql`group_id = ${who.groupId}::uuid` : sql`user_id = ${who.userId}::uuid`;
  await sql`delete from scim_members where realm_id = ${realm} and target_id = ${targetId}::uuid and ${one}`.execute(tx);
}
