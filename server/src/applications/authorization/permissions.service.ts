import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { authzErrors } from "./errors.ts";
import * as store from "./permissions.store.ts";
import { aggregatesOf } from "./policies.store.ts";
import { shareResources } from "./resources.store.ts";
import type { CreateAuthzPermission, UpdateAuthzPermission } from "./schema.ts";
import { isWriting, modelChanged, openServer, refuseUnknownScopes, takeServer } from "./service.ts";
import { countOf, type Server } from "./store.ts";

const MOST_PERMISSIONS = 5_000;

export async function searchPermissions(ctx: ReadCtx, id: string, query: ListQuery): Promise<Page<store.PermissionRow>> {
  return store.listPermissions(ctx.tx, await openServer(ctx, id), query);
}

export async function readPermission(ctx: ReadCtx, id: string, name: string): Promise<store.PermissionRow> {
  return permissionNamed(ctx, await openServer(ctx, id), name);
}

async function permissionNamed(ctx: ReadCtx, server: Server, name: string): Promise<store.PermissionRow> {
  const permission = await store.findPermission(ctx.tx, server, name);
  if (!permission) throw authzErrors.permission_not_found();
  return permission;
}

export async function createPermission(ctx: Ctx, id: string, input: CreateAuthzPermission): Promise<store.PermissionRow> {
  const server = await takeServer(ctx, id);
  if ((await countOf(ctx.tx, server, "authz_permissions")) >= MOST_PERMISSIONS) throw authzErrors.too_many();
  await store.insertPermission(ctx.tx, server, await checkedPermission(ctx, server, input), ctx.now);
  await modelChanged(ctx, server, "ADMIN_CREATE", `permission ${input.name}`);
  return permissionNamed(ctx, server, input.name);
}

export async function savePermission(ctx: Ctx, id: string, name: string, input: UpdateAuthzPermission): Promise<store.PermissionRow> {
  const server = await takeServer(ctx, id);
  const current = await permissionNamed(ctx, server, name);
  refuseReadOnly(current, input, ["name", "type", "createdAt"]);
  expectVersion(ctx, current.version);
  await store.updatePermission(ctx.tx, server, await checkedPermission(ctx, server, { ...input, name, type: current.type }));
  await modelChanged(ctx, server, "ADMIN_UPDATE", `permission ${name}`);
  return permissionNamed(ctx, server, name);
}

export async function removePermission(ctx: Ctx, id: string, name: string): Promise<void> {
  const server = await takeServer(ctx, id);
  const { version } = await permissionNamed(ctx, server, name);
  expectVersion(ctx, version);
  await store.deletePermission(ctx.tx, server, name);
  await modelChanged(ctx, server, "ADMIN_DELETE", `permission ${name}`);
}

/** Returns the complete state of a permission, with ids of resources. `named` are policies that a dry run adds. */
export async function checkedPermission(
  ctx: ReadCtx,
  server: Server,
  input: CreateAuthzPermission,
  named: readonly string[] = [],
): Promise<store.PermissionState> {
  const { name, type, description = null, decisionStrategy = "UNANIMOUS" } = input;
  const { resources = [], resourceType = null, scopes = [], policies = [] } = input;
  const errors: FieldError[] = [];
  if (resources.length > 0 && resourceType !== null)
    errors.push({ field: "resourceType", code: "ambiguous", message: "Send resources or resourceType, not both" });
  if (type === "resource" && scopes.length > 0)
    errors.push({ field: "scopes", code: "other_type", message: "scopes are for permissions of type scope" });
  if (type === "resource" && resources.length === 0 && resourceType === null)
    errors.push({ field: "resources", code: "required", message: "A permission of type resource needs resources or resourceType" });
  if (type === "scope" && scopes.length === 0)
    errors.push({ field: "scopes", code: "required", message: "A permission of type scope needs scopes" });
  if (errors.length > 0) throw invalidFields(errors);
  await refuseUnknownScopes(ctx, server, scopes);
  const known = new Set([...(await aggregatesOf(ctx.tx, server)).keys(), ...named]);
  for (const policy of policies)
    if (!known.has(policy)) errors.push({ field: "policies", code: "unknown_policy", message: `The client has no policy “${policy}”` });
  const found = await shareResources(ctx.tx, server, resources, isWriting(ctx));
  for (const each of resources)
    if (!found.has(each) && !found.has(each.toLowerCase()))
      errors.push({ field: "resources", code: "unknown_resource", message: `The client has no resource “${each}” of its own` });
  if (errors.length > 0) throw invalidFields(errors);
  const ids = [...new Set(resources.map((each) => (found.get(each) ?? found.get(each.toLowerCase()))!))];
  return { name, type, description, decisionStrategy, resources: ids, resourceType, scopes, policies };
}
