import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { findEntries } from "./entries.store.ts";
import { createPermission, removePermission, savePermission } from "./permissions.service.ts";
import { listPermissions, type PermissionRow } from "./permissions.store.ts";
import { CreateAuthzPolicy } from "./policies.schema.ts";
import { createPolicy, removePolicy, savePolicy, spelled } from "./policies.service.ts";
import { listPolicies } from "./policies.store.ts";
import { createResource, removeResource, saveResource } from "./resources.service.ts";
import { listResources, type ResourceRow } from "./resources.store.ts";
import { defaultSettings } from "./schema.ts";
import { createScope, modelChanged, readSettings, removeScope, replaceSettings, saveScope } from "./service.ts";
import { deleteServer, findSettings, listScopes, serversOf } from "./store.ts";
import type { AuthorizationItem } from "./transfer.schema.ts";

// The authorization services of a client as one item of a realm's document. Writes use the functions of the admin API.

type Named = { readonly name: string };
type ScopeItem = NonNullable<AuthorizationItem["scopes"]>[number];
type ResourceItem = NonNullable<AuthorizationItem["resources"]>[number];
type PolicyItem = NonNullable<AuthorizationItem["policies"]>[number];
type PermissionItem = NonNullable<AuthorizationItem["permissions"]>[number];

