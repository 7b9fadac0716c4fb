import { type RawBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { instant } from "../../platform/paging/index.ts";
import { USER_COUNTERS } from "../credentials/index.ts";
import type { UserQuery } from "./list.schema.ts";

/** Something that users belong to. Its table has an index from it to its users, in the order of their ids. */
export interface Membership {
  readonly table: "user_roles" | "group_members" | "organization_members";
  readonly column: "role_id" | "group_id" | "organization_id";
  readonly id: string;
}

/** Returns the memberships that a query names, or null if one is unknown, so that no user matches. A text that is both a name and an id counts as an id. */
export async function membershipsOf(db: Db, realm: string, { role, group, organization }: UserQuery): Promise<Membership[] | null> {
  const found: Membership[] = [];
  if (role !== undefined) {
    const id = await oneId(
      db,
      sql`select role_id as id from roles
      where realm_id = ${realm} and ((name_key = ${loginKey(role)} and client_id is null)${isId(role) ? sql` or role_id = ${role}` : sql``})
      order by role_id::text = ${role.toLowerCase()} desc limit 1`,
    );
    if (id === null) return null;
    found.push({ table: "user_roles", column: "role_id", id });
  }
  if (group !== undefined) {
    if (!isId(group)) return null;
    found.push({ table: "group_members", column: "group_id", id: group });
  }
  if (organization !== undefined) {
    const byId = isId(organization) ? sql` or organization_id = ${organization}` : sql``;
    const id = await oneId(
      db,
      sql`select organization_id as id from organizations
      where realm_id = ${realm} and (alias = ${organization.toLowerCase()}${byId})
      order by organization_id::text = ${organization.toLowerCase()} desc limit 1`,
    );
    if (id === null) return null;
    found.push({ table: "organization_members", column: "organization_id", id });
  }
  return found;
}

async function oneId(db: Db, query: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await query.execute(db);
  return (rows[0] as { id: string } | undefined)?.id ?? null;
}

const usersOf = (realm: string, { table, column, id }: Membership) =>
  sql`from ${sql.table(table)} m where m.realm_id = ${realm} and m.${sql.ref(column)} = ${id}`;

/** Up to so many users are found first and sorted afterwards. */
export const FEW = 20_000;

/** The same limit for users whose names begin alike, in a list sorted by names: a walk in that order may begin far from all of them. */
const FEW_ALIKE = 200_000;
export const fewToSort = (sort: string | undefined): number => (/^-?(username|email)$/.test(sort ?? "") ? FEW_ALIKE : FEW);

/** Up to so many users are each compared with a prefix: computing a person's names takes longer than finding them. */
export const COMPARED = 5_000;

/** Returns the membership that the fewest users share, and their number. Counts stop just beyond `FEW`. */
export async function fewest(
  db: Db,
  realm: string,
  memberships: readonly Membership[],
): Promise<{ readonly membership: Membership; readonly users: number }> {
  const counted = [];
  for (const membership of memberships) {
    const { rows } = await sql<{ users: number }>`
      select count(*)::int as users from (select 1 ${usersOf(realm, membership)} limit ${FEW + 1}) found`.execute(db);
    counted.push({ membership, users: rows[0]!.users });
  }
  return counted.reduce((least, one) => (one.users < least.users ? one : least));
}

/** An array makes Postgres find the members first, and then look the users up one by one. */
export const amongFew = (realm: string, membership: Membership): RawBuilder<boolean> =>
  sql<boolean>`users.user_id = any(array(select m.user_id ${usersOf(realm, membership)}))`;

/** Checks one user after the other, in the order of the list. With `exists`, Postgres would start from the members instead. */
export const belongsTo = (realm: string, membership: Membership): RawBuilder<boolean> =>
  sql<boolean>`coalesce((select true ${usersOf(realm, membership)} and m.user_id = users.user_id), false)`;

/** Conditions on the user's own row, and on too many failed attempts. */
export function conditionsOf(realm: string, query: UserQuery, now: number): RawBuilder<boolean>[] {
  const from = instant("createdFrom", query.createdFrom);
  const to = instant("createdTo", query.createdTo);
  return [
    ...(query.username === undefined ? [] : [sql<boolean>`users.username_key = ${loginKey(query.username)}`]),
    // This is the expression of the index, which leaves out users without an address.
    ...(query.email === undefined
      ? []
      : [sql<boolean>`(coalesce(users.email_key, '') = ${loginKey(query.email)} and users.email_key is not null)`]),
    ...(query.emailVerified === undefined ? [] : [sql<boolean>`users.email_verified = ${query.emailVerified}`]),
    ...(query.enabled === undefined ? [] : [query.enabled ? sql<boolean>`users.enabled` : sql<boolean>`not users.enabled`]),
    ...(query.source === undefined ? [] : [sql<boolean>`users.source = ${query.source}`]),
    ...(query.locked === undefined ? [] : [isLocked(realm, query.locked, now)]),
    ...(from === undefined ? [] : [sql<boolean>`users.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`users.created_at < ${to}`]),
  ];
}

const isLocked = (realm: string, locked: boolean, now: number) =>
  locked
    ? sql<boolean>`users.user_id = any(array(${lockedUsers(realm, now)}))`
    : sql<boolean>`users.user_id not in (${lockedUsers(realm, now)})`;

/** Each condition has an index. Attempts on unknown names are counted under a key that is not a user id. */
const lockedUsers = (realm: string, now: number) => sql`
  select l.user_id from users l where l.realm_id = ${realm} and l.locked
  union all
  select a.subject::uuid from login_attempts a
  where a.realm_id = ${realm} and a.kind in (${USER_COUNTERS}) and a.locked_until > 0 and a.locked_until > ${now}
    and a.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;
