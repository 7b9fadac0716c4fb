import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Page } from "../../platform/paging/index.ts";
import { usernamesOf } from "./entries.store.ts";
import type { ResourceServer } from "./resource-server.ts";
import { addResource, changeResource, dropResource, refuseOwnerless } from "./resources.service.ts";
import * as store from "./resources.store.ts";
import { isResourceName, isResourceType, isScopeName } from "./schema.ts";
import { addScopes, takeServer } from "./service.ts";

// A resource server manages its own resources by UMA, under the same rules as administrators, but by ids only, and without a view of users.

export const findRegistered = async ({ tx }: ReadCtx, server: ResourceServer, id: string): Promise<store.ResourceRow | null> =>
  isId(id) ? store.findResourceById(tx, server, id) : null;

export async function searchRegistered(
  { tx }: ReadCtx,
  server: ResourceServer,
  query: store.ResourceFilter,
): Promise<Page<store.ResourceRow>> {
  const owner = query.owner === server.clientId ? server.client : query.owner?.toLowerCase();
  if (owner !== undefined && !isId(owner)) return { rows: [], total: 0, estimated: false, nextCursor: null };
  return store.listResources(tx, server, { ...query, ...(owner !== undefined && { owner }) });
}

export async function registerResource(ctx: Ctx, server: ResourceServer, state: store.ResourceState): Promise<store.ResourceRow> {
  await prepare(ctx, server, state);
  const id = await addResource(ctx, server, state);
  return (await store.findResourceById(ctx.tx, server, id))!;
}

/** Replaces a registered resource. Returns null if there is no such resource. */
export async function replaceRegistered(
  ctx: Ctx,
  server: ResourceServer,
  id: string,
  change: (current: store.ResourceRow) => store.ResourceState,
): Promise<store.ResourceRow | null> {
  const current = await findRegistered(ctx, server, id);
  if (!current) return null;
  const state = change(current);
  await prepare(ctx, server, state);
  await changeResource(ctx, server, current, state);
  return store.findResourceById(ctx.tx, server, id);
}

export async function removeRegistered(ctx: Ctx, server: ResourceServer, id: string): Promise<boolean> {
  await takeServer(ctx, server.client);
  const current = await findRegistered(ctx, server, id);
  if (current) await dropResource(ctx, server, current);
  return current !== null;
}

/** Creates the scopes that are new. An owner is named by id, which cannot be guessed: names would reveal who exists. */
async function prepare(ctx: Ctx, server: ResourceServer, state: store.ResourceState): Promise<void> {
  const { name, type, scopes, owner } = state;
  if (!isResourceName(name))
    throw invalidFields([{ field: "name", code: "pattern", message: "name must not have invisible characters, nor be . or .." }]);
  if (type !== null && !isResourceType(type))
    throw invalidFields([{ field: "type", code: "pattern", message: "type must not have spaces or invisible characters" }]);
  const odd = scopes.find((scope) => !isScopeName(scope));
  if (odd !== undefined)
    throw invalidFields([
      {
        field: "resource_scopes",
        code: "pattern",
        message: "a scope must not have spaces, commas, # or invisible characters, nor be . or ..",
      },
    ]);
  refuseOwnerless(state);
  const isKnown = owner === null || (isId(owner) && (await usernamesOf(ctx.tx, ctx.realm, [owner])).has(owner));
  if (!isKnown) throw invalidFields([{ field: "owner", code: "unknown_user", message: "owner is not the id of a user of this realm" }]);
  const unknown = scopes.filter((scope) => !server.scopes.has(scope));
  await takeServer(ctx, server.client, unknown.length > 0 ? "update" : "share");
  if (unknown.length > 0) await addScopes(ctx, server, unknown);
}

/** Finds the resources of this resource server with these ids, by id. */
export async function resourcesById(db: Db, server: ResourceServer, ids: readonly string[]): Promise<Map<string, store.ResourceRow>> {
  const rows = await store.resourcesWithIds(
    db,
    server,
    ids.filter(isId).map((id) => id.toLowerCase()),
  );
  return new Map(rows.map((row) => [row.resourceId, row]));
}
