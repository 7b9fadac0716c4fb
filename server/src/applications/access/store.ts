import { type RawBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";

/** Tells whether the user has one of the roles: directly, by a group or inside another role. */
export async function holdsRole(db: Db, realm: string, userId: string, roleIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from user_effective_roles e
      where e.realm_id = ${realm} and e.user_id = ${userId} and e.role_id::text = any(${[...roleIds]}::text[])) as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** Returns `billing` for a role of the realm, `shop/billing` for one of the client `shop`. */
const spelled = ({ name, client_id }: { name: string; client_id: string | null }): string =>
  client_id === null ? name : `${client_id}/${name}`;

/** Returns the names of roles by id. Roles that the realm does not have are left out. */
export async function namesOfRoles(db: Db, realm: string, roleIds: readonly string[]): Promise<Map<string, string>> {
  const ids = roleIds.filter(isId);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ role_id: string; name: string; client_id: string | null }>`
    select r.role_id, r.name, c.client_id from roles r left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where r.realm_id = ${realm} and r.role_id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.role_id, spelled(row)]));
}

/** Finds the roles that a text names: the one with this id, or else those of the realm and of clients that are spelled so. */
export async function findRoleIds(db: Db, realm: string, text: string): Promise<string[]> {
  // Client ids and names of roles may both contain a slash, so the client id may end at each of them.
  const ends = [...text.matchAll(/\//g)].map(({ index }) => index);
  const clients = ends.map((end) => text.slice(0, end));
  const names = ends.map((end) => loginKey(text.slice(end + 1)));
  const { rows } = await sql<{ role_id: string; by_id: boolean }>`
    select r.role_id, false as by_id from roles r where r.realm_id = ${realm} and r.client_id is null and r.name_key = ${loginKey(text)}
    union
    select r.role_id, false from unnest(${clients}::text[], ${names}::text[]) named(client, role)
      join clients c on c.realm_id = ${realm} and c.client_id = named.client
      join roles r on r.realm_id = c.realm_id and r.client_id = c.id and r.name_key = named.role
    union
    select r.role_id, true from roles r where r.realm_id = ${realm} and r.role_id::text = ${text.toLowerCase()}`.execute(db);
  const byId = rows.filter(({ by_id }) => by_id);
  return (byId.length > 0 ? byId : rows).map(({ role_id }) => role_id);
}

/** Selects the user's roles and groups for `isAllowedBy`: a row with the ids of roles, and of groups with those above them. */
export const heldBy = (realm: string, userId: string): RawBuilder<unknown> => sql`
  select array(select e.role_id::text from user_effective_roles e where e.realm_id = ${realm} and e.user_id = ${userId}) as roles,
    array(select m.group_id::text from group_members m where m.realm_id = ${realm} and m.user_id = ${userId}
      union select a.ancestor_id::text from group_members m
        join group_ancestors a on a.realm_id = m.realm_id and a.group_id = m.group_id
        where m.realm_id = ${realm} and m.user_id = ${userId}) as groups`;

/**
 * The SQL condition of `allowedRoles` and `allowedGroups`, for many applications at once. It reads the jsonb with both lists, and `held`,
 * made by `heldBy`.
 */
export const isAllowedBy = (settings: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  coalesce(jsonb_array_length(${settings} -> 'allowedRoles'), 0) + coalesce(jsonb_array_length(${settings} -> 'allowedGroups'), 0) = 0
  or coalesce(${settings} -> 'allowedRoles' ?| held.roles, false) or coalesce(${settings} -> 'allowedGroups' ?| held.groups, false))`;
