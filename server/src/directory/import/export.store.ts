// Reads the users of an export, many in one statement. The tables belong to users, roles, groups, organizations, credentials and identity providers.
import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";

export interface CarriedCredential {
  readonly id: string;
  readonly type: "password" | "totp" | "passkey" | "recovery-code";
  /** The stored secret; it is sealed for an authenticator app. */
  readonly secret: string;
  readonly data: Record<string, unknown>;
  readonly createdAt: number;
}

export interface CarriedUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** The login names by which the user does not sign in. */
  readonly inactiveLoginNames: readonly ("email" | "username")[];
  readonly enabled: boolean;
  /** True if an administrator locked the user; a temporary lock is not exported. */
  readonly locked: boolean;
  readonly attributes: Record<string, string | string[]>;
  readonly requiredActions: readonly string[];
  readonly createdAt: number;
  readonly source: string;
  readonly roles: readonly { readonly name: string; readonly clientId: string | null }[];
  readonly groupIds: readonly string[];
  readonly organizations: readonly { readonly alias: string; readonly role: string; readonly managed?: true }[];
  /** Empty unless the caller asked for credentials. */
  readonly credentials: readonly CarriedCredential[];
}

interface Row {
  user_id: string;
  username: string;
  email: string | null;
  email_verified: boolean;
  inactive: CarriedUser["inactiveLoginNames"] | null;
  enabled: boolean;
  locked: boolean;
  attributes: CarriedUser["attributes"];
  required_actions: string[];
  created_at: number;
  source: string;
  roles: CarriedUser["roles"] | null;
  groups: string[] | null;
  organizations: CarriedUser["organizations"] | null;
  credentials: CarriedCredential[] | null;
}

/**
 * Reads the next page of users by id, with everything they hold. Leaves out the users of directories, whom a sync brings, and what mappers of a
 * provider gave, which the next sign-in by it brings. Pages by id neither skip nor repeat a user.
 */
export async function readUsers(
  db: Db,
  realm: string,
  after: string | null,
  size: number,
  withCredentials: boolean,
): Promise<CarriedUser[]> {
  const credentials = withCredentials
    ? sql`(select json_agg(json_build_object('id', c.credential_id, 'type', c.type, 'secret', c.secret, 'data', c.data, 'createdAt', c.created_at)
        order by c.type, c.credential_id) from credentials c where c.realm_id = u.realm_id and c.user_id = u.user_id
        and c.type in ('password', 'totp', 'passkey', 'recovery-code'))`
    : sql`null::json`;
  // Imported, a mapper's grants would be the user's own, and no later answer of the provider would withdraw them.
  const isMapped = (kind: "role" | "group", target: string) => sql`exists (select 1 from identity_provider_grants x
        join identity_providers p on p.realm_id = x.realm_id and p.provider_id = x.provider_id
        where x.realm_id = u.realm_id and x.user_id = u.user_id and x.kind = ${sql.lit(kind)} and x.target_id = ${sql.ref(target)})`;
  const { rows } = await sql<Row>`
    select u.user_id, u.username, u.email, u.email_verified, u.enabled, u.locked, u.attributes, u.required_actions, u.created_at, u.source,
      (select json_agg(k.name order by k.name) from (values ('email', u.email_key), ('username', u.username_key)) k (name, key)
        where k.key is not null and not exists (select 1 from login_names n
          where n.realm_id = u.realm_id and n.key = k.key and n.user_id = u.user_id)) as inactive,
      (select json_agg(json_build_object('name', r.name, 'clientId', k.client_id) order by k.client_id nulls first, r.name_key)
        from user_roles g join roles r on r.realm_id = g.realm_id and r.role_id = g.role_id
        left join clients k on k.realm_id = r.realm_id and k.id = r.client_id
        where g.realm_id = u.realm_id and g.user_id = u.user_id and not ${isMapped("role", "g.role_id")}) as roles,
      (select json_agg(m.group_id) from group_members m
        where m.realm_id = u.realm_id and m.user_id = u.user_id and not ${isMapped("group", "m.group_id")}) as groups,
      (select json_agg(json_strip_nulls(json_build_object('alias', o.alias, 'role', m.role, 'managed', nullif(m.managed, false))) order by o.alias) from organization_members m
        join organizations o on o.realm_id = m.realm_id and o.organization_id = m.organization_id
        where m.realm_id = u.realm_id and m.user_id = u.user_id) as organizations,
      ${credentials} as credentials
    from users u where u.realm_id = ${realm} and u.source !~ '^(ldap|ad):' and ${after === null ? sql`true` : sql`u.user_id > ${after}`}
    order by u.user_id limit ${size}`.execute(db);
  return rows.map((row) => ({
    userId: row.user_id,
    username: row.username,
    email: row.email,
    // If the address is another user's username, only a provider vouched for it; its word does not count for another server.
    emailVerified: row.email_verified && !row.inactive?.includes("email"),
    inactiveLoginNames: row.inactive ?? [],
    enabled: row.enabled,
    locked: row.locked,
    attributes: row.attributes,
    requiredActions: row.required_actions,
    createdAt: row.created_at,
    source: row.source,
    roles: row.roles ?? [],
    groupIds: row.groups ?? [],
    organizations: row.organizations ?? [],
    credentials: row.credentials ?? [],
  }));
}
