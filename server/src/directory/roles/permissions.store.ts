import { type RawBuilder, sql } from "kysely";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { type Db, deleteRows, lockRealm, type Tx } from "../../platform/db/index.ts";
import { assertHolds, type Permission } from "../../tenancy/permissions/index.ts";
import type { MappedRole } from "./client-roles.store.ts";
import { roleErrors } from "./errors.ts";
import type { AdminRole } from "./schema.ts";

/** Returns the permissions of these roles, including those of the roles that they include. */
export async function permissionsOfRoles(db: Db, realm: string, roleIds: readonly string[]): Promise<Permission[]> {
  if (roleIds.length === 0) return [];
  const ids = [...roleIds];
  const { rows } = await sql<{ permission: Permission }>`
    select distinct permission from role_permissions
    where realm_id = ${realm} and role_id in (
      select unnest(${ids}::uuid[])
      union all
      select included_id from role_closure where realm_id = ${realm} and role_id = any(${ids}::uuid[]))`.execute(db);
  return rows.map(({ permission }) => permission);
}

/** Returns the permissions that are granted directly to this role. */
export async function ownPermissions(db: Db, realm: string, roleId: string): Promise<Permission[]> {
  const rows = await db
    .selectFrom("role_permissions")
    .select("permission")
    .where("realm_id", "=", realm)
    .where("role_id", "=", roleId)
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
  await deleteRows(tx, "role_permissions", { realm_id: realm, role_id: roleId });
  if (permissions.length > 0)
    await insertPermissions(
      tx,
      realm,
      permissions.map((permission) => ({ roleId, permission })),
    );
}

export async function insertPermissions(
  tx: Tx,
  realm: string,
  grants: readonly { readonly roleId: string; readonly permission: Permission }[],
): Promise<void> {
  await tx
    .insertInto("role_permissions")
    .values(grants.map(({ roleId, permission }) => ({ realm_id: realm, role_id: roleId, permission })))
    .execute();
}

/** Returns each role with its own permissions, sorted by name. */
export async function adminRoles(db: Db, realm: string, roleIds: readonly string[]): Promise<AdminRole[]> {
  if (roleIds.length === 0) return [];
  const { rows } = await sql<{ role_id: string; name: string; permissions: Permission[] }>`
    select r.role_id, r.name, coalesce(json_agg(p.permission order by p.permission) filter (where p.permission is not null), '[]') as permissions
    from roles r left join role_permissions p on p.realm_id = r.realm_id and p.role_id = r.role_id
    where r.realm_id = ${realm} and r.role_id = any(${[...roleIds]}::uuid[])
    group by r.role_id, r.name, r.name_key order by r.name_key`.execute(db);
  return rows.map((row) => ({ realmId: realm, roleId: row.role_id, roleName: row.name, permissions: row.permissions }));
}

/** Returns the roles of the realm and of its clients that give permissions, directly or by roles that they include. */
export async function rolesWithPermissions(db: Db, realm: string): Promise<(MappedRole & { readonly permissions: Permission[] })[]> {
  const { rows } = await sql<{ role_id: string; name: string; client_id: string | null; permissions: Permission[] }>`
    with ${carrying(realm, null)}
    select r.role_id, r.name, c.client_id, json_agg(m.permission) as permissions from carrying m
    join roles r on r.realm_id = ${realm} and r.role_id = m.role_id
    left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    group by r.role_id, r.name, c.client_id`.execute(db);
  return rows.map(({ role_id, name, client_id, permissions }) => ({ roleId: role_id, name, clientId: client_id, permissions }));
}

/**
 * Finds the holders of permissions, starting from the permission: the opposite direction of the view `user_permissions`, for queries about all users
 * of a realm.
 */
const holders = (realm: string, permission: Permission | null) => sql`
    ${carrying(realm, permission)}, granting as materialized (
      select gr.group_id, m.permission from carrying m join group_roles gr on gr.realm_id = ${realm} and gr.role_id = m.role_id
    ), holders as (
      select ur.user_id, m.permission from carrying m join user_roles ur on ur.realm_id = ${realm} and ur.role_id = m.role_id
      union all
      select gm.user_id, g.permission from granting g join group_members gm on gm.realm_id = ${realm} and gm.group_id = g.group_id
      union all
      select gm.user_id, g.permission from realm_settings s
      cross join granting g
      join group_ancestors ga on ga.realm_id = ${realm} and ga.ancestor_id = g.group_id
      join group_members gm on gm.realm_id = ${realm} and gm.group_id = ga.group_id
      where s.realm_id = ${realm} and s.settings #> '{groups,inheritRoles}' = 'true'
    )`;
const carrying = (realm: string, permission: Permission | null) => sql`
    carrying as materialized (
      select p.role_id, p.permission from role_permissions p where p.realm_id = ${realm} and ${only(permission)}
      union
      select c.role_id, p.permission from role_permissions p join role_closure c on c.realm_id = p.realm_id and c.included_id = p.role_id
      where p.realm_id = ${realm} and ${only(permission)}
    )`;
const only = (permission: Permission | null) => (permission === null ? sql`true` : sql`p.permission = ${permission}`);

/** Returns the ids of enabled, unlocked users who hold realm-admin. */
export async function realmAdmins(db: Db, realm: string, limit = 1000): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    with ${holders(realm, "realm-admin")}
    select u.user_id from holders h join users u on u.realm_id = ${realm} and u.user_id = h.user_id
    where u.enabled and not u.locked limit ${limit}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

/** Returns the permissions of the realm's users for whom a condition on `h.user_id` is true. */
export async function permissionsAmong(db: Db, realm: string, isAmong: RawBuilder<unknown>): Promise<Permission[]> {
  const { rows } = await sql<{ permission: Permission }>`
    with ${holders(realm, null)} select distinct h.permission from holders h where ${isAmong}`.execute(db);
  return rows.map(({ permission }) => permission);
}

/** Applies the escalation rule for assignments: the actor must have the permissions of these roles. */
export async function assertMayGrant(ctx: ReadCtx, roleIds: readonly string[]): Promise<void> {
  assertHolds(ctx.actor, await permissionsOfRoles(ctx.tx, ctx.realm, roleIds));
}

/** Applies the escalation rule for control: the actor must have the user's permissions, because setting a user's password lets the actor act as them. */
export async function assertMayControl(ctx: ReadCtx, userId: string): Promise<void> {
  assertHolds(ctx.actor, await permissionsOfUser(ctx.tx, ctx.realm, userId));
}

/**
 * Runs a write that gives or takes these roles indirectly, by a group or a composite role. In both cases the actor must have their permissions: a
 * lesser administrator must not strip a greater one. The realm never loses its last realm-admin by it.
 */
export async function changingGrants<T>(ctx: Ctx, roleIds: readonly string[], write: () => Promise<T>): Promise<T> {
  const held = await permissionsOfRoles(ctx.tx, ctx.realm, roleIds);
  assertHolds(ctx.actor, held);
  return held.includes("realm-admin") ? keepingRealmAdmin(ctx, write) : write();
}

/**
 * Runs a write that may remove a realm's last administrator, and refuses it if it did. Two such writes at once wait for each other: otherwise each
 * could rely on the administrator that the other removes.
 */
export async function keepingRealmAdmin<T>(ctx: Ctx, write: () => Promise<T>): Promise<T> {
  await lockRealm(ctx.tx, ctx.realm);
  const result = await write();
  if ((await realmAdmins(ctx.tx, ctx.realm, 1)).length === 0) throw roleErrors.last_realm_admin();
  return result;
}
