import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { expectVersion, type ListQuery, type Page, refuseReadOnly } from "../../platform/http/index.ts";
import { assertHolds, type Permission } from "../../tenancy/permissions/index.ts";
import { roleErrors } from "./errors.ts";
import { assertMayGrant, keepingRealmAdmin } from "./escalation.ts";
import { adminRoles, permissionsOfRoles, replacePermissions } from "./permissions.store.ts";
import type { AdminRole, CreateRole, UpdateAdminRole, UpdateRole } from "./schema.ts";
import { deleteRole, findRole, insertRole, listRoles, lockRole, moveDefault, type RoleRow, updateRole } from "./store.ts";

export const searchRoles = (ctx: ReadCtx, query: ListQuery): Promise<Page<RoleRow>> => listRoles(ctx.tx, ctx.realm, query);

export async function readRole(ctx: ReadCtx, roleId: string): Promise<RoleRow> {
  const role = isId(roleId) ? await findRole(ctx.tx, ctx.realm, roleId) : null;
  if (!role) throw roleErrors.not_found();
  return role;
}

/** For a change: held until commit. Whether it is still what the caller saw is asked after whether the caller may. */
async function takeRole(ctx: Ctx, roleId: string): Promise<RoleRow> {
  const role = isId(roleId) ? await lockRole(ctx.tx, ctx.realm, roleId) : null;
  if (!role) throw roleErrors.not_found();
  return role;
}

export async function createRole(ctx: Ctx, input: CreateRole): Promise<RoleRow> {
  const role = await insertRole(ctx.tx, ctx.realm, { name: input.name, description: input.description ?? null, isDefault: false }, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "roles", resourceId: role.roleId });
  return role;
}

export async function saveRole(ctx: Ctx, roleId: string, input: UpdateRole): Promise<RoleRow> {
  const current = await takeRole(ctx, roleId);
  // Roles are handed out by name: whoever could rename a mighty one would decide what the next person gets.
  await assertMayGrant(ctx, [current.roleId]);
  refuseReadOnly(current, input, ["realmId", "roleId", "createdAt", "default"], "cannot be changed here");
  expectVersion(ctx, current.version);
  const role = await updateRole(ctx.tx, ctx.realm, current.roleId, { name: input.name, description: input.description ?? null });
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "roles", resourceId: current.roleId });
  return role;
}

/** Everyone who held the role loses it, and what it granted, at once. */
export async function removeRole(ctx: Ctx, roleId: string): Promise<void> {
  const role = await takeRole(ctx, roleId);
  const held = await permissionsOfRoles(ctx.tx, ctx.realm, [role.roleId]);
  assertHolds(ctx.actor, held);
  expectVersion(ctx, role.version);
  if (role.default) throw roleErrors.is_default();
  const remove = () => deleteRole(ctx.tx, ctx.realm, role.roleId);
  await (held.includes("realm-admin") ? keepingRealmAdmin(ctx, remove) : remove());
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "roles", resourceId: role.roleId });
}

/** New users get this role from now on; those who are there keep what they have. */
export async function makeDefault(ctx: Ctx, roleId: string): Promise<RoleRow> {
  // The realm before the role: two moves at once would otherwise each hold the role that the other takes the default from.
  await lockRealm(ctx.tx, ctx.realm);
  const role = await takeRole(ctx, roleId);
  expectVersion(ctx, role.version);
  if ((await permissionsOfRoles(ctx.tx, ctx.realm, [role.roleId])).length > 0) throw roleErrors.default_with_permissions();
  await moveDefault(ctx.tx, ctx.realm, role.roleId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "roles", resourceId: role.roleId, detail: "default" });
  return readRole(ctx, role.roleId);
}

export async function searchAdminRoles(ctx: ReadCtx, query: ListQuery): Promise<Page<AdminRole>> {
  const page = await listRoles(ctx.tx, ctx.realm, query);
  const byId = new Map(
    (
      await adminRoles(
        ctx.tx,
        ctx.realm,
        page.rows.map(({ roleId }) => roleId),
      )
    ).map((entry) => [entry.roleId, entry]),
  );
  return { ...page, rows: page.rows.map(({ roleId }) => byId.get(roleId)!) };
}

/** Says which admin permissions a role holds. They count on its holders' next request. */
export async function grantPermissions(ctx: Ctx, id: string, input: UpdateAdminRole): Promise<{ entry: AdminRole; version: number }> {
  const role = await takeRole(ctx, id);
  const { roleId } = role;
  const named = { realmId: ctx.realm, roleId, roleName: role.name };
  refuseReadOnly(named, input, ["realmId", "roleId", "roleName"], "cannot be changed here");
  const before = await permissionsOfRoles(ctx.tx, ctx.realm, [roleId]);
  // Giving needs them; so does taking away, or a lesser administrator could strip a greater one.
  assertHolds(ctx.actor, changed(before, input.permissions));
  expectVersion(ctx, role.version);
  if (role.default && input.permissions.length > 0) throw roleErrors.default_with_permissions();
  const replace = () => replacePermissions(ctx.tx, ctx.realm, roleId, input.permissions);
  const takesRealmAdmin = before.includes("realm-admin") && !input.permissions.includes("realm-admin");
  await (takesRealmAdmin ? keepingRealmAdmin(ctx, replace) : replace());
  const { version } = await updateRole(ctx.tx, ctx.realm, roleId, {});
  ctx.audit({
    category: "ADMIN",
    type: "ADMIN_UPDATE",
    resourceType: "admin-roles",
    resourceId: roleId,
    detail: [...input.permissions].sort().join(" "),
  });
  const [entry] = await adminRoles(ctx.tx, ctx.realm, [roleId]);
  return { entry: entry!, version };
}

const changed = (before: readonly Permission[], after: readonly Permission[]): Permission[] => [
  ...before.filter((permission) => !after.includes(permission)),
  ...after.filter((permission) => !before.includes(permission)),
];

/** `realm.created`: the three roles that every realm starts with. */
export async function seedRoles(ctx: Ctx, { realm }: { readonly realm: string }): Promise<void> {
  const seed = async (name: string, description: string, permissions: readonly Permission[], isDefault = false) => {
    const role = await insertRole(ctx.tx, realm, { name, description, isDefault }, ctx.now);
    await replacePermissions(ctx.tx, realm, role.roleId, permissions);
  };
  await seed("admin", "Administers the whole realm", ["realm-admin"]);
  await seed("auditor", "Sees users, clients and events", ["view-clients", "view-events", "view-users"]);
  await seed("user", "Given to every new user", [], true);
}
