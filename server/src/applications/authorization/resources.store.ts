import { type ColumnType, type Generated, sql } from "kysely";
import { isId, newId } from "../../kernel/ids.ts";
import { addTo } from "../../kernel/lists.ts";
import { type Db, deleteRows, nameStartsWith, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { authzErrors } from "./errors.ts";
import type { EvaluatedResource } from "./evaluator/index.ts";
import type { AuthzResource } from "./schema.ts";
import type { Server } from "./store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    authz_resources: {
      realm_id: string;
      client_id: string;
      resource_id: string;
      name: string;
      owner_id: string | null;
      display_name: string | null;
      type: string | null;
      uris: string[];
      scopes: string[];
      icon_uri: string | null;
      owner_managed_access: boolean;
      attributes: ColumnType<Record<string, string[]>, string, string>;
      created_at: number;
      version: Generated<number>;
    };
    authz_shares: {
      realm_id: string;
      client_id: string;
      resource_id: string;
      user_id: string;
      scope: string;
      status: "GRANTED" | "REQUESTED";
      created_at: number;
    };
  }
}

/** A resource with the id of its `owner`, which the service replaces by the name. */
export type ResourceRow = AuthzResource & { readonly version: number };
export type ResourceState = Omit<AuthzResource, "resourceId" | "createdAt">;

const select = [
  "resource_id as resourceId",
  "name",
  "display_name as displayName",
  "type",
  "uris",
  "scopes",
  "icon_uri as iconUri",
  "owner_id as owner",
  "owner_managed_access as ownerManagedAccess",
  "attributes",
  "created_at as createdAt",
  "version",
] as const;
const of = (db: Db, { realm, client }: Server) =>
  db.selectFrom("authz_resources").select(select).where("realm_id", "=", realm).where("client_id", "=", client);

const order = listOrder("name", { name: "name", createdAt: "created_at" }, "resource_id");

export interface ResourceFilter extends ListQuery {
  readonly name?: string;
  readonly type?: string;
  readonly uri?: string;
  /** An id: of a user, or of the client itself. */
  readonly owner?: string;
  readonly scope?: string;
}

export function listResources(db: Db, server: Server, query: ResourceFilter): Promise<Page<ResourceRow>> {
  const { search, name, type, uri, owner, scope } = query;
  const base = of(db, server)
    .$if(Boolean(search), (q) =>
      q.where((eb) => eb.or([nameStartsWith("name", search!), ...(isId(search!) ? [eb("resource_id", "=", search!)] : [])])),
    )
    .$if(name !== undefined, (q) => q.where("name", "=", name!))
    .$if(type !== undefined, (q) => q.where("type", "=", type!))
    .$if(uri !== undefined, (q) => q.where(sql<boolean>`uris @> array[${uri}::text]`))
    .$if(scope !== undefined, (q) => q.where(sql<boolean>`scopes @> array[${scope}::text]`))
    .$if(owner !== undefined, (q) => (owner === server.client ? q.where("owner_id", "is", null) : q.where("owner_id", "=", owner!)));
  return pageOf(db, base, order, query);
}

export const findResourceById = async (db: Db, server: Server, id: string): Promise<ResourceRow | null> =>
  (await of(db, server).where("resource_id", "=", id).executeTakeFirst()) ?? null;

export const resourcesWithIds = async (db: Db, server: Server, ids: readonly string[]): Promise<ResourceRow[]> =>
  ids.length === 0 ? [] : of(db, server).where("resource_id", "in", ids).execute();

/** Finds a resource by id, or by name. The client's own resource of that name comes first. */
export async function findResource(db: Db, server: Server, name: string): Promise<ResourceRow | null> {
  const byId = isId(name) ? await findResourceById(db, server, name) : null;
  if (byId) return byId;
  const row = await of(db, server).where("name", "=", name).orderBy(sql`owner_id is not null, created_at`).limit(1).executeTakeFirst();
  return row ?? null;
}

