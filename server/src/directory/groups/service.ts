import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertMayGrant, changingGrants } from "../roles/index.ts";
import { groupErrors } from "./errors.ts";
import { rolesGrantedBy, rolesHandedDown } from "./roles.store.ts";
import type { CreateGroup, GroupQuery, UpdateGroup } from "./schema.ts";
import { deleteGroup, findGroup, type GroupRow, insertGroup, listGroups, updateGroup } from "./store.ts";
import { heightOf, replaceAncestors, subtreeOf, withAncestors } from "./tree.store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A group is about to be deleted with those below it. Listeners refuse if something would lose its meaning. */
    "groups.deleting": { readonly groupIds: readonly string[] };
  }
}

const MAX_DEPTH = 50;

export const searchGroups = (ctx: ReadCtx, query: GroupQuery): Promise<Page<GroupRow>> => listGroups(ctx.tx, ctx.realm, query);

export async function readGroup(ctx: ReadCtx, groupId: string): Promise<GroupRow> {
  const group = isId(groupId) ? await findGroup(ctx.tx, ctx.realm, groupId) : null;
  if (!group) throw groupErrors.not_found();
  return group;
}

/** Locks the realm for a change of a group, its parent or its roles: two concurrent moves could create a cycle. */
export async function takeGroup(ctx: Ctx, groupId: string): Promise<GroupRow> {
  await lockRealm(ctx.tx, ctx.realm);
  return readGroup(ctx, groupId);
}

export async function createGroup(ctx: Ctx, input: CreateGroup): Promise<GroupRow> {
  await lockRealm(ctx.tx, ctx.realm);
  const parentId = input.parentId ?? null;
  const above = await chainOf(ctx, parentId);
  if (above.length >= MAX_DEPTH) throw groupErrors.too_deep();
  const groupId = await insertGroup(
    ctx.tx,
    ctx.realm,
    { name: input.name, description: input.description ?? null, parentId: above[0] ?? null },
    ctx.now,
  );
  await replaceAncestors(ctx.tx, ctx.realm, [groupId], [], above);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "groups", resourceId: groupId });
  return readGroup(ctx, groupId);
}

/** Returns the parent, then all groups above it. An unknown parent is a field error. */
async function chainOf(ctx: Ctx, parentId: string | null): Promise<string[]> {
  if (parentId === null) return [];
  const parent = isId(parentId) ? await findGroup(ctx.tx, ctx.realm, parentId) : null;
  if (!parent) throw invalidFields([{ field: "parentId", code: "unknown_group", message: "There is no group with this id in the realm" }]);
  return withAncestors(ctx.tx, ctx.realm, parent.groupId);
}

/** Renames or moves a group, or changes its description. */
export async function saveGroup(ctx: Ctx, id: string, input: UpdateGroup): Promise<GroupRow> {
  const current = await takeGroup(ctx, id);
  const { groupId } = current;
  const before = await chainOf(ctx, current.parentId);
  const after = await chainOf(ctx, input.parentId ?? null);
  const parentId = after[0] ?? null;
  const moves = parentId !== current.parentId;
  if (moves || input.name !== current.name) await assertMayRename(ctx, groupId);
  const handedDown = moves ? await rolesHandedDown(ctx.tx, ctx.realm, changed(before, after)) : [];
  await changingGrants(ctx, handedDown, async () => {
    refuseReadOnly(current, input, ["realmId", "groupId", "createdAt"], "cannot be changed here");
    refuseOtherRoles(current, input);
    expectVersion(ctx, current.version);
    if (moves) await move(ctx, groupId, before, after);
    await updateGroup(ctx.tx, ctx.realm, groupId, { name: input.name, description: input.description ?? null, parentId }, ctx.now);
  });
  const detail = moves ? `moved ${parentId === null ? "to the top" : `below ${parentId}`}` : null;
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "groups", resourceId: groupId, detail });
  return readGroup(ctx, groupId);
}

/** Groups are named by their paths, so a caller who takes the path of a privileged group would get what is given to that path later, as with roles. */
const assertMayRename = async (ctx: Ctx, groupId: string): Promise<void> =>
  assertMayGrant(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, await subtreeOf(ctx.tx, ctx.realm, groupId)));

/** Applies the rule of a rename when another feature changes its own name for this group, by which the group is found and filled. */
export async function renameElsewhere(ctx: Ctx, id: string, detail: string): Promise<void> {
  const { groupId } = await takeGroup(ctx, id);
  await assertMayRename(ctx, groupId);
  await recordUpdate(ctx, groupId, detail);
}

/** Records a change of something that belongs to the group, but is not in its row. */
export async function recordUpdate(ctx: Ctx, groupId: string, detail: string): Promise<void> {
  await updateGroup(ctx.tx, ctx.realm, groupId, {}, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "groups", resourceId: groupId, detail });
}

async function move(ctx: Ctx, groupId: string, before: readonly string[], after: readonly string[]): Promise<void> {
  const subtree = await subtreeOf(ctx.tx, ctx.realm, groupId);
  if (after.some((above) => subtree.includes(above))) throw groupErrors.cycle();
  if (after.length + 1 + (await heightOf(ctx.tx, ctx.realm, groupId)) > MAX_DEPTH) throw groupErrors.too_deep();
  await replaceAncestors(ctx.tx, ctx.realm, subtree, before, after);
}

const changed = (before: readonly string[], after: readonly string[]): string[] => [
  ...before.filter((one) => !after.includes(one)),
  ...after.filter((one) => !before.includes(one)),
];

function refuseOtherRoles({ roleNames }: GroupRow, input: UpdateGroup): void {
  if (input.roleNames === undefined || changed(roleNames, input.roleNames).length === 0) return;
  throw invalidFields([{ field: "roleNames", code: "read_only", message: "roleNames cannot be changed here: change the group's roles" }]);
}

/** Deletes a group and the groups below it. Their members lose the roles that they granted at once. */
export async function removeGroup(ctx: Ctx, id: string): Promise<void> {
  const group = await takeGroup(ctx, id);
  const subtree = await subtreeOf(ctx.tx, ctx.realm, group.groupId);
  await changingGrants(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, subtree), async () => {
    expectVersion(ctx, group.version);
    await ctx.emit("groups.deleting", { groupIds: subtree });
    await deleteGroup(ctx.tx, ctx.realm, group.groupId);
  });
  const below = subtree.length - 1;
  const detail = below > 0 ? `${group.name}, with ${below} ${below === 1 ? "group" : "groups"} below it` : group.name;
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "groups", resourceId: group.groupId, detail });
}
