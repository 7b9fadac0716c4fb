import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { roleErrors } from "./errors.ts";
import { hasRealmAdmin, permissionsOfRoles, permissionsOfUser } from "./permissions.store.ts";

/** The escalation rule for assignments: the actor must have the permissions of these roles. */
export async function assertMayGrant(ctx: ReadCtx, roleIds: readonly string[]): Promise<void> {
  assertHolds(ctx.actor, await permissionsOfRoles(ctx.tx, ctx.realm, roleIds));
}

/** The escalation rule for control: an actor who sets a user's password could act as that user. */
export async function assertMayControl(ctx: ReadCtx, userId: string): Promise<void> {
  assertHolds(ctx.actor, await permissionsOfUser(ctx.tx, ctx.realm, userId));
}

/**
 * Runs a write that gives or takes these roles indirectly, by a group or a composite role. The actor must have their permissions in both cases: a
 * lesser administrator must not strip a greater one. The last realm-admin is never lost by it.
 */
export async function changingGrants<T>(ctx: Ctx, roleIds: readonly string[], write: () => Promise<T>): Promise<T> {
  const held = await permissionsOfRoles(ctx.tx, ctx.realm, roleIds);
  assertHolds(ctx.actor, held);
  return held.includes("realm-admin") ? keepingRealmAdmin(ctx, write) : write();
}

/**
 * Runs a write that may remove a realm's last administrator, and refuses it if it did.
 * Two such writes at once wait for each other, or each would leave the other's administrator as the last.
 */
export async function keepingRealmAdmin<T>(ctx: Ctx, write: () => Promise<T>): Promise<T> {
  await lockRealm(ctx.tx, ctx.realm);
  const result = await write();
  if (!(await hasRealmAdmin(ctx.tx, ctx.realm))) throw roleErrors.last_realm_admin();
  return result;
}
