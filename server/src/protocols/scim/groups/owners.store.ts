import { sql } from "kysely";
import { type Db, deleteRows, type Tx } from "../../../platform/db/index.ts";

/** Returns the aliases of the organizations whose tokens provision groups, by group id. */
export async function organizationsOfGroups(db: Db, realm: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ group_id: string; alias: string }>`
    select g.group_id, o.alias from scim_organization_groups g
    join organizations o on o.realm_id = g.realm_id and o.organization_id = g.organization_id
    where g.realm_id = ${realm} order by o.alias desc`.execute(db);
  return new Map(rows.map(({ group_id, alias }) => [group_id, alias]));
}

export async function clearOwners(tx: Tx, realm: string, groupId: string): Promise<void> {
  await deleteRows(tx, "scim_organization_groups", { realm_id: realm, group_id: groupId });
}
