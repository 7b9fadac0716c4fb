import type { Db } from "../../platform/db/index.ts";
import type { Asked, Subject } from "./evaluator/index.ts";
import { pick } from "./pick.ts";
import type { ResourceServer } from "./resource-server.ts";
import { type AskedResource, type ResourcesAsked, resourcesFor } from "./resources.store.ts";

/** The `permission` parameter of UMA requests, in the form of Keycloak: `name#s1,s2`, `#s1`, `resource-type:T`. */
export type PermissionAsked =
  | { readonly kind: "resource"; readonly name: string; readonly scopes: readonly string[] | null }
  | { readonly kind: "type"; readonly type: string; readonly scopes: readonly string[] | null }
  | { readonly kind: "scopes"; readonly scopes: readonly string[] };

const TYPE = "resource-type:";

/** Parses a permission. A name may contain a `#`, so the last one begins the scopes. */
export function parsePermission(text: string): PermissionAsked {
  const at = text.lastIndexOf("#");
  const name = at < 0 ? text : text.slice(0, at);
  const named = at < 0 ? [] : text.slice(at + 1).split(",");
  const scopes = [...new Set(named.map((scope) => scope.trim()))].filter((scope) => scope !== "");
  if (name === "") return { kind: "scopes", scopes };
  const wanted = scopes.length > 0 ? scopes : null;
  return name.startsWith(TYPE)
    ? { kind: "type", type: name.slice(TYPE.length), scopes: wanted }
    : { kind: "resource", name, scopes: wanted };
}

/** The forms in which `permission` names resources. */
export interface Naming {
  readonly byUri: boolean;
  /** True if a resource whose URI ends with `/*` includes every address below it. The longest match wins. */
  readonly isMatching: boolean;
  /** True if resources and scopes that do not exist are left out. Otherwise they are an error. */
  readonly skipsUnknown?: boolean;
}

/** Thrown for an unknown resource or scope. Each protocol answers with its own error. */
export class UnknownAsked extends Error {
  readonly what: "resource" | "scope";
  constructor(what: "resource" | "scope", message: string) {
    super(message);
    this.what = what;
  }
}

/** The segments of an address that are compared with patterns. Without a limit, the patterns of a long address would fill the memory. */
const MOST_SEGMENTS = 64;

/** Returns the URIs that may include an address: for `/a/b` these are `/a/b`, `/a/b/*`, `/a/*` and `/*`. */
function patternsFor(uri: string): string[] {
  const parts = uri.split("/", MOST_SEGMENTS);
  return [uri, ...parts.map((_, at) => `${parts.slice(0, parts.length - at).join("/")}/*`)];
}

/** Finds the requested resources, with one statement for all that are named. `limit` is the number of resources of a type or a scope. */
export async function findAsked(
  db: Db,
  server: ResourceServer,
  permissions: readonly PermissionAsked[],
  subjects: readonly Subject[],
  { byUri, isMatching, skipsUnknown = false }: Naming,
  limit: number,
): Promise<Asked[]> {
  const users = subjects.filter(({ kind }) => kind === "user").map(({ id }) => id);
  const unknown = permissions.flatMap(({ scopes }) => scopes ?? []).find((scope) => !server.scopes.has(scope));
  if (unknown !== undefined && !skipsUnknown) throw new UnknownAsked("scope", `One of the given scopes [${unknown}] is invalid`);
  const all = (asked: ResourcesAsked) => resourcesFor(db, server, asked, users, { limit });
  if (permissions.length === 0) return (await all({ by: "all" })).map((resource) => ({ resource, scopes: null }));

  const names = permissions.flatMap((asked) => (asked.kind === "resource" ? [asked.name] : []));
  const spellings = byUri && isMatching ? names.flatMap(patternsFor) : names;
  const found =
    names.length === 0
      ? []
      : await resourcesFor(db, server, { by: byUri ? "uris" : "names", names: [...new Set(spellings)] }, users, { limit: 2 * limit });
  const asked: Asked[] = [];
  for (const permission of permissions) {
    const { scopes } = permission;
    if (permission.kind === "resource") {
      const resource = byUri ? byAddress(found, permission.name, isMatching) : pick(found, permission.name, users);
      const isGone = !resource || (scopes !== null && within(resource, scopes)?.length === 0);
      if (skipsUnknown && isGone) continue;
      if (!resource) throw new UnknownAsked("resource", `Resource with id [${permission.name}] does not exist.`);
      const missing = scopes?.find((scope) => !resource.scopes.includes(scope));
      if (missing !== undefined && !skipsUnknown)
        throw new UnknownAsked("scope", `Resource [${permission.name}] has no scope [${missing}]`);
      asked.push({ resource, scopes: within(resource, scopes) });
    } else if (permission.kind === "type") {
      for (const resource of await all({ by: "type", type: permission.type })) asked.push({ resource, scopes: within(resource, scopes) });
    } else {
      const having = await all({ by: "scopes", scopes: permission.scopes });
      for (const resource of having) asked.push({ resource, scopes: within(resource, permission.scopes) });
      if (having.length === 0) asked.push({ resource: null, scopes: permission.scopes });
    }
  }
  return asked;
}

const within = (resource: AskedResource, scopes: readonly string[] | null) =>
  scopes?.filter((scope) => resource.scopes.includes(scope)) ?? null;

function byAddress(found: readonly AskedResource[], uri: string, isMatching: boolean): AskedResource | undefined {
  for (const spelling of isMatching ? patternsFor(uri) : [uri]) {
    const resource = found.find(({ uris }) => uris.includes(spelling));
    if (resource) return resource;
  }
  return undefined;
}
