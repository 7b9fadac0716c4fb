import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    service_account_roles: { realm_id: string; id: string; role_id: string };
    /** A view: what was given to a client, and what that includes. */
    service_account_effective_roles: { realm_id: string; id: string; role_id: string };
  }
}

/** What a client may do in its own name; `id` is the one of admin paths. Read fresh: what is taken away counts at once. */
export async function findServiceAccountPermissions(db: Db, realm: string, id: string): Promise<Permission[]> {
  const { rows } = await sql<{ permission: Permission }>`
    select distinct p.permission from service_account_effective_roles e
    join role_permissions p on p.realm_id = e.realm_id and p.role_id = e.role_id
    where e.realm_id = ${realm} and e.id = ${id}`.execute(db);
  return rows.map(({ permission }) => permission);
}

export interface ServiceAccountRole {
  readonly roleId: string;
  readonly name: string;
  /** OAuth's id of the client whose role it is; null for the realm's. */
  readonly clientId: string | null;
}

/** What was given to this very client; the realm's roles first. */
export async function rolesOfServiceAccount(db: Db, realm: string, id: string): Promise<ServiceAccountRole[]> {
  const { rows } = await sql<{ role_id: string; name: string; client_id: string | null }>`
    select r.role_id, r.name, c.client_id from service_account_roles s
    join roles r on r.realm_id = s.realm_id and r.role_id = s.role_id
    left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where s.realm_id = ${realm} and s.id = ${id} order by c.client_id nulls first, r.name_key`.execute(db);
  return rows.map(({ role_id, name, client_id }) => ({ roleId: role_id, name, clientId: client_id }));
}

export async function addServiceAccountRole(tx: Tx, realm: string, id: string, roleId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("service_account_roles")
    .values({ realm_id: realm, id, role_id: roleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function dropServiceAccountRole(tx: Tx, realm: string, id: string, roleId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("service_account_roles")
    .where("realm_id", "=", realm)
    .where("id", "=", id)
    .where("role_id", "=", roleId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
