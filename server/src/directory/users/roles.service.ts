import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import {
  assertMayGrant,
  findRole,
  keepingRealmAdmin,
  permissionsOfUser,
  type RoleMapping,
  type RoleName,
  roleErrors,
  shareNamedRole,
  spellRole,
} from "../roles/index.ts";
import { addRoles, dropRoles, effectiveRoles, listMappings } from "./roles.store.ts";
import { findUserForUpdate, readUser } from "./service.ts";
import { touchUser } from "./store.ts";

/** Returns the user's effective roles; direct assignments are marked. */
export async function readMappings(ctx: ReadCtx, userId: string): Promise<RoleMapping[]> {
  await readUser(ctx, userId);
  return effectiveRoles(ctx.tx, ctx.realm, userId);
}

export async function readMapping(ctx: ReadCtx, userId: string, roleId: string): Promise<RoleMapping> {
  const mapping = (await readMappings(ctx, userId)).find((one) => one.roleId === roleId.toLowerCase());
  if (!mapping) throw roleErrors.not_held();
  return mapping;
}

export async function assignRole(ctx: Ctx, id: string, name: RoleName): Promise<RoleMapping[]> {
  const { userId } = await findUserForUpdate(ctx, id);
  const role = await shareNamedRole(ctx, name);
  await assertMayGrant(ctx, [role.roleId]);
  await addRoles(ctx.tx, ctx.realm, userId, [role.roleId]);
  await ctx.emit("user.grants_given", { userIds: [userId], roles: [role.roleId], groups: [] });
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: `roles +${spellRole(role)}` });
  return effectiveRoles(ctx.tx, ctx.realm, userId);
}

export async function unassignRole(ctx: Ctx, id: string, roleId: string): Promise<void> {
  const { userId } = await findUserForUpdate(ctx, id);
  const role = (await listMappings(ctx.tx, ctx.realm, userId)).find((mapping) => isId(roleId) && mapping.roleId === roleId.toLowerCase());
  if (!role) throw isId(roleId) && (await findRole(ctx.tx, ctx.realm, roleId)) ? roleErrors.not_assigned() : roleErrors.not_found();
  await ctx.emit("user.grants_removing", { userId, roles: [role.roleId], groups: [] });
  const drop = () => dropRoles(ctx.tx, ctx.realm, userId, [role.roleId]);
  const takesRealmAdmin = (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  await (takesRealmAdmin ? keepingRealmAdmin(ctx, drop) : drop());
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: `roles -${spellRole(role)}` });
}
