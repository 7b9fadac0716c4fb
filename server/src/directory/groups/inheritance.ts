import type { Ctx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { changingGrants } from "../roles/index.ts";
import { rolesOfParents } from "./roles.store.ts";

/**
 * `settings.changed`: handing roles down, or no longer, gives or takes what the groups with others below them grant. Whoever turns
 * that switch must hold it. Who is in those groups does not matter: somebody may be joining at this moment.
 */
export async function guardInheritance(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  if (before.groups.inheritRoles === settings.groups.inheritRoles) return;
  await lockRealm(ctx.tx, ctx.realm);
  await changingGrants(ctx, await rolesOfParents(ctx.tx, ctx.realm), async () => {});
}
