import type { Ctx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { changingGrants } from "../roles/index.ts";
import { rolesOfParents } from "./roles.store.ts";

/**
 * Checks a change of inheritance on `settings.changed`: it gives or takes the roles of groups with subgroups, so the actor must have their
 * permissions. Current members do not matter, because users may join concurrently.
 */
export async function guardInheritance(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (before.groups.inheritRoles === settings.groups.inheritRoles) return;
  await lockRealm(ctx.tx, ctx.realm);
  await changingGrants(ctx, await rolesOfParents(ctx.tx, ctx.realm), async () => {});
}
