import { findGroupOfOrganization, leaveAll, removeGroup } from "../../../directory/groups/index.ts";
import type { Ctx, DomainEvents } from "../../../platform/context.ts";
import { unconditional } from "../../../platform/versions.ts";
import { findOwnedGroup, groupsOfMember } from "./store.ts";

/** Takes a removed member out of the organization's groups, on `organization.member_removed`, by the rules for group members. */
export async function leaveGroupsOf(ctx: Ctx, { organizationId, userId }: DomainEvents["organization.member_removed"]): Promise<void> {
  for (const groupId of await groupsOfMember(ctx.tx, ctx.realm, organizationId, userId))
    await leaveAll(unconditional(ctx), groupId, [userId]);
}

/** Deletes an organization's groups on `organization.deleting`: the one below which it names groups, and others of its tokens. */
export async function removeGroupsOf(ctx: Ctx, { organizationId, alias }: DomainEvents["organization.deleting"]): Promise<void> {
  const remove = (groupId: string) => removeGroup(unconditional(ctx), groupId);
  const home = await findGroupOfOrganization(ctx, alias);
  if (home !== null) await remove(home);
  // One group may be below another, and is deleted with it.
  for (let next = await owned(); next !== null; next = await owned()) await remove(next);

  function owned(): Promise<string | null> {
    return findOwnedGroup(ctx.tx, ctx.realm, organizationId);
  }
}
