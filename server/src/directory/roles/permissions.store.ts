import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";
import type { AdminRole } from "./schema.ts";

export async function permissionsOfRoles(db: Db, realm: string, roleIds: readonly string[]): Promise<Permission[]> {
  if (roleIds.length === 0) return [];
  const rows = await db
    .selectFrom("role_permissions")
    .select("permission")
    .distinct()
    .where("realm_id", "=", realm)
    .where("role_id", "in", roleIds)
    .execute();
  return rows.map(({ permission }) => permission as Permission);
}

export async function permissionsOfUser(db: Db, realm: string, userId: string): Promise<Permission[]> {
  const rows = await db
    .selectFrom("user_permissions")
    .select("permission")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .execute();
  return rows.map(({ permission }) => permission as Permission);
}

export async function replacePermissions(tx: Tx, realm: string, roleId: string, permissions: readonly Permission[]): Promise<void> {
  await tx.deleteFrom("role_permissions").where("realm_id", "=", realm).where("role_id", "=", roleId).execute();
  if (permissions.length === 0) return;
  await tx
    .insertInto("role_permissions")
    .values(permissions.map((permission) => ({ realm_id: realm, role_id: roleId, permission })))
    .execute();
}

/** Each role with its permissions, in the order of names. */
export async function adminRoles(db: Db, realm: string, roleIds: readonly string[]): Promise<AdminRole[]> {
  if (roleIds.length === 0) return [];
  const { rows } = await sql<{ role_id: string; name: string; permissions: Permission[] }>`
    select r.role_id, r.name, coalesce(json_agg(p.permission order by p.permission) filter (where p.permission is not null), '[]') as permissions
    from roles r left join role_permissions p on p.realm_id = r.realm_id and p.role_id = r.role_id
    where r.realm_id = ${realm} and r.role_id = any(${[...roleIds]}::uuid[])
    group by r.role_id, r.name, r.name_key order by r.name_key`.execute(db);
  return rows.map((row) => ({ realmId: realm, roleId: row.role_id, roleName: row.name, permissions: row.permissions }));
}

/** Whether anybody is left who can do everything: enabled, not locked by an administrator. */
export async function hasRealmAdmin(db: Db, realm: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from user_permissions p
    join users u on u.realm_id = p.realm_id and u.user_id = p.user_id
    where p.realm_id = ${realm} and p.permission = 'realm-admin' and u.enabled and not u.locked limit 1`.execute(db);
  return rows.length > 0;
}
