import { sql } from "kysely";
import { holdsAddress, inactiveKey } from "../../directory/users/index.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { OwnResource, Share, SharedResource, ShareRequest } from "./shares.schema.ts";
import type { Server } from "./store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    authz_share_names: {
      realm_id: string;
      client_id: string;
      resource_id: string;
      share_id: string;
      name: string;
      name_key: string;
      user_id: string | null;
      scopes: string[];
      created_at: number;
    };
  }
}

/** One resource of a resource server. */
export interface ResourcePlace extends Server {
  readonly resourceId: string;
}

const order = listOrder("createdAt", { createdAt: "authz_resources.created_at" }, "authz_resources.resource_id");
const columns = [
  "authz_resources.resource_id as resourceId",
  "clients.client_id as clientId",
  "clients.name as clientName",
  "authz_resources.name as name",
  "authz_resources.display_name as displayName",
  "authz_resources.type as type",
  "authz_resources.icon_uri as iconUri",
  "authz_resources.scopes as scopes",
  "authz_resources.created_at as createdAt",
] as const;
const managed = (db: Db, realm: string) =>
  db
    .selectFrom("authz_resources")
    .innerJoin("clients", (on) =>
      on.onRef("clients.realm_id", "=", "authz_resources.realm_id").onRef("clients.id", "=", "authz_resources.client_id"),
    )
    .innerJoin("authz_settings", (on) =>
      on
        .onRef("authz_settings.realm_id", "=", "authz_resources.realm_id")
        .onRef("authz_settings.client_id", "=", "authz_resources.client_id")
        .on("authz_settings.enabled", "=", true),
    )
    .where("authz_resources.realm_id", "=", realm)
    .where("authz_resources.owner_managed_access", "=", true);

export function listOwned(db: Db, realm: string, userId: string, query: ListQuery): Promise<Page<OwnResource>> {
  const { search } = query;
  const base = managed(db, realm)
    .select(columns)
    .where("authz_resources.owner_id", "=", userId)
    .$if(Boolean(search), (q) => q.where("authz_resources.name", "=", search!));
  return pageOf(db, base, order, query);
}

/** Lists the resources that others shared with the user, with the shared scopes. */
export function listSharedWith(db: Db, realm: string, userId: string, query: ListQuery): Promise<Page<SharedResource>> {
  const scopes = sql<string[]>`array(select s.scope from authz_shares s where s.realm_id = authz_resources.realm_id
    and s.client_id = authz_resources.client_id and s.resource_id = authz_resources.resource_id and s.user_id = ${userId}
    and s.status = 'GRANTED' and s.scope = any(authz_resources.scopes) order by 1)`;
  const base = managed(db, realm)
    .innerJoin("users", (on) =>
      on.onRef("users.realm_id", "=", "authz_resources.realm_id").onRef("users.user_id", "=", "authz_resources.owner_id"),
    )
    .select([...columns.filter((column) => column !== "authz_resources.scopes as scopes"), "users.username as owner", scopes.as("scopes")])
    .where(
      sql<boolean>`exists (select 1 from authz_shares s where s.realm_id = authz_resources.realm_id and s.client_id = authz_resources.client_id
        and s.resource_id = authz_resources.resource_id and s.user_id = ${userId} and s.status = 'GRANTED')`,
    );
  return pageOf(db, base, order, query) as Promise<Page<SharedResource>>;
}

export type OwnedRow = OwnResource & { readonly client: string };

/** Finds a resource of its owner. With `isHeld` it is locked until commit, so that changes of its shares run one after the other. */
export async function findOwned(db: Db, realm: string, userId: string, resourceId: string, isHeld = false): Promise<OwnedRow | null> {
  const row = await managed(db, realm)
    .select([...columns, "authz_resources.client_id as client"])
    .where("authz_resources.owner_id", "=", userId)
    .where("authz_resources.resource_id", "=", resourceId)
    .$if(isHeld, (q) => q.forUpdate("authz_resources"))
    .executeTakeFirst();
  return row ?? null;
}

/** More shares than an owner has. */
const MOST_SHARES = 1_000;

export async function sharesOf(db: Db, { realm, client, resourceId }: ResourcePlace): Promise<Share[]> {
  const { rows } =
    await sql<Share>`select share_id as "shareId", name as user, array_remove(scopes, '') as scopes, created_at as "createdAt"
    from authz_share_names where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId}
    order by created_at, share_id limit ${MOST_SHARES}`.execute(db);
  return rows;
}

