import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertMayGrant, changingGrants } from "../roles/index.ts";
import { userErrors } from "../users/index.ts";
import { groupErrors } from "./errors.ts";
import { deleteMember, deleteMembersOf, findMember, insertMember, insertMembersOf, listMembers, membersAmong } from "./members.store.ts";
import { rolesGrantedBy } from "./roles.store.ts";
import type { GroupMember } from "./schema.ts";
import { readGroup } from "./service.ts";

export async function searchMembers(ctx: ReadCtx, groupId: string, query: ListQuery): Promise<Page<GroupMember>> {
  return listMembers(ctx.tx, ctx.realm, await readGroup(ctx, groupId), query);
}

export async function readMember(ctx: ReadCtx, id: string, userId: string): Promise<GroupMember> {
  const { groupId } = await readGroup(ctx, id);
  const member = isId(userId) ? await findMember(ctx.tx, ctx.realm, groupId, userId) : null;
  if (!member) throw groupErrors.not_member();
  return member;
}

/**
 * Adds a member, who gets the group's permissions, so the actor must have them. The realm is not locked, so that users can join concurrently. A role
 * that the group gets concurrently is checked when it is given, for all possible members.
 */
export async function join(ctx: Ctx, id: string, userId: string): Promise<{ member: GroupMember; joined: boolean }> {
  const { groupId, version } = await readGroup(ctx, id);
  await assertMayGrant(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]));
  expectVersion(ctx, version);
  if (!isId(userId)) throw userErrors.not_found();
  const joined = await insertMember(ctx.tx, ctx.realm, groupId, userId, ctx.now);
  const member = await findMember(ctx.tx, ctx.realm, groupId, userId);
  if (!member) throw groupErrors.not_found();
  if (joined) auditUpdate(ctx, groupId, `members +${member.userId}`);
  await ctx.emit("user.grants_given", { userIds: [member.userId], roles: [], groups: [groupId] });
  return { member, joined };
}

export async function leave(ctx: Ctx, id: string, userId: string): Promise<void> {
  const { groupId, version } = await readGroup(ctx, id);
  await changingGrants(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]), async () => {
    expectVersion(ctx, version);
    if (isId(userId)) await ctx.emit("user.grants_removing", { userId, roles: [], groups: [groupId] });
    const left = isId(userId) && (await deleteMember(ctx.tx, ctx.realm, groupId, userId));
    if (!left) throw groupErrors.not_member();
  });
  auditUpdate(ctx, groupId, `members -${userId.toLowerCase()}`);
}

/** Adds many members at once, each with an event of its own. Users who are members already, or unknown, are skipped. */
export async function joinAll(ctx: Ctx, id: string, userIds: readonly string[]): Promise<void> {
  const { groupId, version } = await readGroup(ctx, id);
  await assertMayGrant(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]));
  expectVersion(ctx, version);
  const joined = await insertMembersOf(ctx.tx, ctx.realm, groupId, userIds, ctx.now);
  await ctx.emit("user.grants_given", { userIds, roles: [], groups: [groupId] });
  for (const userId of joined) auditUpdate(ctx, groupId, `members +${userId}`);
}

/** Removes many members at once. Users who are not members are skipped. */
export async function leaveAll(ctx: Ctx, id: string, userIds: readonly string[]): Promise<void> {
  const { groupId, version } = await readGroup(ctx, id);
  const left = await changingGrants(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [groupId]), async () => {
    expectVersion(ctx, version);
    const members = await membersAmong(ctx.tx, ctx.realm, groupId, userIds);
    for (const userId of members) await ctx.emit("user.grants_removing", { userId, roles: [], groups: [groupId] });
    return deleteMembersOf(ctx.tx, ctx.realm, groupId, members);
  });
  for (const userId of left) auditUpdate(ctx, groupId, `members -${userId}`);
}

const auditUpdate = (ctx: Ctx, groupId: string, detail: string): void =>
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "groups", resourceId: groupId, detail });
