import { isObject } from "../../kernel/json.ts";
import { compilePattern } from "../../kernel/pattern.ts";
import { isResourceName, isResourceType, isScopeName } from "./schema.ts";
import type { AuthorizationItem } from "./transfer.schema.ts";

type Members = Readonly<Record<string, unknown>>;
type Policy = NonNullable<AuthorizationItem["policies"]>[number];
type Permission = NonNullable<AuthorizationItem["permissions"]>[number];

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const objects = (value: unknown): Members[] => listIn(value).filter(isObject);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" ? value : undefined);
const among = <T extends string>(value: unknown, values: readonly T[]): T | undefined => values.find((each) => each === value);

/** Reads a list of the configuration of a policy. In Keycloak it is JSON inside a text. */
function listOf(config: Members, member: string): unknown[] {
  const value = config[member];
  if (typeof value !== "string") return listIn(value);
  try {
    return listIn(JSON.parse(value));
  } catch {
    return [];
  }
}
const textsOf = (config: Members, member: string): string[] => listOf(config, member).filter((each) => typeof each === "string");

export interface KeycloakAuthorization {
  readonly item: AuthorizationItem;
  /** The differences from Keycloak and their reasons, for the report of an import. */
  readonly notes: readonly string[];
}

/**
 * Converts `authorizationSettings` of a client in an export of Keycloak to an item of our documents. A policy that cannot be converted
 * denies: one that is code becomes one that is always undecided, because a permission without it would allow more.
 */
export function fromKeycloakAuthorization(clientId: string, settings: unknown): KeycloakAuthorization {
  const given = isObject(settings) ? settings : {};
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const scopeOf = scopeNames(note);
  const scopes = objects(given.scopes).flatMap(({ name, displayName, iconUri, icon_uri }) => {
    const scope = scopeOf(textOf(name));
    return scope === undefined ? [] : [{ name: scope, ...texts({ displayName, iconUri: iconUri ?? icon_uri }) }];
  });
  const strategy = among(given.decisionStrategy, ["UNANIMOUS", "AFFIRMATIVE"]);
  if (given.decisionStrategy === "CONSENSUS")
    note("decisionStrategy CONSENSUS of the settings is UNANIMOUS, as Keycloak's own code takes it");
  const resources = objects(given.resources).flatMap((resource) => resourceOf(clientId, resource, scopeOf, note));
  const named = new Set(resources.map(({ name }) => name));
  const all = objects(given.policies);
  const isPermission = ({ type }: Members) => type === "resource" || type === "scope";
  const item = {
    clientId,
    enabled: true,
    policyEnforcementMode: among(given.policyEnforcementMode, ["ENFORCING", "PERMISSIVE", "DISABLED"]) ?? "ENFORCING",
    decisionStrategy: strategy ?? "UNANIMOUS",
    allowRemoteResourceManagement: given.allowRemoteResourceManagement !== false,
    scopes: unique(scopes),
    resources: unique(resources),
    policies: unique(all.filter((policy) => !isPermission(policy)).flatMap((policy) => policyOf(policy, note))),
    permissions: unique(all.filter(isPermission).flatMap((permission) => permissionOf(permission, named, scopeOf, note))),
  } satisfies AuthorizationItem;
  return { item, notes };
}

const unique = <T extends { readonly name: string }>(list: readonly T[]): T[] => [
  ...new Map(list.map((item) => [item.name, item])).values(),
];

const texts = (members: Members): Record<string, string> =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (textOf(value) === undefined ? [] : [[name, textOf(value)!]])));

