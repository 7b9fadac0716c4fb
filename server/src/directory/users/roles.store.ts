import type { Db, Tx } from "../../platform/db/index.ts";
import type { RoleMapping } from "../roles/index.ts";

export async function listMappings(db: Db, realm: string, userId: string): Promise<RoleMapping[]> {
  const rows = await db
    .selectFrom("user_roles as ur")
    .innerJoin("roles as r", (join) => join.onRef("r.realm_id", "=", "ur.realm_id").onRef("r.role_id", "=", "ur.role_id"))
    .select(["r.role_id", "r.name"])
    .where("ur.realm_id", "=", realm)
    .where("ur.user_id", "=", userId)
    .orderBy("r.name_key")
    .execute();
  return rows.map(({ role_id, name }) => ({ roleId: role_id, name }));
}

export async function addRoles(tx: Tx, realm: string, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  await tx
    .insertInto("user_roles")
    .values(roleIds.map((roleId) => ({ realm_id: realm, user_id: userId, role_id: roleId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function dropRoles(tx: Tx, realm: string, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  await tx.deleteFrom("user_roles").where("realm_id", "=", realm).where("user_id", "=", userId).where("role_id", "in", roleIds).execute();
}