async function every<Row>(search: (query: ListQuery) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await search({ size: 1000, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  }
  return rows;
}

export interface ReadAuthorization {
  /** The client's id in the admin API. */
  readonly id: string;
  readonly item: AuthorizationItem;
}

export const authorizationDefaults = { ...defaultSettings, scopes: [], resources: [], policies: [], permissions: [] };

/** Reads every client that has, or had, authorization services. */
export async function readAuthorizations(ctx: ReadCtx): Promise<ReadAuthorization[]> {
  const found: ReadAuthorization[] = [];
  for (const { client, clientId } of await serversOf(ctx.tx, ctx.realm))
    found.push({ id: client, item: await readItem(ctx, client, clientId) });
  return found;
}

async function readItem(ctx: ReadCtx, client: string, clientId: string): Promise<AuthorizationItem> {
  const server = { realm: ctx.realm, client };
  const { version: _, ...settings } = await findSettings(ctx.tx, server);
  const resources = (await every((query) => listResources(ctx.tx, server, query))).filter(({ owner }) => owner === null);
  const permissions = await every((query) => listPermissions(ctx.tx, server, query));
  return {
    clientId,
    ...settings,
    scopes: (await every((query) => listScopes(ctx.tx, server, query))).map(scopeItem),
    resources: resources.map(resourceItem),
    policies: (await spelled(ctx, await every((query) => listPolicies(ctx.tx, server, query)))).map(policyItem),
    permissions: permissions.flatMap((permission) => permissionItem(permission, new Set(resources.map(({ name }) => name)))),
  };
}

/** Leaves out members that have their default. */
function short<T extends object>(item: T, defaults: Readonly<Record<string, unknown>>): T {
  const isDefault = ([member, value]: [string, unknown]) =>
    value === undefined || (member in defaults && JSON.stringify(value) === JSON.stringify(defaults[member]));
  return Object.fromEntries(Object.entries(item).filter((entry) => !isDefault(entry))) as T;
}

const scopeItem = ({ name, displayName, iconUri }: ScopeItem): ScopeItem =>
  short({ name, displayName, iconUri } as ScopeItem, { displayName: null, iconUri: null });

const resourceDefaults = { displayName: null, type: null, uris: [], scopes: [], iconUri: null, attributes: {} };
const resourceItem = ({ name, displayName, type, uris, scopes, iconUri, attributes }: ResourceItem | ResourceRow): ResourceItem =>
  short({ name, displayName, type, uris, scopes: scopes && [...scopes].sort(), iconUri, attributes } as ResourceItem, resourceDefaults);

const policyDefaults = { description: null, logic: "POSITIVE", decisionStrategy: "UNANIMOUS", targetContextAttributes: false };
const policyMembers = Object.keys(CreateAuthzPolicy.properties);
function policyItem(policy: PolicyItem): PolicyItem {
  const item = Object.fromEntries(Object.entries(policy).filter(([member]) => policyMembers.includes(member))) as PolicyItem;
  const flagged = (list: readonly unknown[] | undefined, key: string, flag: string) =>
    list?.map((one) => {
      const entry = (typeof one === "string" ? { [key]: one } : one) as Record<string, unknown>;
      return entry[flag] ? { [key]: entry[key], [flag]: true } : entry[key];
    });
  return short(
    {
      ...item,
      ...(item.roles && { roles: flagged(item.roles, "name", "required") as PolicyItem["roles"] }),
      ...(item.clientScopes && { clientScopes: flagged(item.clientScopes, "name", "required") as PolicyItem["clientScopes"] }),
      ...(item.groups && { groups: flagged(item.groups, "path", "extendChildren") as PolicyItem["groups"] }),
    } as PolicyItem,
    policyDefaults,
  );
}

const permissionDefaults = {
  description: null,
  decisionStrategy: "UNANIMOUS",
  resources: [],
  resourceType: null,
  scopes: [],
  policies: [],
};
/** Returns a permission for a document. One for resources of users only is left out: without them it would be one for every resource. */
function permissionItem(permission: PermissionItem | PermissionRow, own: ReadonlySet<string> | null): PermissionItem[] {
  const { name, type, description, decisionStrategy, resources = [], resourceType, scopes, policies } = permission;
  const left = own ? resources.filter((resource) => own.has(resource)) : resources;
  if (resources.length > 0 && left.length === 0) return [];
  const item = { name, type, description, decisionStrategy, resources: [...left].sort(), resourceType, scopes, policies } as PermissionItem;
  return [short(item, permissionDefaults)];
}

/** Enables authorization services for a client that has none, until all of the document is applied. */
export async function addAuthorization(ctx: Ctx, { clientId }: AuthorizationItem): Promise<string> {
  const id = (await findEntries(ctx.tx, ctx.realm, "client", [clientId])).get(clientId) ?? clientId;
  await replaceSettings(ctx, id, { enabled: true });
  return id;
}

const same = (one: unknown, other: unknown) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** Brings the model to the state of the item. A part is created before the parts that name it, and deleted after them. */
export async function applyAuthorization(ctx: Ctx, id: string, wanted: AuthorizationItem): Promise<void> {
  const current = await readItem(ctx, id, wanted.clientId);
  const { clientId: _, scopes = [], resources = [], policies = [], permissions = [], ...settings } = wanted;
  if (!current.enabled) await replaceSettings(ctx, id, { ...settingsOf(current), enabled: true });
  const scopeList = parts(current.scopes ?? [], scopes, scopeItem);
  const resourceList = parts(current.resources ?? [], resources, resourceItem);
  const policyList = parts(current.policies ?? [], policies, policyItem);
  const permissionList = parts(current.permissions ?? [], permissions, (each) => permissionItem(each, null)[0]!);
  for (const { name } of permissionList.removed) await removePermission(ctx, id, name);
  for (const item of scopeList.added) await createScope(ctx, id, item);
  for (const { name, ...item } of scopeList.changed) await saveScope(ctx, id, name, item);
  for (const item of resourceList.added) await createResource(ctx, id, item);
  for (const item of resourceList.changed) await saveResource(ctx, id, item.name, item);
  for (const item of inOrder(policyList.added)) await createPolicy(ctx, id, item, "lose");
  for (const item of policyList.changed) await savePolicy(ctx, id, item.name, item, "lose");
  for (const item of permissionList.added) await createPermission(ctx, id, item);
  for (const item of permissionList.changed) await savePermission(ctx, id, item.name, item);
  for (const { name } of inOrder(policyList.removed).reverse()) await removePolicy(ctx, id, name);
  for (const { name } of resourceList.removed) await removeResource(ctx, id, name);
  for (const { name } of scopeList.removed) await removeScope(ctx, id, name);
  const state = { ...defaultSettings, ...settings };
  if (!same(settingsOf(await readSettings(ctx, id)), state)) await replaceSettings(ctx, id, state);
}

function settingsOf({ enabled, policyEnforcementMode, decisionStrategy, delegation, ...rest }: Partial<AuthorizationItem>) {
  const { allowRemoteResourceManagement, subjectSearch, decisionLogPercent } = rest;
  return {
    enabled: enabled ?? false,
    policyEnforcementMode,
    decisionStrategy,
    delegation,
    allowRemoteResourceManagement,
    subjectSearch,
    decisionLogPercent,
  } as typeof defaultSettings;
}

function parts<T extends Named>(now: readonly T[], wanted: readonly T[], short: (item: T) => T) {
  const known = new Map(now.map((item) => [item.name, item]));
  const kept = new Set(wanted.map(({ name }) => name));
  return {
    added: wanted.filter(({ name }) => !known.has(name)),
    changed: wanted.filter((item) => known.has(item.name) && !same(short(item), short(known.get(item.name)!))),
    removed: now.filter(({ name }) => !kept.has(name)),
  };
}

/** Orders aggregates after the policies that they name. */
function inOrder(policies: readonly PolicyItem[]): PolicyItem[] {
  const left = new Map(policies.map((policy) => [policy.name, policy]));
  const done: PolicyItem[] = [];
  const visit = (policy: PolicyItem) => {
    if (!left.delete(policy.name)) return;
    for (const name of policy.policies ?? []) if (left.has(name)) visit(left.get(name)!);
    done.push(policy);
  };
  for (const policy of policies) visit(policy);
  return done;
}

export async function removeAuthorization(ctx: Ctx, id: string): Promise<void> {
  const server = { realm: ctx.realm, client: id };
  await deleteServer(ctx.tx, server);
  await modelChanged(ctx, server, "ADMIN_DELETE", "settings");
}
