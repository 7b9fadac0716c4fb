import { sql } from "kysely";
import { type Db, type Tx, translating } from "../../platform/db/index.ts";
import { type ListQuery, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { orderOfJoined, pageOfNamed, userErrors } from "../users/index.ts";
import { groupErrors } from "./errors.ts";
import type { GroupMember } from "./schema.ts";
import type { GroupRow } from "./store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    group_members: { realm_id: string; group_id: string; user_id: string; joined_at: number };
  }
}

const LISTED = ["group_members.user_id", "users.username", "users.email", "users.enabled", "group_members.joined_at"] as const;

const membersOf = (db: Db, realm: string, groupId: string) =>
  db
    .selectFrom("group_members")
    .innerJoin("users", (join) =>
      join
        .onRef("users.realm_id", "=", "group_members.realm_id")
        .onRef("users.user_id", "=", "group_members.user_id")
        // The condition is repeated: otherwise Postgres would not walk over the users in their order.
        .on("users.realm_id", "=", realm),
    )
    .select(LISTED)
    .where("group_members.realm_id", "=", realm)
    .where("group_members.group_id", "=", groupId);

/** Up to this many members are found first and then sorted; more are found by walking over the users in their order. */
const FEW = 20_000;
/**
 * Finds the members first, and then the user of each. The offset makes Postgres do so: for few members it might otherwise scan all users, in the hope of
 * meeting them early, and without statistics, as after an import, it might compare each member with each user.
 */
const fewMembersOf = (db: Db, realm: string, groupId: string) =>
  db
    .selectFrom("group_members")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("users")
          .select(["users.user_id", "users.username", "users.username_key", "users.email", "users.enabled"])
          .where("users.realm_id", "=", realm)
          .whereRef("users.user_id", "=", "group_members.user_id")
          .offset(0)
          .as("users"),
      (join) => join.onTrue(),
    )
    .select(LISTED)
    .where("group_members.realm_id", "=", realm)
    .where("group_members.group_id", "=", groupId);

export async function listMembers(db: Db, realm: string, group: GroupRow, query: ListQuery): Promise<Page<GroupMember>> {
  const { search = "" } = query;
  const sortsFew = query.sort?.endsWith("joinedAt") !== true && search === "" && group.memberCount <= FEW;
  const all = sortsFew ? fewMembersOf(db, realm, group.groupId) : membersOf(db, realm, group.groupId);
  const order = orderOfJoined("group_members", query);
  const page =
    search === ""
      ? await pageOf(db, all, order, query, async () => ({ total: group.memberCount, estimated: false }))
      : await pageOfNamed(db, realm, { all, userId: "group_members.user_id" }, order, { ...query, search });
  return mapPage(page, toMember);
}

export async function findMember(db: Db, realm: string, groupId: string, userId: string): Promise<GroupMember | null> {
  const row = await membersOf(db, realm, groupId).where("group_members.user_id", "=", userId).executeTakeFirst();
  return row ? toMember(row) : null;
}

/** Returns true if the user was not a member before. Throws if the user is unknown, or the group was deleted. */
export async function insertMember(tx: Tx, realm: string, groupId: string, userId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await translating(
    { group_members_user: userErrors.not_found, group_members_group: groupErrors.not_found },
    tx
      .insertInto("group_members")
      .values({ realm_id: realm, group_id: groupId, user_id: userId, joined_at: now })
      .onConflict((conflict) => conflict.constraint("group_members_pkey").doNothing())
      .executeTakeFirst(),
  );
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Inserts members of many groups at once. A group that was deleted meanwhile is skipped. */
export async function insertMembers(
  tx: Tx,
  realm: string,
  members: readonly { readonly groupId: string; readonly userId: string }[],
  now: number,
): Promise<void> {
  if (members.length === 0) return;
  const rows = JSON.stringify(members.map(({ groupId, userId }) => ({ group_id: groupId, user_id: userId })));
  await sql`insert into group_members (realm_id, group_id, user_id, joined_at)
    select g.realm_id, g.group_id, r.user_id, ${now} from json_to_recordset(${rows}::text::json) as r(group_id uuid, user_id uuid)
    join groups g on g.realm_id = ${realm} and g.group_id = r.group_id
    order by g.group_id, r.user_id on conflict do nothing`.execute(tx);
}

/** Inserts many members of one group. Returns the users who were not members before. Unknown users are skipped. */
export async function insertMembersOf(tx: Tx, realm: string, groupId: string, userIds: readonly string[], now: number): Promise<string[]> {
  if (userIds.length === 0) return [];
  const { rows } = await translating(
    { group_members_user: userErrors.not_found, group_members_group: groupErrors.not_found },
    sql<{ user_id: string }>`insert into group_members (realm_id, group_id, user_id, joined_at)
      select u.realm_id, ${groupId}::uuid, u.user_id, ${now} from users u
      where u.realm_id = ${realm} and u.user_id = any(${[...userIds]}::uuid[])
      order by u.user_id on conflict do nothing returning user_id`.execute(tx),
  );
  return rows.map(({ user_id }) => user_id);
}

/** Returns those of the users who are members. */
export async function membersAmong(db: Db, realm: string, groupId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const { rows } = await sql<{ user_id: string }>`select user_id from group_members
    where realm_id = ${realm} and group_id = ${groupId}::uuid and user_id = any(${[...userIds]}::uuid[]) order by user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

export async function deleteMembersOf(tx: Tx, realm: string, groupId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const { rows } = await sql<{ user_id: string }>`delete from group_members
    where realm_id = ${realm} and group_id = ${groupId}::uuid and user_id = any(${[...userIds]}::uuid[]) returning user_id`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

export async function deleteMember(tx: Tx, realm: string, groupId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("group_members")
    .where("realm_id", "=", realm)
    .where("group_id", "=", groupId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const toMember = (row: { user_id: string; username: string; email: string | null; enabled: boolean; joined_at: number }): GroupMember => ({
  userId: row.user_id,
  username: row.username,
  email: row.email,
  enabled: row.enabled,
  joinedAt: row.joined_at,
});
