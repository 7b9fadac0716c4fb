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

/** Refuses on `roles.deleting` to delete roles that policies name. */
export const keepNamedRoles = (ctx: Ctx, { roleIds }: { readonly roleIds: readonly string[] }): Promise<void> =>
  refuseNamed(ctx, "role", roleIds, roleIds.length === 1 ? "this role" : "its roles");

/** Refuses on `groups.deleting` to delete groups that policies name. */
export const keepNamedGroups = (ctx: Ctx, { groupIds }: { readonly groupIds: readonly string[] }): Promise<void> =>
  refuseNamed(ctx, "group", groupIds, groupIds.length === 1 ? "this group" : "this group or one below it");

/** Refuses on `client_scope.deleting` to delete a scope that policies name. */
export const keepNamedScope = (ctx: Ctx, { scopeId }: { readonly scopeId: string }): Promise<void> =>
  refuseNamed(ctx, "client-scope", [scopeId], "this client scope");

/**
 * Refuses on `client.deleting` to delete a client that policies of others name. Its own policies, which may name its own roles, are deleted
 * first.
 */
export async function keepNamedClient(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
  await deleteServer(ctx.tx, { realm: ctx.realm, client: id });
  await refuseNamed(ctx, "client", [id], "this client");
}

/**
 * Removes a user from policies on `user.deleted` and `user.erased`, because a user can always be deleted. Such a policy is undecided and
 * denies, until other users are saved.
 */
export async function loseUser(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  const policies = await forgetUserEntries(ctx.tx, ctx.realm, userId);
  if (policies.length === 0) return;
  await ctx.configChanged();
  for (const { client, policy } of policies) {
    const detail = `policy ${policy} lost a user who was deleted`;
    ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "authz", resourceId: client, detail });
  }
}
