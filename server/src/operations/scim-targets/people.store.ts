import { type RawBuilder, sql } from "kysely";
import { groupPath, isNamedAtTop } from "../../directory/groups/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Settings } from "./schema.ts";

/** The data of a user for targets. */
export interface Person {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly enabled: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly inScope: boolean;
}

type Scoped = { readonly realm: string; readonly settings: Pick<Settings, "users" | "groups"> };

/** The SQL condition that the user `u` belongs to the target. */
export function inScope({ users }: Pick<Settings, "users">): RawBuilder<boolean> {
  const [groups, organizations] = [users.groupIds ?? [], users.organizationIds ?? []];
  if (users.scope === "groups")
    return sql<boolean>`exists (select 1 from group_members m where m.realm_id = u.realm_id and m.user_id = u.user_id
      and (m.group_id = any(${groups}::uuid[]) or exists (select 1 from group_ancestors a
        where a.realm_id = m.realm_id and a.group_id = m.group_id and a.ancestor_id = any(${groups}::uuid[]))))`;
  if (users.scope === "organizations")
    return sql<boolean>`exists (select 1 from organization_members m
      where m.realm_id = u.realm_id and m.user_id = u.user_id and m.organization_id = any(${organizations}::uuid[]))`;
  return sql<boolean>`true`;
}

const columns = sql`u.user_id as "userId", u.username, u.email, u.email_verified as "emailVerified", u.enabled, u.attributes`;

export async function readPeople(db: Db, { realm, settings }: Scoped, ids: readonly string[]): Promise<Map<string, Person>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Person>`select ${columns}, ${inScope(settings)} as "inScope" from users u
    where u.realm_id = ${realm} and u.user_id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Returns the next users of the target, in the order of their ids. */
export async function walkPeople(db: Db, { realm, settings }: Scoped, after: string, limit: number): Promise<Person[]> {
  const { rows } = await sql<Person>`select ${columns}, true as "inScope" from users u
    where u.realm_id = ${realm} and u.user_id > ${after}::uuid and ${inScope(settings)} order by u.user_id limit ${limit}`.execute(db);
  return rows;
}

/** The data of a group for targets. */
export interface Team {
  readonly groupId: string;
  /** The whole path of a group below another one, because names are unique only among siblings. */
  readonly name: string;
  readonly inScope: boolean;
}

const isSent = ({ groups }: Pick<Settings, "groups">): RawBuilder<boolean> => {
  if (groups.mode === "all") return isNamedAtTop;
  return groups.mode === "listed" ? sql<boolean>`g.group_id = any(${groups.groupIds ?? []}::uuid[])` : sql<boolean>`false`;
};

interface TeamRow {
  groupId: string;
  names: string[];
  inScope: boolean;
}

const toTeam = ({ groupId, names, inScope }: TeamRow): Team => ({
  groupId,
  name: names.length === 1 ? names[0]! : groupPath(names),
  inScope,
});

/** The names from the top down to group `g`. */
const names = sql`(
  with recursive line as (
    select p.group_id, p.parent_id, array[p.name] as names from groups p where p.realm_id = g.realm_id and p.group_id = g.group_id
    union all
    select p.group_id, p.parent_id, p.name || line.names from line join groups p on p.realm_id = g.realm_id and p.group_id = line.parent_id
  ) select line.names from line where line.parent_id is null)`;

export async function readTeams(db: Db, { realm, settings }: Scoped, ids: readonly string[]): Promise<Map<string, Team>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<TeamRow>`select g.group_id as "groupId", ${names} as names, ${isSent(settings)} as "inScope" from groups g
    where g.realm_id = ${realm} and g.group_id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.groupId, toTeam(row)]));
}

export async function walkTeams(db: Db, { realm, settings }: Scoped, after: string, limit: number): Promise<Team[]> {
  const { rows } = await sql<TeamRow>`select g.group_id as "groupId", ${names} as names, true as "inScope" from groups g
    where g.realm_id = ${realm} and g.group_id > ${after}::uuid and ${isSent(settings)} order by g.group_id limit ${limit}`.execute(db);
  return rows.map(toTeam);
}
