import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { RequiredAction } from "./required-actions.schema.ts";
import { addRequiredAction, findRequiredActions, replaceRequiredActions } from "./required-actions.store.ts";
import { findUserForUpdate, readUser } from "./service.ts";

/** The required actions with the version of the user, of whom they are a part. */
export interface VersionedActions {
  readonly actions: RequiredAction[];
  readonly version: number;
}

export async function readRequiredActions(ctx: ReadCtx, id: string): Promise<VersionedActions> {
  const { userId, version } = await readUser(ctx, id);
  return { actions: await findRequiredActions(ctx.tx, ctx.realm, userId), version };
}

export async function setRequiredActions(ctx: Ctx, id: string, actions: readonly RequiredAction[]): Promise<VersionedActions> {
  const { userId } = await findUserForUpdate(ctx, id);
  await replaceRequiredActions(ctx.tx, ctx.realm, userId, actions);
  return recordActions(ctx, userId, `required actions: ${actions.join(", ") || "none"}`);
}

export async function requireAction(ctx: Ctx, id: string, action: RequiredAction): Promise<VersionedActions> {
  const { userId } = await findUserForUpdate(ctx, id);
  await addRequiredAction(ctx.tx, ctx.realm, userId, action);
  return recordActions(ctx, userId, `required actions +${action}`);
}

async function recordActions(ctx: Ctx, userId: string, detail: string): Promise<VersionedActions> {
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail });
  return readRequiredActions(ctx, userId);
}
