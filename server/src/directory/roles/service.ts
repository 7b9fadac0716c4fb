import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertHolds, type Permission } from "../../tenancy/permissions/index.ts";
import { includedIn, includersOf, reach, rebuildClosure, replaceIncluded } from "./composites.store.ts";
import { roleErrors } from "./errors.ts";
import { includedByName, includedOfClients } from "./naming.ts";
import {
  adminRoles,
  assertMayGrant,
  changingGrants,
  insertPermissions,
  keepingRealmAdmin,
  ownPermissions,
  permissionsOfRoles,
  replacePermissions,
} from "./permissions.store.ts";
import type { AdminRole, CreateRole, UpdateAdminRole, UpdateRole } from "./schema.ts";
import {
  adminOrder,
  deleteRole,
  findRole,
  insertRole,
  insertRoles,
  listRoles,
  lockRole,
  moveDefault,
  type RoleFields,
  type RoleRow,
  shareDefaultRole,
  updateRole,
} from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** Roles are about to be deleted. Listeners refuse if something would lose its meaning. */
    "roles.deleting": { readonly roleIds: readonly string[] };
    /** The same for a role of the realm, which others name. */
    "realm_role.deleting": { readonly name: string };
    /** A role of the realm has another name. Listeners write it where they name the role. */
    "role.renamed": { readonly from: string; readonly to: string };
  }
}

export const searchRoles = (ctx: ReadCtx, query: ListQuery): Promise<Page<RoleRow>> => listRoles(ctx.tx, ctx.realm, query);

export async function readRole(ctx: ReadCtx, roleId: string): Promise<RoleRow> {
  const role = isId(roleId) ? await findRole(ctx.tx, ctx.realm, roleId) : null;
  if (!role || role.client !== null) throw roleErrors.not_found();
  return role;
}

/**
 * Finds a role for a change and locks it until commit. Callers check the version (`If-Match`) after the permission. The realm is locked before the
 * role: composites, permissions and default roles depend on each other, so their changes are serialised.
 */
async function takeRole(ctx: Ctx, roleId: string): Promise<RoleRow> {
  await lockRealm(ctx.tx, ctx.realm);
  const role = isId(roleId) ? await lockRole(ctx.tx, ctx.realm, roleId) : null;
  if (!role || role.client !== null) throw roleErrors.not_found();
  return role;
}

export async function createRole(ctx: Ctx, input: CreateRole): Promise<RoleRow> {
  const role = await addRole(ctx, input, null);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "roles", resourceId: role.roleId });
  return role;
}

/** Creates a role of the realm or of a client; the caller audits it. */
export async function addRole(ctx: Ctx, input: CreateRole, client: string | null): Promise<RoleRow> {
  const { compositeRoles = [], compositeClientRoles = [] } = input;
  if (compositeRoles.length + compositeClientRoles.length > 0) await lockRealm(ctx.tx, ctx.realm);
  const included = [...(await includedByName(ctx, compositeRoles)), ...(await includedOfClients(ctx, compositeClientRoles))];
  await assertMayGrant(ctx, included);
  const role = await insertRole(
    ctx.tx,
    ctx.realm,
    { name: input.name, description: input.description ?? null, isDefault: false, client },
    ctx.now,
  );
  if (included.length === 0) return role;
  await replaceIncluded(ctx.tx, ctx.realm, role.roleId, included);
  await rebuildClosure(ctx.tx, ctx.realm, [role.roleId]);
  return (await findRole(ctx.tx, ctx.realm, role.roleId))!;
}

export async function saveRole(ctx: Ctx, id: string, input: UpdateRole): Promise<RoleRow> {
  const current = await takeRole(ctx, id);
  const { role, detail } = await replaceRole(ctx, current, input);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "roles", resourceId: role.roleId, detail });
  return role;
}

