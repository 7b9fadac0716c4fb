import { sql } from "kysely";
import { type MappedRole, rolesGivenInRealm, rolesGivenTo } from "../../directory/roles/index.ts";
import { type Db, deleteRows, type Tx } from "../../platform/db/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    service_account_roles: { realm_id: string; id: string; role_id: string };
    /** A view: the roles that were given to a client, and those that they include. */
    service_account_effective_roles: { realm_id: string; id: string; role_id: string };
  }
}

/**
 * Returns the permissions of a service account. `id` is the client's id in the admin API. They are never cached, so that a revocation is
 * effective immediately.
 */
export async function findServiceAccountPermissions(db: Db, realm: string, id: string): Promise<Permission[]> {
  const { rows } = await sql<{ permission: Permission }>`
    select distinct p.permission from service_account_effective_roles e
    join role_permissions p on p.realm_id = e.realm_id and p.role_id = e.role_id
    where e.realm_id = ${realm} and e.id = ${id}`.execute(db);
  return rows.map(({ permission }) => permission);
}

/** Returns the roles that are assigned to this client directly, the realm's roles first. */
export const rolesOfServiceAccount = (db: Db, realm: string, id: string): Promise<MappedRole[]> =>
  rolesGivenTo(db, realm, { table: "service_account_roles", column: "id" }, id);

export const rolesOfServiceAccounts = (db: Db, realm: string): Promise<Map<string, MappedRole[]>> =>
  rolesGivenInRealm(db, realm, { table: "service_account_roles", column: "id" });

export async function addServiceAccountRole(tx: Tx, realm: string, id: string, roleId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("service_account_roles")
    .values({ realm_id: realm, id, role_id: roleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function dropServiceAccountRole(tx: Tx, realm: string, id: string, roleId: string): Promise<boolean> {
  return deleteRows(tx, "service_account_roles", { realm_id: realm, id, role_id: roleId });
}
