import { sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import { agentActs } from "../access/index.ts";
import type { Subject } from "./evaluator/index.ts";

/** The token of a request, or no token. */
export interface Through {
  /** The id of the client to which it was issued, in the admin API. */
  readonly client: string | null;
  readonly clientName: string | null;
  /** The ids of client scopes. */
  readonly scopes: readonly string[] | null;
  readonly claims: Readonly<Record<string, unknown>> | null;
}
const WITHOUT_TOKEN: Through = { client: null, clientName: null, scopes: null, claims: null };

interface UserRow {
  readonly user_id: string;
  readonly username: string;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly enabled: boolean;
  readonly attributes: Record<string, unknown>;
  readonly roles: string[];
  readonly groups: string[];
  readonly above: string[];
}

/** Reads roles and groups as they are now, because a token may be older, or contain less. */
const users = prepared(
  ({ realm, ids, keys }: { realm: string; ids: readonly string[]; keys: readonly string[] }) => sql<UserRow & { asked: string | null }>`
    select u.user_id, u.username, u.email, u.email_verified, u.enabled and not u.locked as enabled, u.attributes, n.key as asked,
      array(select distinct e.role_id::text from user_effective_roles e where e.realm_id = u.realm_id and e.user_id = u.user_id) as roles,
      array(select m.group_id::text from group_members m where m.realm_id = u.realm_id and m.user_id = u.user_id) as groups,
      array(select distinct a.ancestor_id::text from group_members m
        join group_ancestors a on a.realm_id = m.realm_id and a.group_id = m.group_id
        where m.realm_id = u.realm_id and m.user_id = u.user_id) as above
    from (select i.id, null::text as key from unnest(${ids}::uuid[]) i(id)
      union all select l.user_id, l.key from login_names l where l.realm_id = ${realm} and l.key = any(${keys}::text[])) n
    join users u on u.realm_id = ${realm} and u.user_id = n.id`,
);

const toUser = (row: UserRow, through: Through): Subject => ({
  kind: "user",
  id: row.user_id,
  isEnabled: row.enabled,
  roles: new Set(row.roles),
  groups: new Set(row.groups),
  groupsAbove: new Set(row.above),
  clientId: through.client,
  scopes: through.scopes && new Set(through.scopes),
  user: {
    id: row.user_id,
    username: row.username,
    email: row.email ?? undefined,
    emailVerified: row.email_verified,
    attributes: row.attributes,
  },
  client: through.clientName === null ? null : { clientId: through.clientName },
  token: through.claims,
});

export async function findUserSubject(db: Db, realm: string, userId: string, through: Through = WITHOUT_TOKEN): Promise<Subject | null> {
  if (!isId(userId)) return null;
  const [row] = await users(db, { realm, ids: [userId], keys: [] });
  return row ? toUser(row, through) : null;
}

/** Finds users by id, username or mail address, in one statement. Unknown ones are left out. A text in the form of an id is an id. */
export async function findUserSubjects(db: Db, realm: string, names: readonly string[]): Promise<Map<string, Subject>> {
  const keys = names.filter((name) => !isId(name)).map(loginKey);
  const rows = await users(db, { realm, ids: names.filter(isId), keys: [...new Set(keys)] });
  const found = new Map<string, Subject>();
  for (const row of rows) {
    const subject = toUser(row, WITHOUT_TOKEN);
    if (row.asked === null) for (const name of names) if (name.toLowerCase() === row.user_id) found.set(name, subject);
    if (row.asked !== null) for (const name of names) if (loginKey(name) === row.asked && !found.has(name)) found.set(name, subject);
  }
  return found;
}

/** Returns the key of an agent. No client id has a line break. */
export const agentKey = (agentId: string): string => `agent\n${agentId.toLowerCase()}`;

interface ClientRow {
  readonly id: string;
  readonly client_id: string;
  readonly name: string | null;
  readonly agent_id: string | null;
  readonly enabled: boolean;
  readonly roles: string[];
}

const clients = prepared(
  ({
    realm,
    names,
    ids,
    agents,
    now,
  }: {
    realm: string;
    names: readonly string[];
    ids: readonly string[];
    agents: readonly string[];
    now: number;
  }) => sql<ClientRow>`
    select c.id, c.client_id, c.name, a.id as agent_id, c.enabled and (a.id is null or ${agentActs(now)}) as enabled,
      array(select distinct e.role_id::text from service_account_effective_roles e where e.realm_id = c.realm_id and e.id = c.id) as roles
    from clients c left join agents a on a.realm_id = c.realm_id and a.client_id = c.id
    where c.realm_id = ${realm} and (c.client_id = any(${names}::text[]) or c.id = any(${ids}::uuid[])
      or c.id in (select g.client_id from agents g where g.realm_id = ${realm} and g.id = any(${agents}::uuid[])))`,
);

/**
 * Finds clients in their own name, by their id in the admin API, or else by client id, and `agents` by theirs, in one statement. An agent
 * counts while it is active.
 */
export async function findClientSubjects(
  db: Db,
  realm: string,
  names: readonly string[],
  { scopes, claims }: Pick<Through, "scopes" | "claims"> = WITHOUT_TOKEN,
  agents: readonly string[] = [],
): Promise<Map<string, Subject>> {
  if (names.length + agents.length === 0) return new Map();
  const rows = await clients(db, { realm, names, ids: names.filter(isId), agents: agents.filter(isId), now: clock.now() });
  const found = new Map<string, Subject>();
  const ids = new Set(rows.map(({ id }) => id));
  for (const row of rows) {
    const subject: Subject = {
      kind: "client",
      id: row.id,
      isEnabled: row.enabled,
      roles: new Set(row.roles),
      groups: new Set(),
      groupsAbove: new Set(),
      clientId: row.id,
      scopes: scopes && new Set(scopes),
      user: null,
      client: { id: row.id, clientId: row.client_id, name: row.name ?? undefined },
      token: claims,
    };
    if (row.agent_id !== null) found.set(agentKey(row.agent_id), subject);
    found.set(row.id, subject);
    if (!ids.has(row.client_id.toLowerCase())) found.set(row.client_id, subject);
  }
  return found;
}

/** Returns ids of users in their order, for searches through all of them. */
export async function userIdsAfter(db: Db, realm: string, after: string | null, limit: number): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`select user_id from users
    where realm_id = ${realm} ${after === null ? sql`` : sql`and user_id > ${after}::uuid`} order by user_id limit ${limit}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}