export async function requestsOf(db: Db, { realm, client, resourceId }: ResourcePlace): Promise<ShareRequest[]> {
  const { rows } = await sql<ShareRequest>`select s.user_id as "userId", u.username as user,
      array_remove(array_agg(s.scope order by s.scope), '') as scopes, min(s.created_at) as "createdAt"
    from authz_shares s join users u on u.realm_id = s.realm_id and u.user_id = s.user_id
    where s.realm_id = ${realm} and s.client_id = ${client} and s.resource_id = ${resourceId} and s.status = 'REQUESTED'
    group by s.user_id, u.username order by 4, 1 limit ${MOST_SHARES}`.execute(db);
  return rows;
}

/** A request for a resource, as its owner sees it. */
export interface OwnerRequest extends ShareRequest {
  readonly resourceId: string;
  readonly name: string;
  readonly clientName: string;
}

/** Lists the requests for all resources of an owner, the oldest first. */
export async function requestsTo(db: Db, realm: string, ownerId: string): Promise<OwnerRequest[]> {
  const { rows } = await sql<OwnerRequest>`select r.resource_id as "resourceId", coalesce(r.display_name, r.name) as name,
      coalesce(c.name, c.client_id) as "clientName", s.user_id as "userId", u.username as user,
      array_remove(array_agg(s.scope order by s.scope), '') as scopes, min(s.created_at) as "createdAt"
    from authz_resources r
    join authz_settings a on a.realm_id = r.realm_id and a.client_id = r.client_id and a.enabled
    join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    join authz_shares s on s.realm_id = r.realm_id and s.client_id = r.client_id and s.resource_id = r.resource_id and s.status = 'REQUESTED'
    join users u on u.realm_id = s.realm_id and u.user_id = s.user_id
    where r.realm_id = ${realm} and r.owner_id = ${ownerId} and r.owner_managed_access
    group by r.resource_id, r.display_name, r.name, c.name, c.client_id, s.user_id, u.username
    order by min(s.created_at), r.resource_id limit ${MOST_SHARES}`.execute(db);
  return rows;
}

export interface StoredShare {
  readonly share: Share;
  /** Null if there is no such user. */
  readonly userId: string | null;
}

/**
 * Saves a share by the same statements whether or not there is such a user. A second share by the same name replaces the scopes. Returns
 * null if the resource has the maximum number of shares.
 */
export async function saveShare(
  tx: Tx,
  { realm, client, resourceId }: ResourcePlace,
  { user, userId: asked, scopes }: { readonly user: string; readonly userId: string | null; readonly scopes: readonly string[] },
  now: number,
): Promise<StoredShare | null> {
  const key = asked === null ? loginKey(user) : await shareKeyOf(tx, realm, { user, userId: asked });
  const { rows } = await sql<Share & { userId: string | null; formerUserId: string | null }>`
    with former as (select user_id from authz_share_names where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId}
      and name_key = ${key})
    insert into authz_share_names as n (realm_id, client_id, resource_id, share_id, name, name_key, user_id, scopes, created_at)
    select ${realm}, ${client}::uuid, ${resourceId}::uuid, ${newId()}::uuid, ${user}, ${key},
      (select l.user_id from login_names l where l.realm_id = ${realm} and l.key = ${key}), ${[...scopes]}::text[], ${now}
    where (select count(*) from authz_share_names o where o.realm_id = ${realm} and o.client_id = ${client} and o.resource_id = ${resourceId}
      and o.name_key <> ${key}) < ${MOST_SHARES}
    on conflict (realm_id, client_id, resource_id, name_key) do update
      set scopes = excluded.scopes, name = excluded.name, user_id = excluded.user_id, created_at = excluded.created_at
    returning share_id as "shareId", name as user, array_remove(scopes, '') as scopes, created_at as "createdAt", user_id as "userId",
      (select f.user_id from former f) as "formerUserId"`.execute(tx);
  if (!rows[0]) return null;
  const { userId, formerUserId, ...share } = rows[0];
  // The name may have moved to another user since. Both calls are made for every name, whether or not a user has it.
  for (const each of [userId, formerUserId]) await applyShares(tx, { realm, client, resourceId }, each, now);
  return { share, userId };
}

/** Returns the key of the login name by which a user is shown. If another user signs in by that name, it is the key of this user's own row. */
const shareKeyOf = async (db: Db, realm: string, { user, userId }: { readonly user: string; readonly userId: string }): Promise<string> =>
  (await holdsAddress(db, realm, userId, user)) ? loginKey(user) : inactiveKey(loginKey(user), userId);

