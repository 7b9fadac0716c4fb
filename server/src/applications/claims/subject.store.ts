import { type RawBuilder, sql } from "kysely";
import { groupPath } from "../../directory/groups/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { ClaimSubject, SubjectOrganization, SubjectUser } from "./evaluate.ts";
import type { ClaimMapper, ClaimTarget } from "./mapper.ts";

/** What has to be read besides the user's own row. */
export interface SubjectNeeds {
  readonly roles: boolean;
  readonly groups: boolean;
  readonly organizations: boolean;
}

/** What `mappers` ask of the database for one target. */
export function needsOf(mappers: readonly ClaimMapper[], target: ClaimTarget): SubjectNeeds {
  const uses = (source: ClaimMapper["source"]) => mappers.some((mapper) => mapper.source === source && mapper.targets.includes(target));
  return { roles: uses("roles"), groups: uses("groups"), organizations: uses("organizations") };
}

interface NamedRole {
  readonly name: string;
  /** The client whose role it is; null for one of the realm. */
  readonly client: string | null;
}

interface SubjectRow {
  user_id: string;
  username: string;
  email: string | null;
  email_verified: boolean;
  attributes: SubjectUser["attributes"];
  created_at: number;
  updated_at: number;
  roles: NamedRole[] | null;
  groups: string[][] | null;
  organizations: SubjectOrganization[] | null;
}

const named = sql`json_agg(json_build_object('name', r.name, 'client', c.client_id) order by r.name_key)
    from roles r left join clients c on c.realm_id = r.realm_id and c.id = r.client_id`;

const rolesOfUser = sql<NamedRole[]>`(select ${named} where r.realm_id = u.realm_id
  and r.role_id in (select e.role_id from user_effective_roles e where e.realm_id = u.realm_id and e.user_id = u.user_id))`;

/** Each as its names from the top down. */
const groupsOfUser = sql<string[][]>`(
  with recursive line as (
    select g.group_id as leaf, g.parent_id, array[g.name] as names from group_members m
      join groups g on g.realm_id = m.realm_id and g.group_id = m.group_id
      where m.realm_id = u.realm_id and m.user_id = u.user_id
    union all
    select line.leaf, g.parent_id, g.name || line.names from line join groups g on g.realm_id = u.realm_id and g.group_id = line.parent_id
  )
  select json_agg(names order by names) from line where parent_id is null)`;

const organizationsOfUser = sql<SubjectOrganization[]>`(
  select json_agg(json_build_object('id', o.organization_id, 'alias', o.alias, 'name', o.name, 'role', m.role) order by o.alias)
  from organization_members m join organizations o on o.realm_id = m.realm_id and o.organization_id = m.organization_id and o.enabled
  where m.realm_id = u.realm_id and m.user_id = u.user_id)`;

const selectedIf = (needed: boolean, part: RawBuilder<unknown>, name: string) => (needed ? part : sql`null::json`).as(name);

/** One query for each combination of needs: what no mapper asks for is not read. */
const queries = new Map<number, ReturnType<typeof queryFor>>();
const queryFor = (needs: SubjectNeeds) =>
  prepared(({ realm, userId }: { realm: string; userId: string }, db) =>
    db
      .selectFrom("users as u")
      .select(["u.user_id", "u.username", "u.email", "u.email_verified", "u.attributes", "u.created_at"])
      .select([
        sql<number>`coalesce(u.updated_at, u.created_at)`.as("updated_at"),
        selectedIf(needs.roles, rolesOfUser, "roles"),
        selectedIf(needs.groups, groupsOfUser, "groups"),
        selectedIf(needs.organizations, organizationsOfUser, "organizations"),
      ])
      .where("u.realm_id", "=", realm)
      .where("u.user_id", "=", userId)
      .$castTo<SubjectRow>(),
  );

const USER_ONLY: SubjectNeeds = { roles: false, groups: false, organizations: false };

/** What claims can be made of, in one query. Null: no such user. */
export async function subjectData(db: Db, realm: string, userId: string, needs: SubjectNeeds = USER_ONLY): Promise<ClaimSubject | null> {
  const kind = Number(needs.roles) + 2 * Number(needs.groups) + 4 * Number(needs.organizations);
  const query = queries.get(kind) ?? queryFor(needs);
  queries.set(kind, query);
  const [row] = await query(db, { realm, userId });
  if (!row) return null;
  return {
    user: {
      userId: row.user_id,
      username: row.username,
      email: row.email,
      emailVerified: row.email_verified,
      attributes: row.attributes,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
    ...split(row.roles ?? []),
    groups: (row.groups ?? []).map((names) => ({ name: names.at(-1)!, path: groupPath(names) })),
    organizations: row.organizations ?? [],
  };
}

const rolesOfServiceAccount = prepared(({ realm, id }: { realm: string; id: string }, db) =>
  db
    .selectFrom(
      sql<{ roles: NamedRole[] | null }>`(select ${named} where r.realm_id = ${realm} and r.role_id in
        (select s.role_id from service_account_effective_roles s where s.realm_id = ${realm} and s.id = ${id}))`.as<"found">(
        sql`found(roles)`,
      ),
    )
    .select("found.roles"),
);

/** The same for a client that acts in its own name; `id` is the client's, as paths know it. */
export async function serviceAccountData(db: Db, realm: string, id: string, needs: SubjectNeeds): Promise<ClaimSubject> {
  const [row] = needs.roles ? await rolesOfServiceAccount(db, { realm, id }) : [];
  return { user: null, ...split(row?.roles ?? []), groups: [], organizations: [] };
}

function split(roles: readonly NamedRole[]): Pick<ClaimSubject, "realmRoles" | "clientRoles"> {
  const realmRoles: string[] = [];
  const clientRoles = new Map<string, string[]>();
  for (const { name, client } of roles) {
    if (client === null) realmRoles.push(name);
    else clientRoles.set(client, [...(clientRoles.get(client) ?? []), name]);
  }
  return { realmRoles, clientRoles };
}
