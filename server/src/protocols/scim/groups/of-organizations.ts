import { findGroupOfOrganization, leaveAll, removeGroup } from "../../../directory/groups/index.ts";
import type { Ctx, DomainEvents } from "../../../platform/context.ts";
import { findOwnedGroup, groupsOfMember } from "./store.ts";

/** `organization.member_removed`: its groups are for its members. The rule for taking them out of a group applies: a lesser administrator takes nothing from others. */
export async function leaveGroupsOf(ctx: Ctx, { organizationId, userId }: DomainEvents["organization.member_removed"]): Promise<void> {
  for (const groupId of await groupsOfMember(ctx.tx, ctx.realm, organizationId, userId))
    await leaveAll({ ...ctx, ifMatch: null }, groupId, [userId]);
}

/** `organization.deleting`: the group below which it named groups goes with all below it, and so do others that its tokens created. */
export async function removeGroupsOf(ctx: Ctx, { organizationId, alias }: DomainEvents["organization.deleting"]): Promise<void> {
  const remove = (groupId: string) => removeGroup({ ...ctx, ifMatch: null }, groupId);
  const home = await findGroupOfOrganization(ctx, alias);
  if (home !== null) await remove(home);
  // One may be below another, and goes with it.
  for (let next = await owned(); next !== null; next = await owned()) await remove(next);

  function owned(): Promise<string | null> {
    return findOwnedGroup(ctx.tx, ctx.realm, organizationId);
  }
}
