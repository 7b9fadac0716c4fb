import type { Ctx } from "../../platform/context.ts";
import { inUse } from "./errors.ts";
import { forgetUserEntries, policiesNaming } from "./policies.store.ts";
import { deleteServer } from "./store.ts";

async function refuseNamed(
  ctx: Ctx,
  kind: "role" | "group" | "client" | "client-scope",
  ids: readonly string[],
  what: string,
): Promise<void> {
  const policies = ids.length === 0 ? [] : await policiesNaming(ctx.tx, ctx.realm, kind, ids);
  if (policies.length > 0) throw inUse(what, "Authorization policies", policies);
}

/** `roles.deleting` */
export const keepNamedRoles = (ctx: Ctx, { roleIds }: { readonly roleIds: readonly string[] }): Promise<void> =>
  refuseNamed(ctx, "role", roleIds, roleIds.length === 1 ? "this role" : "its roles");

/** `groups.deleting` */
export const keepNamedGroups = (ctx: Ctx, { groupIds }: { readonly groupIds: readonly string[] }): Promise<void> =>
  refuseNamed(ctx, "group", groupIds, groupIds.length === 1 ? "this group" : "this group or one below it");

/** `client_scope.deleting` */
export const keepNamedScope = (ctx: Ctx, { scopeId }: { readonly scopeId: string }): Promise<void> =>
  refuseNamed(ctx, "client-scope", [scopeId], "this client scope");

/** `client.deleting`: its own policies go first, which may name its own roles. */
export async function keepNamedClient(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
  await deleteServer(ctx.tx, { realm: ctx.realm, client: id });
  await refuseNamed(ctx, "client", [id], "this client");
}

/** `user.deleted`, `user.erased`: a user always goes. A policy that named them can no longer be decided and denies, until other users are saved. */
export async function loseUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const policies = await forgetUserEntries(ctx.tx, ctx.realm, userId);
  if (policies.length === 0) return;
  await ctx.configChanged();
  for (const { client, policy } of policies) {
    const detail = `policy ${policy} lost a user who was deleted`;
    ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "authz", resourceId: client, detail });
  }
}
