import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import { type MappedRole, rolesGivenInRealm, rolesGivenTo } from "../roles/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    group_roles: { realm_id: string; group_id: string; role_id: string };
  }
}

/** Tells whether members of a group get the roles of the groups above it. */
const inherits = (realm: string) =>
  sql<boolean>`exists (select 1 from realm_settings s where s.realm_id = ${realm} and s.settings #> '{groups,inheritRoles}' = 'true')`;

/** Returns the roles that a group grants: realm roles first, then roles of clients. */
export const rolesOf = (db: Db, realm: string, groupId: string): Promise<MappedRole[]> =>
  rolesGivenTo(db, realm, { table: "group_roles", column: "group_id" }, groupId);

export const rolesOfGroups = (db: Db, realm: string): Promise<Map<string, MappedRole[]>> =>
  rolesGivenInRealm(db, realm, { table: "group_roles", column: "group_id" });

/** Returns the roles that members of these groups get, including those of the groups above if the realm enables inheritance. */
export async function rolesGrantedBy(db: Db, realm: string, groupIds: readonly string[]): Promise<string[]> {
  const ids = [...groupIds];
  const { rows } = await sql<{ role_id: string }>`
    select role_id from group_roles where realm_id = ${realm} and group_id = any(${ids}::uuid[])
    union
    select gr.role_id from group_ancestors ga
      join group_roles gr on gr.realm_id = ga.realm_id and gr.group_id = ga.ancestor_id
      where ga.realm_id = ${realm} and ga.group_id = any(${ids}::uuid[]) and ${inherits(realm)}`.execute(db);
  return rows.map(({ role_id }) => role_id);
}

/** Returns the roles that subgroups of these groups inherit; none if the realm disables inheritance. */
export async function rolesHandedDown(db: Db, realm: string, groupIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ role_id: string }>`
    select distinct role_id from group_roles
    where realm_id = ${realm} and group_id = any(${[...groupIds]}::uuid[]) and ${inherits(realm)}`.execute(db);
  return rows.map(({ role_id }) => role_id);
}

/** Returns the roles of all groups that have subgroups. */
export async function rolesOfParents(db: Db, realm: string): Promise<string[]> {
  const { rows } = await sql<{ role_id: string }>`
    select distinct gr.role_id from group_roles gr
    where gr.realm_id = ${realm} and exists (
      select 1 from group_ancestors ga where ga.realm_id = gr.realm_id and ga.ancestor_id = gr.group_id)`.execute(db);
  return rows.map(({ role_id }) => role_id);
}

export async function addRole(tx: Tx, realm: string, groupId: string, roleId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("group_roles")
    .values({ realm_id: realm, group_id: groupId, role_id: roleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function dropRole(tx: Tx, realm: string, groupId: string, roleId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("group_roles")
    .where("realm_id", "=", realm)
    .where("group_id", "=", groupId)
    .where("role_id", "=", roleId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