/** Replaces the state of a role of the realm or of a client; the caller audits it and holds the realm's lock. */
export async function replaceRole(
  ctx: Ctx,
  current: RoleRow,
  input: UpdateRole,
): Promise<{ readonly role: RoleRow; readonly detail: string | null }> {
  const { roleId } = current;
  // Roles are assigned by name, so whoever renames a privileged role would decide what later assignments give.
  await assertMayGrant(ctx, [roleId]);
  const held = await includedIn(ctx.tx, ctx.realm, roleId);
  const before = [...held.ofRealm, ...held.ofClients];
  const after = [
    ...(await includedByName(ctx, input.compositeRoles ?? [])),
    ...(await includedOfClients(ctx, input.compositeClientRoles ?? [])),
  ];
  const moved = changed(before, after);
  await changingGrants(ctx, moved, async () => {
    refuseReadOnly(current, input, ["realmId", "roleId", "createdAt", "default"], "cannot be changed here");
    expectVersion(ctx, current.version);
    if (moved.length === 0) return;
    if (await reach(ctx.tx, ctx.realm, after, roleId)) throw roleErrors.composite_cycle();
    await replaceIncluded(ctx.tx, ctx.realm, roleId, after);
    await rebuildClosure(ctx.tx, ctx.realm, [roleId, ...(await includersOf(ctx.tx, ctx.realm, roleId))]);
    await refuseMightyDefault(ctx);
  });
  await updateRole(ctx.tx, ctx.realm, roleId, { name: input.name, description: input.description ?? null });
  const isRenamed = input.name !== current.name;
  if (isRenamed && current.client === null) await ctx.emit("role.renamed", { from: current.name, to: input.name });
  // The roles of service accounts are cached in process, by name.
  await ctx.configChanged();
  const role = (await findRole(ctx.tx, ctx.realm, roleId))!;
  const names = [...role.compositeRoles, ...role.compositeClientRoles.map(({ clientId, name }) => `${clientId}/${name}`)];
  const details = [
    ...(isRenamed ? [`renamed from ${current.name}`] : []),
    ...(moved.length > 0 ? [`includes ${names.join(", ") || "no other role"}`] : []),
  ];
  return { role, detail: details.join("; ") || null };
}

/** Refuses permissions of the default role: new users must not become administrators. Runs after every change. */
async function refuseMightyDefault(ctx: Ctx): Promise<void> {
  const role = await shareDefaultRole(ctx.tx, ctx.realm);
  if (role && (await permissionsOfRoles(ctx.tx, ctx.realm, [role.roleId])).length > 0) throw roleErrors.default_with_permissions();
}

/** Deletes a role. Users, groups and the roles that included it lose it at once, with the permissions and roles that it gave. */
export async function removeRole(ctx: Ctx, roleId: string): Promise<void> {
  const role = await takeRole(ctx, roleId);
  await dropRoles(ctx, [role.roleId], async () => {
    expectVersion(ctx, role.version);
    if (role.default) throw roleErrors.is_default();
    await ctx.emit("realm_role.deleting", { name: role.name });
  });
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "roles", resourceId: role.roleId });
}

/** Deletes roles. The caller audits this and holds the realm's lock. */
export async function dropRoles(ctx: Ctx, roleIds: readonly string[], check: () => Promise<void> = async () => {}): Promise<void> {
  await changingGrants(ctx, roleIds, async () => {
    await check();
    await ctx.emit("roles.deleting", { roleIds });
    const includers = new Set<string>();
    for (const roleId of roleIds) for (const id of await includersOf(ctx.tx, ctx.realm, roleId)) includers.add(id);
    for (const roleId of roleIds) await deleteRole(ctx.tx, ctx.realm, roleId);
    await rebuildClosure(
      ctx.tx,
      ctx.realm,
      [...includers].filter((id) => !roleIds.includes(id)),
    );
    await ctx.configChanged();
  });
}