/** Returns the scopes that are shared with a user by this name. */
export async function scopesSharedWith(
  db: Db,
  { realm, client, resourceId }: ResourcePlace,
  asked: { readonly user: string; readonly userId: string },
): Promise<readonly string[]> {
  const key = await shareKeyOf(db, realm, asked);
  const { rows } = await sql<{ scopes: string[] }>`select array_remove(scopes, '') as scopes from authz_share_names
    where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId} and name_key = ${key}`.execute(db);
  return rows[0]?.scopes ?? [];
}

/** Deletes a share. Returns null if there is no such share. */
export async function deleteShare(
  tx: Tx,
  { realm, client, resourceId }: ResourcePlace,
  shareId: string,
  now: number,
): Promise<StoredShare | null> {
  const { rows } = await sql<Share & { userId: string | null }>`delete from authz_share_names
    where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId} and share_id = ${shareId}
    returning share_id as "shareId", name as user, array_remove(scopes, '') as scopes, created_at as "createdAt", user_id as "userId"`.execute(
    tx,
  );
  if (!rows[0]) return null;
  const { userId, ...share } = rows[0];
  await applyShares(tx, { realm, client, resourceId }, userId, now);
  return { share, userId };
}

/** Gives a user the union of the scopes that the owner shared by each of the user's names. */
async function applyShares(tx: Tx, { realm, client, resourceId }: ResourcePlace, userId: string | null, now: number): Promise<void> {
  const shared = sql`select unnest(n.scopes) from authz_share_names n where n.realm_id = ${realm} and n.client_id = ${client}
    and n.resource_id = ${resourceId} and n.user_id = ${userId}::uuid`;
  await sql`delete from authz_shares where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId}
    and user_id = ${userId}::uuid and status = 'GRANTED' and scope not in (${shared})`.execute(tx);
  await sql`insert into authz_shares (realm_id, client_id, resource_id, user_id, scope, status, created_at)
    select distinct ${realm}, ${client}::uuid, ${resourceId}::uuid, ${userId}::uuid, s.scope, 'GRANTED', ${now}::bigint from (${shared}) s(scope)
    on conflict (realm_id, client_id, resource_id, user_id, scope) do update set status = 'GRANTED'`.execute(tx);
}

/** Requests scopes. Returns the number of those that are new. */
export async function requestShares(
  tx: Tx,
  { realm, client, resourceId }: ResourcePlace,
  userId: string,
  scopes: readonly string[],
  now: number,
): Promise<number> {
  const { rows } = await sql`insert into authz_shares (realm_id, client_id, resource_id, user_id, scope, status, created_at)
    select ${realm}, ${client}::uuid, ${resourceId}::uuid, ${userId}::uuid, s.scope, 'REQUESTED', ${now}::bigint from unnest(${[...scopes]}::text[]) s(scope)
    on conflict do nothing returning 1`.execute(tx);
  return rows.length;
}

export async function deleteRequests(tx: Tx, { realm, client, resourceId }: ResourcePlace, userId: string): Promise<boolean> {
  const { rows } = await sql`delete from authz_shares where realm_id = ${realm} and client_id = ${client} and resource_id = ${resourceId}
    and user_id = ${userId} and status = 'REQUESTED' returning 1`.execute(tx);
  return rows.length > 0;
}

/** Deletes all shares of a resource, because a new owner has shared nothing yet. */
export async function deleteSharesOf(tx: Tx, { realm, client, resourceId }: ResourcePlace): Promise<void> {
  for (const table of ["authz_share_names", "authz_shares"] as const)
    await tx
      .deleteFrom(table)
      .where("realm_id", "=", realm)
      .where("client_id", "=", client)
      .where("resource_id", "=", resourceId)
      .execute();
}

/**
 * Deletes the shares by these names: a name may have been typed before the user existed, or another user had it. The rows that refer to the
 * user are deleted with the user.
 */
export async function deleteSharesNaming(tx: Tx, realm: string, names: readonly string[], now: number): Promise<void> {
  const { rows } = await sql<Omit<ResourcePlace, "realm"> & { userId: string | null }>`delete from authz_share_names
    where realm_id = ${realm} and name_key = any(${names.map(loginKey)}::text[])
    returning client_id as client, resource_id as "resourceId", user_id as "userId"`.execute(tx);
  for (const { userId, ...place } of rows) await applyShares(tx, { realm, ...place }, userId, now);
}
