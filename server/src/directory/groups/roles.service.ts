import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { expectVersion } from "../../platform/versions.ts";
import { changingGrants, type MappedRole, type RoleName, roleErrors, shareNamedRole, shareRole, spellRole } from "../roles/index.ts";
import { groupErrors } from "./errors.ts";
import { addRole, dropRole, rolesOf } from "./roles.store.ts";
import { readGroup, recordUpdate, takeGroup } from "./service.ts";

export async function readGroupRoles(ctx: ReadCtx, groupId: string): Promise<MappedRole[]> {
  const group = await readGroup(ctx, groupId);
  return rolesOf(ctx.tx, ctx.realm, group.groupId);
}

export async function readGroupRole(ctx: ReadCtx, groupId: string, roleId: string): Promise<MappedRole> {
  const role = (await readGroupRoles(ctx, groupId)).find((one) => one.roleId === roleId.toLowerCase());
  if (!role) throw groupErrors.not_granted();
  return role;
}

/** Lets a group grant a role: current and later members get it. */
export async function grantRole(ctx: Ctx, id: string, which: { readonly roleId: string } | RoleName): Promise<MappedRole[]> {
  const { groupId, version } = await takeGroup(ctx, id);
  const role = "name" in which ? await shareNamedRole(ctx, which) : await roleById(ctx, which.roleId);
  if (!role) throw roleErrors.not_found();
  const added = await changingGrants(ctx, [role.roleId], async () => {
    expectVersion(ctx, version);
    return addRole(ctx.tx, ctx.realm, groupId, role.roleId);
  });
  if (added) await recordUpdate(ctx, groupId, `roles +${spellRole(role)}`);
  return rolesOf(ctx.tx, ctx.realm, groupId);
}

export async function withdrawRole(ctx: Ctx, id: string, roleId: string): Promise<void> {
  const { groupId, version } = await takeGroup(ctx, id);
  const role = await roleById(ctx, roleId);
  if (!role) throw roleErrors.not_found();
  const dropped = await changingGrants(ctx, [role.roleId], async () => {
    expectVersion(ctx, version);
    return dropRole(ctx.tx, ctx.realm, groupId, role.roleId);
  });
  if (!dropped) throw groupErrors.not_granted();
  await recordUpdate(ctx, groupId, `roles -${spellRole(role)}`);
}

const roleById = async (ctx: Ctx, roleId: string) => (isId(roleId) ? await shareRole(ctx.tx, ctx.realm, roleId) : null);
