import * as roles from "../../directory/roles/index.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { readClient, takeClient } from "./service.ts";

export async function searchClientRoles(ctx: ReadCtx, id: string, query: ListQuery): Promise<Page<roles.RoleRow>> {
  const client = await readClient(ctx, id);
  return roles.listRoles(ctx.tx, ctx.realm, query, client.id);
}

export async function readClientRole(ctx: ReadCtx, id: string, name: string): Promise<roles.RoleRow> {
  const client = await readClient(ctx, id);
  return roleNamed(ctx, client.id, name);
}

async function roleNamed(ctx: ReadCtx, client: string, name: string): Promise<roles.RoleRow> {
  const named = (await roles.rolesOfClient(ctx.tx, ctx.realm, client)).find((one) => loginKey(one.name) === loginKey(name));
  const role = named && (await roles.findRole(ctx.tx, ctx.realm, named.roleId));
  if (!role) throw roles.roleErrors.not_found();
  return role;
}

export async function createClientRole(ctx: Ctx, id: string, input: roles.CreateRole): Promise<roles.RoleRow> {
  // The realm is locked before the client, as everywhere that roles change.
  await lockRealm(ctx.tx, ctx.realm);
  const client = await takeClient(ctx, id);
  expectVersion(ctx, client.version);
  const role = await roles.addRole(ctx, input, client.id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: client.id, detail: `roles +${role.name}` });
  return role;
}

/** Replaces the state of a role of the client: its name, its description and the roles that it includes. */
export async function saveClientRole(ctx: Ctx, id: string, name: string, input: roles.UpdateRole): Promise<roles.RoleRow> {
  await lockRealm(ctx.tx, ctx.realm);
  const client = await takeClient(ctx, id);
  const { role, detail: change } = await roles.replaceRole(ctx, await roleNamed(ctx, client.id, name), input);
  const detail = [`roles ${role.name}`, ...(change === null ? [] : [change])].join("; ");
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: client.id, detail });
  return role;
}

/** Deletes a role of the client. Every holder loses it at once. */
export async function removeClientRole(ctx: Ctx, id: string, name: string): Promise<void> {
  await lockRealm(ctx.tx, ctx.realm);
  const client = await takeClient(ctx, id);
  const role = await roleNamed(ctx, client.id, name);
  await roles.dropRoles(ctx, [role.roleId], async () => expectVersion(ctx, role.version));
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: client.id, detail: `roles -${role.name}` });
}
