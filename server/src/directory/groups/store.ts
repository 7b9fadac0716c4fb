import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { isId, newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertRow,
  nextVersion,
  startsWith,
  type Tx,
  translating,
  updateRows,
} from "../../platform/db/index.ts";
import { listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { roleOf } from "../roles/index.ts";
import { groupErrors } from "./errors.ts";
import { pathsOfGroups } from "./paths.store.ts";
import type { Group, GroupQuery } from "./schema.ts";

interface GroupsTable {
  realm_id: string;
  group_id: string;
  parent_id: string | null;
  name: string;
  name_key: string;
  description: string | null;
  created_at: number;
  /** Null if the group was not changed since creation, or only by a release that did not record this. */
  updated_at: ColumnType<number | null, never, number>;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    groups: GroupsTable;
    /** The groups above a group, without itself. */
    group_ancestors: { realm_id: string; group_id: string; ancestor_id: string };
    /** Triggers count in sixteen rows, so that users who join at once do not wait for each other. */
    group_member_counts: { realm_id: string; group_id: string; shard: number; members: number };
  }
}

export interface GroupRow extends Group {
  readonly version: number;
}

const columns = ["realm_id", "group_id", "parent_id", "name", "description", "created_at", "version"] as const;
const shown = [
  ...columns,
  sql<number>`coalesce((select sum(c.members) from group_member_counts c
    where c.realm_id = groups.realm_id and c.group_id = groups.group_id), 0)::bigint`.as("members"),
  sql<string[]>`array(select r.name from group_roles gr ${roleOf("gr")}
    where gr.realm_id = groups.realm_id and gr.group_id = groups.group_id and r.client_id is null order by r.name_key)`.as("role_names"),
] as const;
type Shown = Pick<Selectable<GroupsTable>, (typeof columns)[number]> & { members: number; role_names: string[] };

const order = listOrder("name", { name: "groups.name_key", createdAt: "groups.created_at" }, "groups.group_id");

export async function listGroups(db: Db, realm: string, query: GroupQuery): Promise<Page<GroupRow>> {
  const { search = "", parentId } = query;
  const prefix = loginKey(search);
  const base = db
    .selectFrom("groups")
    .select(shown)
    .where("realm_id", "=", realm)
    .$if(parentId === "", (q) => q.where("parent_id", "is", null))
    .$if(parentId !== undefined && parentId !== "", (q) => q.where("parent_id", "=", parentId!))
    .$if(search !== "", (q) =>
      q.where((eb) => {
        const named = startsWith("name_key", prefix);
        return isId(search) ? eb.or([named, eb("group_id", "=", search)]) : named;
      }),
    );
  const page = await pageOf(db, base, order, query);
  const paths = await pathsOfGroups(
    db,
    realm,
    page.rows.map(({ group_id }) => group_id),
  );
  return mapPage(page, (row) => toGroup(row, paths));
}

export async function findGroup(db: Db, realm: string, groupId: string): Promise<GroupRow | null> {
  const row = await findRow(db, "groups", shown, { realm_id: realm, group_id: groupId });
  return row ? toGroup(row, await pathsOfGroups(db, realm, [groupId])) : null;
}

const taken = { groups_name_taken: groupErrors.name_taken };

/** Inserts a group. Changes of groups hold the realm's lock, so rows need no lock. */
export async function insertGroup(
  tx: Tx,
  realm: string,
  group: { name: string; description: string | null; parentId: string | null },
  now: number,
): Promise<string> {
  const groupId = newId();
  const { name, description, parentId: parent_id } = group;
  const row = { realm_id: realm, group_id: groupId, parent_id, name, name_key: loginKey(name), description, created_at: now };
  await translating(taken, insertRow(tx, "groups", row));
  return groupId;
}

export async function updateGroup(
  tx: Tx,
  realm: string,
  groupId: string,
  change: { name?: string; description?: string | null; parentId?: string | null },
  now: number,
): Promise<void> {
  const { parentId: parent_id, ...others } = change;
  const named = change.name !== undefined && { name_key: loginKey(change.name) };
  // Kysely leaves out undefined columns.
  const changed = { ...others, ...named, parent_id, updated_at: now, version: nextVersion };
  await translating(taken, updateRows(tx, "groups", { realm_id: realm, group_id: groupId }, changed));
}

/** Deletes a group with the groups below it and all memberships. */
export async function deleteGroup(tx: Tx, realm: string, groupId: string): Promise<void> {
  await deleteRows(tx, "groups", { realm_id: realm, group_id: groupId });
}

const toGroup = (row: Shown, paths: ReadonlyMap<string, string>): GroupRow => ({
  realmId: row.realm_id,
  groupId: row.group_id,
  name: row.name,
  description: row.description,
  parentId: row.parent_id,
  path: paths.get(row.group_id)!,
  memberCount: row.members,
  roleNames: row.role_names,
  createdAt: row.created_at,
  version: row.version,
});

/** Returns those of the ids that are groups of the realm. */
export async function existingGroups(db: Db, realm: string, ids: readonly string[]): Promise<string[]> {
  const wellFormed = ids.filter(isId);
  if (wellFormed.length === 0) return [];
  const rows = await db.selectFrom("groups").select("group_id").where("realm_id", "=", realm).where("group_id", "in", wellFormed).execute();
  return rows.map(({ group_id }) => group_id);
}
