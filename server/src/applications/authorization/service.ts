import { invalidFields } from "../../kernel/errors.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import { readClient } from "../clients/index.ts";
import { authzErrors, inUse } from "./errors.ts";
import { type AuthzSettings, type CreateAuthzScope, defaultSettings, type UpdateAuthzScope, type UpdateAuthzSettings } from "./schema.ts";
import * as store from "./store.ts";

const MOST_SCOPES = 1_000;

/** Returns the client of the path as a resource server. Throws a 404 for one of another realm. */
export async function serverOf(ctx: ReadCtx, id: string): Promise<store.Server> {
  const { id: client } = await readClient(ctx, id);
  return { realm: ctx.realm, client };
}

/** Returns the resource server for a read of the model. Throws a 409 until authorization services are enabled. */
export async function openServer(ctx: ReadCtx, id: string): Promise<store.Server> {
  const server = await serverOf(ctx, id);
  if (!(await store.findSettings(ctx.tx, server)).enabled) throw authzErrors.disabled();
  return server;
}

/**
 * Locks the resource server for a change. Throws a 409 until authorization services are enabled. Changes of policies run one after the
 * other, those of resources concurrently.
 */
export async function takeServer(ctx: Ctx, id: string, strength: "update" | "share" = "update"): Promise<store.Server> {
  const server = await serverOf(ctx, id);
  if (!(await store.lockServer(ctx.tx, server, strength))?.enabled) throw authzErrors.disabled();
  return server;
}

export const mayViewUsers = (ctx: ReadCtx): boolean => allows(ctx.actor.permissions, "view-users");

/** Tells a write from a dry run, which checks the same rules and locks nothing. */
export const isWriting = (ctx: ReadCtx): ctx is Ctx => "audit" in ctx;

/** Records a change of the model. Every node reloads it. */
export async function modelChanged(
  ctx: Ctx,
  { client }: store.Server,
  type: "ADMIN_CREATE" | "ADMIN_UPDATE" | "ADMIN_DELETE",
  detail: string,
): Promise<void> {
  await recordConfigChange(ctx, type, "authz", client, detail);
}

type Versioned = AuthzSettings & { readonly version: number };

export async function readSettings(ctx: ReadCtx, id: string): Promise<Versioned> {
  const server = await serverOf(ctx, id);
  return { realmId: server.realm, clientId: server.client, ...(await store.findSettings(ctx.tx, server)) };
}

export async function replaceSettings(ctx: Ctx, id: string, input: UpdateAuthzSettings): Promise<Versioned> {
  const server = await serverOf(ctx, id);
  await store.lockServer(ctx.tx, server, "update");
  const current = await readSettings(ctx, id);
  refuseReadOnly(current, input, ["realmId", "clientId"]);
  expectVersion(ctx, current.version);
  const { realmId: _realm, clientId: _client, ...given } = input;
  const settings = { ...defaultSettings, ...given };
  // Subject search reveals which users exist.
  if (settings.subjectSearch && !current.subjectSearch && !mayViewUsers(ctx)) throw authzErrors.view_users_needed();
  await store.saveSettings(ctx.tx, server, settings);
  await modelChanged(ctx, server, "ADMIN_UPDATE", `settings: ${settings.enabled ? settings.policyEnforcementMode : "not enabled"}`);
  return readSettings(ctx, id);
}

export async function searchScopes(ctx: ReadCtx, id: string, query: ListQuery): Promise<Page<store.ScopeRow>> {
  return store.listScopes(ctx.tx, await openServer(ctx, id), query);
}

export async function readScope(ctx: ReadCtx, id: string, name: string): Promise<store.ScopeRow> {
  return scopeNamed(ctx, await openServer(ctx, id), name);
}

async function scopeNamed(ctx: ReadCtx, server: store.Server, name: string): Promise<store.ScopeRow> {
  const scope = await store.findScope(ctx.tx, server, name);
  if (!scope) throw authzErrors.scope_not_found();
  return scope;
}

export async function createScope(
  ctx: Ctx,
  id: string,
  { name, displayName = null, iconUri = null }: CreateAuthzScope,
): Promise<store.ScopeRow> {
  const server = await takeServer(ctx, id);
  if ((await store.countOf(ctx.tx, server, "authz_scopes")) >= MOST_SCOPES) throw authzErrors.too_many();
  await store.insertScope(ctx.tx, server, { name, displayName, iconUri, createdAt: ctx.now });
  await modelChanged(ctx, server, "ADMIN_CREATE", `scope ${name}`);
  return scopeNamed(ctx, server, name);
}

/** Adds the scopes that a resource server registers with a resource. The caller holds the lock. */
export async function addScopes(ctx: Ctx, server: store.Server, names: readonly string[]): Promise<void> {
  const known = await store.knownScopes(ctx.tx, server, names);
  const added = names.filter((name) => !known.has(name));
  if ((await store.countOf(ctx.tx, server, "authz_scopes")) + added.length > MOST_SCOPES) throw authzErrors.too_many();
  for (const name of added) await store.insertScope(ctx.tx, server, { name, displayName: null, iconUri: null, createdAt: ctx.now });
  if (added.length > 0) await modelChanged(ctx, server, "ADMIN_CREATE", `scopes ${added.join(" ")}`);
}

export async function saveScope(ctx: Ctx, id: string, name: string, input: UpdateAuthzScope): Promise<store.ScopeRow> {
  const server = await takeServer(ctx, id);
  const current = await scopeNamed(ctx, server, name);
  refuseReadOnly(current, input, ["name", "createdAt"]);
  expectVersion(ctx, current.version);
  await store.updateScope(ctx.tx, server, name, { displayName: input.displayName ?? null, iconUri: input.iconUri ?? null });
  await modelChanged(ctx, server, "ADMIN_UPDATE", `scope ${name}`);
  return scopeNamed(ctx, server, name);
}

export async function removeScope(ctx: Ctx, id: string, name: string): Promise<void> {
  const server = await takeServer(ctx, id);
  const { version } = await scopeNamed(ctx, server, name);
  expectVersion(ctx, version);
  const { resources, permissions } = await store.scopeUsers(ctx.tx, server, name);
  if (permissions.length > 0) throw inUse("this scope", "Permissions", permissions);
  if (resources.length > 0) throw inUse("this scope", "Resources", resources);
  await store.deleteScope(ctx.tx, server, name);
  await modelChanged(ctx, server, "ADMIN_DELETE", `scope ${name}`);
}

/** Refuses scopes that the client does not have. */
export async function refuseUnknownScopes(ctx: ReadCtx, server: store.Server, scopes: readonly string[]): Promise<void> {
  const known = await store.knownScopes(ctx.tx, server, scopes);
  const unknown = scopes.filter((scope) => !known.has(scope));
  if (unknown.length === 0) return;
  throw invalidFields(
    unknown.map((scope) => ({
      field: "scopes",
      code: "unknown_scope",
      message: `The client has no authorization scope “${scope}”: create it first`,
    })),
  );
}