/** Makes a role the default of new users. Existing users keep their roles. */
export async function makeDefault(ctx: Ctx, roleId: string): Promise<RoleRow> {
  const role = await takeRole(ctx, roleId);
  expectVersion(ctx, role.version);
  if ((await permissionsOfRoles(ctx.tx, ctx.realm, [role.roleId])).length > 0) throw roleErrors.default_with_permissions();
  await moveDefault(ctx.tx, ctx.realm, role.roleId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "roles", resourceId: role.roleId, detail: "default" });
  return readRole(ctx, role.roleId);
}

export async function searchAdminRoles(ctx: ReadCtx, query: ListQuery): Promise<Page<AdminRole>> {
  const page = await listRoles(ctx.tx, ctx.realm, query, null, adminOrder);
  const byId = new Map(
    (
      await adminRoles(
        ctx.tx,
        ctx.realm,
        page.rows.map(({ roleId }) => roleId),
      )
    ).map((entry) => [entry.roleId, entry]),
  );
  return mapPage(page, ({ roleId }) => byId.get(roleId)!);
}

/** A role with its permissions, which are a part of the role and share its version. */
type VersionedAdminRole = AdminRole & { readonly version: number };

export async function readAdminRole(ctx: ReadCtx, id: string): Promise<VersionedAdminRole> {
  const { roleId, version } = await readRole(ctx, id);
  const [entry] = await adminRoles(ctx.tx, ctx.realm, [roleId]);
  return { ...entry!, version };
}

/** Sets a role's admin permissions. They count from the next request of its holders. */
export async function grantPermissions(ctx: Ctx, id: string, input: UpdateAdminRole): Promise<VersionedAdminRole> {
  const role = await takeRole(ctx, id);
  const { roleId } = role;
  const named = { realmId: ctx.realm, roleId, roleName: role.name };
  refuseReadOnly(named, input, ["realmId", "roleId", "roleName"], "cannot be changed here");
  const before = await ownPermissions(ctx.tx, ctx.realm, roleId);
  // Both giving and taking need the permissions: a lesser administrator must not strip a greater one.
  assertHolds(ctx.actor, changed(before, input.permissions));
  expectVersion(ctx, role.version);
  const replace = () => replacePermissions(ctx.tx, ctx.realm, roleId, input.permissions);
  const takesRealmAdmin = before.includes("realm-admin") && !input.permissions.includes("realm-admin");
  await (takesRealmAdmin ? keepingRealmAdmin(ctx, replace) : replace());
  await refuseMightyDefault(ctx);
  const { version } = await updateRole(ctx.tx, ctx.realm, roleId, {});
  ctx.audit({
    category: "ADMIN",
    type: "ADMIN_UPDATE",
    resourceType: "admin-roles",
    resourceId: roleId,
    detail: [...input.permissions].sort().join(" "),
  });
  const [entry] = await adminRoles(ctx.tx, ctx.realm, [roleId]);
  return { ...entry!, version };
}

const changed = <T>(before: readonly T[], after: readonly T[]): T[] => [
  ...before.filter((one) => !after.includes(one)),
  ...after.filter((one) => !before.includes(one)),
];

/** Creates the three roles that every realm starts with, on `realm.created`. */
export async function seedRoles(ctx: Ctx, { realm }: { readonly realm: string }): Promise<void> {
  const seeds: readonly (RoleFields & { readonly permissions: readonly Permission[] })[] = [
    { name: "admin", description: "Administers the whole realm", isDefault: false, permissions: ["realm-admin"] },
    {
      ...{ name: "auditor", description: "Sees users, clients and events" },
      isDefault: false,
      permissions: ["view-clients", "view-events", "view-users"],
    },
    { name: "user", description: "Given to every new user", isDefault: true, permissions: [] },
  ];
  const ids = await insertRoles(ctx.tx, realm, seeds, ctx.now);
  await insertPermissions(
    ctx.tx,
    realm,
    seeds.flatMap(({ permissions }, n) => permissions.map((permission) => ({ roleId: ids[n]!, permission }))),
  );
}
