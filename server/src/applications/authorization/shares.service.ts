import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { usernamesOf } from "./entries.store.ts";
import { authzErrors } from "./errors.ts";
import type { CreateShare, OwnResource, OwnResourceDetails, Share, SharedResource } from "./shares.schema.ts";
import * as store from "./shares.store.ts";

// In these functions the actor is the owner.

export const readOwnResources = ({ tx, realm, actor }: ReadCtx, query: ListQuery): Promise<Page<OwnResource>> =>
  store.listOwned(tx, realm, actor.id, query);

export const readSharedResources = ({ tx, realm, actor }: ReadCtx, query: ListQuery): Promise<Page<SharedResource>> =>
  store.listSharedWith(tx, realm, actor.id, query);

export async function readOwnResource(ctx: ReadCtx, resourceId: string): Promise<OwnResourceDetails> {
  const { client, ...resource } = await owned(ctx, resourceId);
  const place = { realm: ctx.realm, client, resourceId };
  return { ...resource, shares: await store.sharesOf(ctx.tx, place), requests: await store.requestsOf(ctx.tx, place) };
}

async function owned({ tx, realm, actor }: ReadCtx, resourceId: string, isHeld = false): Promise<store.OwnedRow> {
  const found = isId(resourceId) ? await store.findOwned(tx, realm, actor.id, resourceId, isHeld) : null;
  if (!found) throw authzErrors.resource_not_found();
  return found;
}

/** Shares a resource. The result is the same whether or not there is such a user. */
export const shareResource = (ctx: Ctx, resourceId: string, input: CreateShare): Promise<Share> => share(ctx, resourceId, input, null);

/** Shares with the user of a name, or with the one who has the id and is shown by the name. */
async function share(ctx: Ctx, resourceId: string, { user, scopes }: CreateShare, userId: string | null): Promise<Share> {
  const resource = await owned(ctx, resourceId, true);
  const unknown = scopes?.find((scope) => !resource.scopes.includes(scope));
  if (unknown !== undefined)
    throw invalidFields([{ field: "scopes", code: "unknown_scope", message: `The resource has no scope “${unknown}”` }]);
  const name = user.trim();
  const own = (await usernamesOf(ctx.tx, ctx.realm, [ctx.actor.id])).get(ctx.actor.id) ?? "";
  if (name === "" || loginKey(name) === loginKey(own))
    throw invalidFields([{ field: "user", code: "owner", message: "Name another user: you are the owner" }]);
  const wanted = scopes ?? (resource.scopes.length > 0 ? resource.scopes : [""]);
  const place = { realm: ctx.realm, client: resource.client, resourceId };
  const stored = await store.saveShare(ctx.tx, place, { user: name, userId, scopes: wanted }, ctx.now);
  if (!stored) throw authzErrors.too_many();
  record(ctx, "RESOURCE_SHARED", resource, stored);
  return stored.share;
}

export async function unshareResource(ctx: Ctx, resourceId: string, shareId: string): Promise<void> {
  const resource = await owned(ctx, resourceId, true);
  const place = { realm: ctx.realm, client: resource.client, resourceId };
  const stored = isId(shareId) ? await store.deleteShare(ctx.tx, place, shareId, ctx.now) : null;
  if (!stored) throw authzErrors.share_not_found();
  record(ctx, "RESOURCE_UNSHARED", resource, stored);
}

/** Shares with a user what the user asked for, beside what is shared already. */
export async function allowRequest(ctx: Ctx, resourceId: string, userId: string): Promise<void> {
  const { client } = await owned(ctx, resourceId, true);
  const place = { realm: ctx.realm, client, resourceId };
  const asked = (await store.requestsOf(ctx.tx, place)).find((request) => request.userId === userId);
  if (!asked) throw authzErrors.share_not_found();
  const former = await store.scopesSharedWith(ctx.tx, place, asked);
  const scopes = [...new Set([...former, ...asked.scopes])];
  // The name may be the confirmed address of another user, who did not ask.
  await share(ctx, resourceId, { user: asked.user, ...(scopes.length > 0 && { scopes }) }, userId);
}

/** The requests of others to share resources of the user with them. */
export const readRequests = ({ tx, realm, actor }: ReadCtx): Promise<store.OwnerRequest[]> => store.requestsTo(tx, realm, actor.id);

/** Refuses a request of a user to share the resource with them. */
export async function refuseRequest(ctx: Ctx, resourceId: string, userId: string): Promise<void> {
  const resource = await owned(ctx, resourceId, true);
  const place = { realm: ctx.realm, client: resource.client, resourceId };
  if (!isId(userId) || !(await store.deleteRequests(ctx.tx, place, userId))) throw authzErrors.share_not_found();
  record(ctx, "RESOURCE_UNSHARED", resource, { share: { scopes: [] }, userId });
}

/** Records the change. The audit trail names users by id, which an erasure replaces. */
function record(
  ctx: Ctx,
  type: "RESOURCE_SHARED" | "RESOURCE_UNSHARED",
  { resourceId, clientId }: store.OwnedRow,
  { share, userId }: { readonly share: Pick<Share, "scopes">; readonly userId: string | null },
): void {
  const detail = `${userId === null ? "no such user" : `user ${userId}`} at ${clientId}: ${share.scopes.join(" ") || "as a whole"}`;
  ctx.audit({ category: "SECURITY", type, resourceType: "authz-resources", resourceId, detail });
}

/** Deletes on `user.erased` the shares that name the user. */
export async function forgetSharesNaming(
  ctx: Ctx,
  { username, email }: { readonly username: string; readonly email: string | null },
): Promise<void> {
  await store.deleteSharesNaming(ctx.tx, ctx.realm, [username, ...(email === null ? [] : [email])], ctx.now);
}