/** Returns the ids of resources for a permission: the client's own by name, and any by id. In a write they are locked until commit. */
export async function shareResources(
  db: Db,
  { realm, client }: Server,
  names: readonly string[],
  isHeld: boolean,
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const ids = names.filter(isId).map((id) => id.toLowerCase());
  const { rows } = await sql<{ resource_id: string; name: string; owner_id: string | null }>`
    select resource_id, name, owner_id from authz_resources where realm_id = ${realm} and client_id = ${client}
      and (resource_id = any(${ids}::uuid[]) or (owner_id is null and name = any(${[...names]}::text[]))) ${isHeld ? sql`for key share` : sql``}`.execute(
    db,
  );
  const found = new Map(rows.map((row) => [row.resource_id, row.resource_id]));
  for (const row of rows) if (row.owner_id === null) found.set(row.name, row.resource_id);
  return found;
}

export async function insertResource(tx: Tx, { realm, client }: Server, state: ResourceState, now: number, id = newId()): Promise<string> {
  const insert = tx.insertInto("authz_resources").values({
    realm_id: realm,
    client_id: client,
    resource_id: id,
    name: state.name,
    created_at: now,
    ...columnsOf(state),
  });
  await translating({ authz_resources_name_taken: authzErrors.resource_taken }, insert.execute());
  return id;
}

const columnsOf = (state: ResourceState) => ({
  owner_id: state.owner,
  display_name: state.displayName,
  type: state.type,
  uris: [...state.uris],
  scopes: [...state.scopes],
  icon_uri: state.iconUri,
  owner_managed_access: state.ownerManagedAccess,
  attributes: JSON.stringify(state.attributes),
});

export async function updateResource(tx: Tx, { realm, client }: Server, id: string, state: ResourceState): Promise<void> {
  const key = { realm_id: realm, client_id: client, resource_id: id };
  const change = { name: state.name, ...columnsOf(state), version: nextVersion };
  await translating({ authz_resources_name_taken: authzErrors.resource_taken }, updateRows(tx, "authz_resources", key, change));
}

export async function deleteResource(tx: Tx, { realm, client }: Server, id: string): Promise<void> {
  await deleteRows(tx, "authz_resources", { realm_id: realm, client_id: client, resource_id: id });
}

export async function permissionsNaming(db: Db, { realm, client }: Server, id: string): Promise<string[]> {
  const { rows } = await sql<{ permission: string }>`select permission from authz_permission_resources
    where realm_id = ${realm} and client_id = ${client} and resource_id = ${id} order by permission limit 11`.execute(db);
  return rows.map(({ permission }) => permission);
}

/** The resources of a request. */
export type ResourcesAsked =
  | { readonly by: "names"; readonly names: readonly string[] }
  /** The same, if each name is requested for another user. Null for a client, or if the user is unknown. */
  | { readonly by: "pairs"; readonly pairs: readonly { readonly name: string; readonly userId: string | null }[] }
  | { readonly by: "uris"; readonly names: readonly string[] }
  | { readonly by: "all" }
  | { readonly by: "type"; readonly type: string }
  | { readonly by: "scopes"; readonly scopes: readonly string[] };

export type AskedResource = EvaluatedResource & { readonly uris: readonly string[] };

/** The position at which a page of resources ended. */
export interface After {
  readonly name: string;
  readonly id: string;
}

/** The limit for one name, because many resources of one name may be shared with a user. */
const MOST_NAMED = 10_000;

