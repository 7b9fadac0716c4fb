import { rolesGrantedBy } from "../../../directory/groups/index.ts";
import { organizationsByAlias } from "../../../directory/organizations/index.ts";
import { assertMayGrant } from "../../../directory/roles/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { clearOwners } from "./owners.store.ts";
import { ownGroup } from "./store.ts";

export { organizationsOfGroups } from "./owners.store.ts";

/**
 * Assigns a group to the organization of this alias, or to none. The organization's tokens then decide its members, so the caller must be
 * able to give what the group grants.
 */
export async function replaceGroupOwner(ctx: Ctx, groupId: string, alias: string | null): Promise<void> {
  const organizationId = alias === null ? null : (await organizationsByAlias(ctx.tx, ctx.realm, [alias])).get(alias);
  if (organizationId === undefined)
    throw invalidFields([
      { field: "organization", code: "unknown_organization", message: `There is no organization “${alias}” in this realm` },
    ]);
  if (organizationId !== null) await assertMayGrant(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]));
  await clearOwners(ctx.tx, ctx.realm, groupId);
  if (organizationId !== null) await ownGroup(ctx.tx, ctx.realm, organizationId, groupId);
  const detail = alias === null ? "no longer provisioned by an organization" : `provisioned by the organization ${alias}`;
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "groups", resourceId: groupId, detail });
}
