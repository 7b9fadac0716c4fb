import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { findUserIds, spellEntries } from "./entries.store.ts";
import { authzErrors, inUse } from "./errors.ts";
import * as store from "./resources.store.ts";
import type { CreateAuthzResource, UpdateAuthzResource } from "./schema.ts";
import { mayViewUsers, openServer, refuseUnknownScopes, takeServer } from "./service.ts";
import { deleteSharesOf } from "./shares.store.ts";
import type { Server } from "./store.ts";

export async function searchResources(ctx: ReadCtx, id: string, query: store.ResourceFilter): Promise<Page<store.ResourceRow>> {
  const server = await openServer(ctx, id);
  const { owner } = query;
  const ownerId = owner === undefined || owner === server.client ? owner : (await findUserIds(ctx.tx, ctx.realm, [owner])).get(owner);
  if (owner !== undefined && ownerId === undefined) return { rows: [], total: 0, estimated: false, nextCursor: null };
  const page = await store.listResources(ctx.tx, server, { ...query, ...(ownerId !== undefined && { owner: ownerId }) });
  return { ...page, rows: await spelled(ctx, page.rows) };
}

export async function readResource(ctx: ReadCtx, id: string, name: string): Promise<store.ResourceRow> {
  const server = await openServer(ctx, id);
  const [resource] = await spelled(ctx, [await resourceNamed(ctx, server, name)]);
  return resource!;
}

/** Finds a resource by name or id. Resources of other clients are not found. */
async function resourceNamed(ctx: ReadCtx, server: Server, name: string): Promise<store.ResourceRow> {
  const resource = await store.findResource(ctx.tx, server, name);
  if (!resource) throw authzErrors.resource_not_found();
  return resource;
}

/** Replaces owners by usernames, which only administrators who may view users get. */
async function spelled(ctx: ReadCtx, rows: readonly store.ResourceRow[]): Promise<store.ResourceRow[]> {
  const owners = rows.flatMap(({ owner }) => (owner === null ? [] : [owner]));
  const names = mayViewUsers(ctx) ? await spellEntries(ctx.tx, ctx.realm, "user", owners) : new Map<string, string>();
  return rows.map((row) => ({ ...row, owner: row.owner && (names.get(row.owner) ?? row.owner) }));
}

export async function createResource(ctx: Ctx, id: string, input: CreateAuthzResource): Promise<store.ResourceRow> {
  const server = await takeServer(ctx, id, "share");
  const resourceId = await addResource(ctx, server, await stateOf(ctx, input, null));
  return readResource(ctx, id, resourceId);
}

/** Adds a resource. The client itself does so by UMA. */
export async function addResource(ctx: Ctx, server: Server, state: store.ResourceState): Promise<string> {
  await refuseUnknownScopes(ctx, server, state.scopes);
  const resourceId = await store.insertResource(ctx.tx, server, state, ctx.now);
  recordResource(ctx, server, "ADMIN_CREATE", state.name);
  return resourceId;
}

/** Records a change of a resource. Checks read resources from the database, so no node reloads the model. */
function recordResource(ctx: Ctx, { client }: Server, type: "ADMIN_CREATE" | "ADMIN_UPDATE" | "ADMIN_DELETE", name: string): void {
  ctx.audit({ category: "ADMIN", type, resourceType: "authz", resourceId: client, detail: `resource ${name}` });
}

async function stateOf(
  ctx: ReadCtx,
  input: UpdateAuthzResource & { name: string },
  current: store.ResourceRow | null,
): Promise<store.ResourceState> {
  const {
    name,
    displayName = null,
    type = null,
    uris = [],
    scopes = [],
    iconUri = null,
    ownerManagedAccess = false,
    attributes = {},
  } = input;
  const owner = input.owner == null ? null : await ownerOf(ctx, input.owner, current);
  const state = { name, displayName, type, uris, scopes, iconUri, owner, ownerManagedAccess, attributes };
  refuseOwnerless(state);
  return state;
}

export function refuseOwnerless({ ownerManagedAccess, owner }: store.ResourceState): void {
  if (!ownerManagedAccess || owner !== null) return;
  const message = "ownerManagedAccess is for resources that a user owns";
  throw invalidFields([{ field: "ownerManagedAccess", code: "no_owner", message }]);
}

async function ownerOf(ctx: ReadCtx, owner: string, current: store.ResourceRow | null): Promise<string> {
  if (owner === current?.owner) return owner;
  if (!mayViewUsers(ctx)) throw authzErrors.view_users_needed();
  const found = (await findUserIds(ctx.tx, ctx.realm, [owner])).get(owner);
  if (found === undefined)
    throw invalidFields([{ field: "owner", code: "unknown_user", message: `There is no user “${owner}” in this realm` }]);
  return found;
}

export async function saveResource(ctx: Ctx, id: string, name: string, input: UpdateAuthzResource): Promise<store.ResourceRow> {
  const server = await takeServer(ctx, id, "share");
  const current = await resourceNamed(ctx, server, name);
  refuseReadOnly(current, input, ["resourceId", "createdAt"]);
  expectVersion(ctx, current.version);
  await changeResource(ctx, server, current, await stateOf(ctx, { ...input, name: input.name ?? current.name }, current));
  return readResource(ctx, id, current.resourceId);
}

export async function changeResource(ctx: Ctx, server: Server, current: store.ResourceRow, state: store.ResourceState): Promise<void> {
  await refuseUnknownScopes(ctx, server, state.scopes);
  await store.updateResource(ctx.tx, server, current.resourceId, state);
  if (current.owner !== state.owner) await deleteSharesOf(ctx.tx, { ...server, resourceId: current.resourceId });
  recordResource(ctx, server, "ADMIN_UPDATE", state.name);
}

export async function removeResource(ctx: Ctx, id: string, name: string): Promise<void> {
  const server = await takeServer(ctx, id);
  const resource = await resourceNamed(ctx, server, name);
  expectVersion(ctx, resource.version);
  await dropResource(ctx, server, resource);
}

/** Deletes a resource. The caller holds the lock, so that no new permission names it meanwhile. */
export async function dropResource(ctx: Ctx, server: Server, resource: store.ResourceRow): Promise<void> {
  const permissions = await store.permissionsNaming(ctx.tx, server, resource.resourceId);
  if (permissions.length > 0) throw inUse("this resource", "Permissions", permissions);
  await store.deleteResource(ctx.tx, server, resource.resourceId);
  recordResource(ctx, server, "ADMIN_DELETE", resource.name);
}
