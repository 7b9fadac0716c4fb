import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import {
  assertMayGrant,
  findRole,
  keepingRealmAdmin,
  permissionsOfRoles,
  type RoleMapping,
  roleErrors,
  shareRolesByName,
} from "../roles/index.ts";
import { addRoles, dropRoles, listMappings } from "./roles.store.ts";
import { readUser, takeUser } from "./service.ts";
import { touchUser } from "./store.ts";

export async function readMappings(ctx: ReadCtx, userId: string): Promise<RoleMapping[]> {
  await readUser(ctx, userId);
  return listMappings(ctx.tx, ctx.realm, userId);
}

export async function assignRole(ctx: Ctx, id: string, name: string): Promise<RoleMapping[]> {
  const { userId } = await takeUser(ctx, id);
  const [role] = await shareRolesByName(ctx.tx, ctx.realm, [name]);
  if (!role) throw roleErrors.unknown_name();
  await assertMayGrant(ctx, [role.roleId]);
  await addRoles(ctx.tx, ctx.realm, userId, [role.roleId]);
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: `roles +${role.name}` });
  return listMappings(ctx.tx, ctx.realm, userId);
}

export async function unassignRole(ctx: Ctx, id: string, roleId: string): Promise<void> {
  const { userId } = await takeUser(ctx, id);
  const role = isId(roleId) ? await findRole(ctx.tx, ctx.realm, roleId) : null;
  const held = (await listMappings(ctx.tx, ctx.realm, userId)).some((mapping) => mapping.roleId === role?.roleId);
  if (!role || !held) throw roleErrors.not_found();
  const drop = () => dropRoles(ctx.tx, ctx.realm, userId, [role.roleId]);
  const takesRealmAdmin = (await permissionsOfRoles(ctx.tx, ctx.realm, [role.roleId])).includes("realm-admin");
  await (takesRealmAdmin ? keepingRealmAdmin(ctx, drop) : drop());
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: `roles -${role.name}` });
}
