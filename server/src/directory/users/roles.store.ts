import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import { type MappedRole, type RoleMapping, rolesGivenTo } from "../roles/index.ts";

/** Returns the roles that the user was given directly: realm roles first, then roles of clients. */
export const listMappings = (db: Db, realm: string, userId: string): Promise<MappedRole[]> =>
  rolesGivenTo(db, realm, { table: "user_roles", column: "user_id" }, userId);

/** Returns every role that counts for a user, with every assignment that gives it: realm roles first, then roles of clients. */
export async function effectiveRoles(db: Db, realm: string, userId: string): Promise<RoleMapping[]> {
  const { rows } = await sql<{
    role_id: string;
    name: string;
    client_id: string | null;
    is_default: boolean;
    origins: RoleMapping["origins"];
  }>`
    select r.role_id, r.name, c.client_id, r.is_default,
      json_agg(json_build_object('type', e.origin, 'id', e.via, 'name', coalesce(g.name, i.name))
        order by array_position(array['direct', 'group', 'composite'], e.origin), coalesce(g.name_key, i.name_key), e.via) as origins
    from (select distinct role_id, origin, via from user_effective_roles where realm_id = ${realm} and user_id = ${userId}) e
    join roles r on r.realm_id = ${realm} and r.role_id = e.role_id
    left join clients c on c.realm_id = ${realm} and c.id = r.client_id
    left join groups g on e.origin = 'group' and g.realm_id = ${realm} and g.group_id = e.via
    left join roles i on e.origin = 'composite' and i.realm_id = ${realm} and i.role_id = e.via
    group by r.role_id, r.name, c.client_id, r.name_key, r.is_default
    order by c.client_id nulls first, r.name_key`.execute(db);
  return rows.map((row) => ({
    roleId: row.role_id,
    name: row.name,
    clientId: row.client_id,
    direct: row.origins.some(({ type }) => type === "direct"),
    default: row.is_default,
    origins: row.origins,
  }));
}

/** Returns the roles that the user did not have before. */
export async function addRoles(tx: Tx, realm: string, userId: string, roleIds: readonly string[]): Promise<string[]> {
  if (roleIds.length === 0) return [];
  const added = await tx
    .insertInto("user_roles")
    .values(roleIds.map((roleId) => ({ realm_id: realm, user_id: userId, role_id: roleId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("role_id")
    .execute();
  return added.map(({ role_id }) => role_id);
}

export async function dropRoles(tx: Tx, realm: string, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  await tx.deleteFrom("user_roles").where("realm_id", "=", realm).where("user_id", "=", userId).where("role_id", "in", roleIds).execute();
}
