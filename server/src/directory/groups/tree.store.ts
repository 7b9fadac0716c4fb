import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";

/** Returns the group, then its ancestors in any order. */
export async function withAncestors(db: Db, realm: string, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("group_ancestors")
    .select("ancestor_id")
    .where("realm_id", "=", realm)
    .where("group_id", "=", groupId)
    .execute();
  return [groupId, ...rows.map(({ ancestor_id }) => ancestor_id)];
}

/** Returns the group and all groups below it. */
export async function subtreeOf(db: Db, realm: string, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("group_ancestors")
    .select("group_id")
    .where("realm_id", "=", realm)
    .where("ancestor_id", "=", groupId)
    .execute();
  return [groupId, ...rows.map(({ group_id }) => group_id)];
}

/** Returns the number of levels of groups below this one. */
export async function heightOf(db: Db, realm: string, groupId: string): Promise<number> {
  const { rows } = await sql<{ height: number }>`
    select coalesce(max(levels), 0)::int as height from (
      select (select count(*) from group_ancestors a where a.realm_id = d.realm_id and a.group_id = d.group_id)
        - (select count(*) from group_ancestors a where a.realm_id = d.realm_id and a.group_id = d.ancestor_id) as levels
      from group_ancestors d where d.realm_id = ${realm} and d.ancestor_id = ${groupId}) below`.execute(db);
  return rows[0]!.height;
}

/** Moves a subtree from below the groups `before` to below the groups `after`. The caller holds the realm's lock. */
export async function replaceAncestors(
  tx: Tx,
  realm: string,
  subtree: readonly string[],
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  await sql`delete from group_ancestors
    where realm_id = ${realm} and group_id = any(${[...subtree]}::uuid[]) and ancestor_id = any(${[...before]}::uuid[])`.execute(tx);
  await sql`insert into group_ancestors (realm_id, group_id, ancestor_id)
    select ${realm}, g, a from unnest(${[...subtree]}::uuid[]) g cross join unnest(${[...after]}::uuid[]) a`.execute(tx);
}
