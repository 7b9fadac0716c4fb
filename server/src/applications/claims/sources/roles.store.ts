import { sql } from "kysely";
import { type ClaimSource, many } from "./source.ts";

interface NamedRole {
  readonly name: string;
  /** The client of the role. Null for a role of the realm. */
  readonly client: string | null;
}

const named = sql`json_agg(json_build_object('name', r.name, 'client', c.client_id) order by r.name_key)
    from roles r left join clients c on c.realm_id = r.realm_id and c.id = r.client_id`;

const namesOf = (roles: readonly NamedRole[], clientId: string | null): string[] =>
  roles.filter(({ client }) => client === clientId).map(({ name }) => name);

/** Reads the effective roles of a user or a service account. */
export const roles: ClaimSource<readonly NamedRole[]> = {
  choices: ["realm", "client", "clients"],
  description: "`realm`, `client` (of the client that the token is for), `clients` (all, by client id) or `client:<client id>`",
  refusal: (value) =>
    value === null || ["realm", "client", "clients"].includes(value) || /^client:.+$/.test(value)
      ? null
      : "roles are `realm`, `client`, `clients` or `client:<client id>`",
  ofUser: sql`(select ${named} where r.realm_id = u.realm_id
    and r.role_id in (select e.role_id from user_effective_roles e where e.realm_id = u.realm_id and e.user_id = u.user_id))`,
  ofClient: sql`(select ${named} where r.realm_id = a.realm_id
    and r.role_id in (select s.role_id from service_account_effective_roles s where s.realm_id = a.realm_id and s.id = a.id))`,
  find(which, { read, clientId }) {
    const found = read ?? [];
    if (which === "realm") return many(namesOf(found, null));
    if (which === "clients") {
      const clients = new Set(found.flatMap(({ client }) => client ?? []));
      return { whole: Object.fromEntries([...clients].map((client) => [client, { roles: namesOf(found, client) }])) };
    }
    const client = which === "client" ? clientId : which.slice("client:".length);
    return many(client === null ? [] : namesOf(found, client));
  },
};