/** Reads resources in one statement, whatever their number, with the scopes that their owners shared with these users. */
export async function resourcesFor(
  db: Db,
  server: Server,
  asked: ResourcesAsked,
  users: readonly string[],
  { limit, after = null }: { readonly limit: number; readonly after?: After | null },
): Promise<AskedResource[]> {
  const { realm, client } = server;
  const isNamed = asked.by === "names" || asked.by === "pairs";
  const beyond = after ? sql`and (r.name, r.resource_id) > (${after.name}, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<{
    resource_id: string;
    name: string;
    type: string | null;
    scopes: string[];
    uris: string[];
    owner_id: string | null;
    owner_managed_access: boolean;
    attributes: Record<string, string[]>;
    shares: { userId: string; scope: string }[];
  }>`select r.resource_id, r.name, r.type, r.scopes, r.uris, r.owner_id, r.owner_managed_access, r.attributes,
      case when r.owner_managed_access then coalesce((select json_agg(json_build_object('userId', s.user_id, 'scope', s.scope)) from authz_shares s
        where s.realm_id = r.realm_id and s.client_id = r.client_id and s.resource_id = r.resource_id and s.status = 'GRANTED'
          and s.user_id = any(${[...users]}::uuid[])), '[]') else '[]' end as shares
    from authz_resources r where r.realm_id = ${realm} and r.client_id = ${client} and ${conditionOf(server, asked, users)} ${beyond}
    order by r.name, r.resource_id limit ${isNamed ? MOST_NAMED : limit}`.execute(db);
  return rows.map((row) => ({
    id: row.resource_id,
    name: row.name,
    type: row.type,
    scopes: row.scopes,
    uris: row.uris,
    ownerId: row.owner_id,
    ownerManagedAccess: row.owner_managed_access,
    attributes: row.attributes,
    shares: sharesByUser(row.shares),
  }));
}

function sharesByUser(shares: readonly { readonly userId: string; readonly scope: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { userId, scope } of shares) addTo(found, userId, scope);
  return found;
}

/**
 * Selects by id, and by name: the client's own resource, that of the requesting user, those shared with them, and one of any other. Many
 * users may have a resource of one name, and it never reads all of them.
 */
function idsOfNamed({ realm, client }: Server, pairs: readonly { name: string; userId: string | null }[], users: readonly string[]) {
  const names = [...new Set(pairs.map(({ name }) => name))];
  const owned = [...names.map((name) => ({ name, userId: client })), ...pairs.filter(({ userId }) => userId !== null)];
  return sql`r.resource_id = any(array(
    select i.id from unnest(${names.filter(isId)}::uuid[]) i(id)
    union select x.resource_id from unnest(${owned.map(({ name }) => name)}::text[], ${owned.map(({ userId }) => userId)}::uuid[]) p(name, owner)
      join authz_resources x on x.realm_id = ${realm} and x.client_id = ${client} and x.name = p.name and coalesce(x.owner_id, x.client_id) = p.owner
    union select s.resource_id from authz_shares s
      join authz_resources x on x.realm_id = s.realm_id and x.client_id = s.client_id and x.resource_id = s.resource_id
      where s.realm_id = ${realm} and s.client_id = ${client} and s.user_id = any(${[...users]}::uuid[]) and s.status = 'GRANTED'
        and x.name = any(${names}::text[])
    union select f.resource_id from unnest(${names}::text[]) n(name) cross join lateral (
      select x.resource_id from authz_resources x where x.realm_id = ${realm} and x.client_id = ${client} and x.name = n.name limit 1) f))`;
}

function conditionOf(server: Server, asked: ResourcesAsked, users: readonly string[]) {
  switch (asked.by) {
    case "names":
      return idsOfNamed(
        server,
        asked.names.flatMap((name) => [{ name, userId: null }, ...users.map((userId) => ({ name, userId }))]),
        users,
      );
    case "pairs":
      return idsOfNamed(server, asked.pairs, users);
    case "uris":
      return sql`r.uris && ${[...asked.names]}::text[]`;
    case "all":
      return sql`true`;
    case "type":
      return sql`r.type = ${asked.type}`;
    case "scopes":
      return sql`r.scopes && ${[...asked.scopes]}::text[]`;
  }
}