/** Converts names of scopes. Ours have no spaces, commas and #, which separate them in requests. */
function scopeNames(note: (text: string) => void) {
  const seen = new Set<string>();
  return (name: string | undefined): string | undefined => {
    if (name === undefined || isScopeName(name)) return name;
    const renamed = name.replace(/[\s,#\p{C}]+/gu, "_").slice(0, 255);
    if (!seen.has(name)) note(`scope “${name}” is called “${renamed}” here`);
    seen.add(name);
    return isScopeName(renamed) ? renamed : undefined;
  };
}

function resourceOf(
  clientId: string,
  resource: Members,
  scopeOf: (name: string | undefined) => string | undefined,
  note: (text: string) => void,
): NonNullable<AuthorizationItem["resources"]> {
  const name = textOf(resource.name)?.trim();
  if (name === undefined || !isResourceName(name)) return [];
  const owner = isObject(resource.owner) ? (textOf(resource.owner.name) ?? textOf(resource.owner.id)) : textOf(resource.owner);
  if (owner !== undefined && owner !== clientId) {
    note(`resource “${name}” belongs to a user, and is not carried over: the application registers it again`);
    return [];
  }
  if (resource.ownerManagedAccess === true) note(`resource “${name}” belongs to the client: ownerManagedAccess is for resources of users`);
  const type = textOf(resource.type);
  const uris = listIn(resource.uris ?? (resource.uri === undefined ? [] : [resource.uri])).flatMap((uri) => textOf(uri) ?? []);
  const attributes = isObject(resource.attributes)
    ? Object.fromEntries(Object.entries(resource.attributes).map(([key, value]) => [key, listIn(value).map(String)]))
    : {};
  const own = listIn(resource.scopes ?? resource.resource_scopes).flatMap(
    (scope) => scopeOf(textOf(isObject(scope) ? scope.name : scope)) ?? [],
  );
  return [
    {
      name,
      ...(type !== undefined && isResourceType(type) && { type }),
      ...texts({ displayName: resource.displayName, iconUri: resource.icon_uri ?? resource.iconUri }),
      ...{ uris: [...new Set(uris)], scopes: [...new Set(own)], attributes },
    },
  ];
}

const TIME = ["dayMonth", "month", "year", "hour", "minute"].flatMap((range) => [range, `${range}End`]);
const flaggedBy = (config: Members, list: string, key: "name" | "path", flag: "required" | "extendChildren") =>
  listOf(config, list).flatMap((entry) => {
    if (typeof entry === "string") return [{ [key]: entry }];
    const name = isObject(entry) ? textOf(entry.path ?? entry.id ?? entry.name) : undefined;
    return name === undefined ? [] : [{ [key]: name, ...((entry as Members)[flag] === true && { [flag]: true }) }];
  });

/** Converts the members of each type. Null if they cannot be converted. */
const members: Readonly<Record<string, (config: Members, note: (text: string) => void) => Members | null>> = {
  role: (config) => ({ roles: flaggedBy(config, "roles", "name", "required") }),
  user: (config) => ({ users: textsOf(config, "users") }),
  client: (config) => ({ clients: textsOf(config, "clients") }),
  group: (config) => ({ groups: flaggedBy(config, "groups", "path", "extendChildren") }),
  "client-scope": (config) => ({ clientScopes: flaggedBy(config, "clientScopes", "name", "required") }),
  aggregate: (config) => ({ policies: textsOf(config, "applyPolicies") }),
  time(config, note) {
    note("its times are those of UTC: Keycloak takes the zone of its server. Set timeZone");
    const numbers = TIME.flatMap((member) => (/^\d+$/.test(String(config[member] ?? "")) ? [[member, Number(config[member])]] : []));
    return {
      ...texts({ notBefore: config.nbf ?? config.notBefore, notOnOrAfter: config.noa ?? config.notOnOrAfter }),
      ...Object.fromEntries(numbers),
    };
  },
  regex(config) {
    const { targetClaim, pattern } = texts(config);
    if (targetClaim === undefined || pattern === undefined) return null;
    try {
      compilePattern(pattern);
    } catch {
      return null;
    }
    return { targetClaim, pattern, ...(String(config.targetContextAttributes) === "true" && { targetContextAttributes: true }) };
  },
};

function policyOf(policy: Members, note: (text: string) => void): Policy[] {
  const name = textOf(policy.name)?.trim();
  if (name === undefined) return [];
  const type = String(policy.type);
  const shared = {
    name,
    ...texts({ description: policy.description }),
    logic: among(policy.logic, ["POSITIVE", "NEGATIVE"]) ?? "POSITIVE",
    decisionStrategy: among(policy.decisionStrategy, ["UNANIMOUS", "AFFIRMATIVE", "CONSENSUS"]) ?? "UNANIMOUS",
  };
  const config = isObject(policy.config) ? policy.config : {};
  const own = Object.hasOwn(members, type) ? members[type]!(config, (text) => note(`policy “${name}”: ${text}`)) : null;
  const isEmpty = own === null || Object.values(own).some((value) => Array.isArray(value) && value.length === 0);
  if (!isEmpty) return [{ ...shared, type, ...own } as Policy];
  note(
    `policy “${name}” of type ${type} cannot be carried over: what needs it is denied until you replace it by attribute, regex and aggregate policies`,
  );
  // A policy for users without any user is always undecided, whatever its logic.
  return [{ ...shared, decisionStrategy: "UNANIMOUS", type: "user", users: [] }];
}

function permissionOf(
  permission: Members,
  resources: ReadonlySet<string>,
  scopeOf: (name: string | undefined) => string | undefined,
  note: (text: string) => void,
): Permission[] {
  const name = textOf(permission.name)?.trim();
  const config = isObject(permission.config) ? permission.config : {};
  if (name === undefined) return [];
  const type = permission.type as "resource" | "scope";
  const named = textsOf(config, "resources");
  const left = named.filter((resource) => resources.has(resource.trim())).map((resource) => resource.trim());
  const resourceType = left.length > 0 ? undefined : textOf(config.defaultResourceType);
  const scopes = [...new Set(textsOf(config, "scopes").flatMap((scope) => scopeOf(scope) ?? []))];
  // Without its resources, it would become a permission for every resource.
  const isDangling = named.length > 0 && left.length === 0 && resourceType === undefined;
  if (isDangling || (type === "resource" ? left.length === 0 && resourceType === undefined : scopes.length === 0)) {
    note(`permission “${name}” names nothing that is carried over, and is left out`);
    return [];
  }
  return [
    {
      ...{ name, type },
      ...texts({ description: permission.description }),
      decisionStrategy: among(permission.decisionStrategy, ["UNANIMOUS", "AFFIRMATIVE", "CONSENSUS"]) ?? "UNANIMOUS",
      ...{
        resources: left,
        ...(resourceType !== undefined && { resourceType }),
        policies: textsOf(config, "applyPolicies").map((each) => each.trim()),
      },
      ...(type === "scope" && { scopes }),
    },
  ];
}
