import { sql } from "kysely";
import { type Db, findRow, insertRow, type Tx } from "../../../platform/db/index.ts";
import type { Connection } from "../call.ts";
import { externalIdOf } from "../external-ids.store.ts";
import type { Sql } from "../listing/conditions.store.ts";

declare module "../../../platform/db/tables.ts" {
  interface Tables {
    scim_organization_groups: { realm_id: string; organization_id: string; group_id: string };
  }
}

export interface ScimGroup {
  readonly groupId: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly description: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly version: number;
  readonly externalId: string | null;
  /** The number of all members. A token of an organization sees fewer. */
  readonly memberCount: number;
}

export interface ScimMember {
  readonly userId: string;
  readonly username: string;
}

/** Selects the groups `g` that a token sees: those at the top, or for a token of an organization its own, wherever they are. */
export const visibleGroups = ({ realm, organizationId }: Connection): Sql =>
  organizationId === null
    ? sql<boolean>`g.realm_id = ${realm} and g.parent_id is null`
    : sql<boolean>`g.realm_id = ${realm} and exists (select 1 from scim_organization_groups o
        where o.realm_id = g.realm_id and o.organization_id = ${organizationId}::uuid and o.group_id = g.group_id)`;

export async function findGroups(db: Db, connection: Connection, ids: readonly string[]): Promise<ScimGroup[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ScimGroup>`
    select g.group_id as "groupId", g.name, g.parent_id as "parentId", g.description, g.created_at as "createdAt", coalesce(g.updated_at, g.created_at) as "changedAt",
      g.version, ${externalIdOf("group", connection, sql`g.group_id`)} as "externalId", coalesce((select sum(c.members) from group_member_counts c
        where c.realm_id = g.realm_id and c.group_id = g.group_id), 0)::bigint as "memberCount"
    from groups g
    where ${visibleGroups(connection)} and g.group_id = any(${[...ids]}::uuid[])`.execute(db);
  const byId = new Map(rows.map((row) => [row.groupId, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Locks a group, so that two requests that replace its members take turns. Users may join meanwhile. */
export async function holdGroup(tx: Tx, { realm }: Connection, groupId: string): Promise<void> {
  await sql`select 1 from groups where realm_id = ${realm} and group_id = ${groupId}::uuid for no key update`.execute(tx);
}

const isInOrganization = ({ realm, organizationId }: Connection) =>
  organizationId === null
    ? sql`true`
    : sql`exists (select 1 from organization_members o
        where o.realm_id = ${realm} and o.organization_id = ${organizationId}::uuid and o.user_id = u.user_id)`;

/** Returns the next members that the token sees, ordered by id. */
export async function nextMembers(db: Db, connection: Connection, groupId: string, after: string, limit: number): Promise<ScimMember[]> {
  const { rows } = await sql<ScimMember>`
    select m.user_id as "userId", u.username from group_members m
    join users u on u.realm_id = m.realm_id and u.user_id = m.user_id
    where m.realm_id = ${connection.realm} and m.group_id = ${groupId}::uuid and m.user_id > ${after}::uuid and ${isInOrganization(connection)}
    order by m.user_id limit ${limit}`.execute(db);
  return rows;
}

/** Returns a digest of the members of each group that the token sees, in any order. Groups without members are left out. */
export async function digestsOfMembers(db: Db, connection: Connection, groupIds: readonly string[]): Promise<Map<string, string>> {
  if (groupIds.length === 0) return new Map();
  const { rows } = await sql<{ group_id: string; digest: string }>`
    select m.group_id, count(*) || ':' || sum(hashtextextended(m.user_id::text || u.username, 0)) as digest from group_members m
    join users u on u.realm_id = m.realm_id and u.user_id = m.user_id
    where m.realm_id = ${connection.realm} and m.group_id = any(${[...groupIds]}::uuid[]) and ${isInOrganization(connection)}
    group by m.group_id`.execute(db);
  return new Map(rows.map(({ group_id, digest }) => [group_id, digest]));
}

/** Returns the ids of users whom the token can see. With a token of an organization they remain its members until commit. */
export async function holdVisible(tx: Tx, { realm, organizationId }: Connection, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const hold = organizationId === null ? sql`` : sql`for key share`;
  const named = sql`realm_id = ${realm} and user_id = any(${[...ids]}::uuid[])`;
  let found = await sql<{ user_id: string }>`select user_id from users where ${named} order by user_id ${hold}`.execute(tx);
  // Users are locked before members, as everywhere.
  if (organizationId !== null)
    found = await sql<{ user_id: string }>`select user_id from organization_members
      where ${named} and organization_id = ${organizationId}::uuid order by user_id ${hold}`.execute(tx);
  return new Set(found.rows.map(({ user_id }) => user_id));
}

/** Returns the groups of the user that the organization's tokens created, and those below them. */
export async function groupsOfMember(db: Db, realm: string, organizationId: string, userId: string): Promise<string[]> {
  const { rows } = await sql<{ group_id: string }>`
    select m.group_id from group_members m where m.realm_id = ${realm} and m.user_id = ${userId}::uuid and exists (
      select 1 from scim_organization_groups o where o.realm_id = m.realm_id and o.organization_id = ${organizationId}::uuid
        and (o.group_id = m.group_id or exists (select 1 from group_ancestors a
          where a.realm_id = m.realm_id and a.group_id = m.group_id and a.ancestor_id = o.group_id)))
    order by m.group_id`.execute(db);
  return rows.map(({ group_id }) => group_id);
}

/** Tells whether a group below this one does not belong to the token's organization. */
export async function hasOthersBelow(db: Db, { realm, organizationId }: Connection, groupId: string): Promise<boolean> {
  if (organizationId === null) return false;
  const { rows } = await sql`
    select 1 from group_ancestors a where a.realm_id = ${realm} and a.ancestor_id = ${groupId}::uuid and not exists (
      select 1 from scim_organization_groups o
      where o.realm_id = a.realm_id and o.organization_id = ${organizationId}::uuid and o.group_id = a.group_id) limit 1`.execute(db);
  return rows.length > 0;
}

/** Finds one of the groups that the organization's tokens created. */
export async function findOwnedGroup(db: Db, realm: string, organizationId: string): Promise<string | null> {
  const row = await findRow(db, "scim_organization_groups", ["group_id"], { realm_id: realm, organization_id: organizationId });
  return row?.group_id ?? null;
}

export async function ownGroup(tx: Tx, realm: string, organizationId: string, groupId: string): Promise<void> {
  await insertRow(tx, "scim_organization_groups", { realm_id: realm, organization_id: organizationId, group_id: groupId });
}
