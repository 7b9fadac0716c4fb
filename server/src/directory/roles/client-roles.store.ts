import { sql } from "kysely";
import { loginKey } from "../../kernel/text.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { NamedRole } from "./store.ts";

/** A role of the realm or of a client, as a request names it. */
export interface RoleName {
  readonly name: string;
  /** The OAuth client id, or the client's `id`. Null or left out for a role of the realm. */
  readonly clientId?: string | null | undefined;
}

/** A role with its owner: the OAuth client id, or null for a role of the realm. */
export interface MappedRole extends NamedRole {
  readonly clientId: string | null;
}

/** Finds a client's role, and keeps it from being deleted until commit, not from being read. A text that fits two clients means the one with this id. */
export async function shareClientRole(tx: Tx, realm: string, clientId: string, name: string): Promise<MappedRole | null> {
  const { rows } = await sql<{ role_id: string; name: string; client_id: string }>`
    select r.role_id, r.name, c.client_id from clients c join roles r on r.realm_id = c.realm_id and r.client_id = c.id
    where c.realm_id = ${realm} and (c.client_id = ${clientId} or c.id::text = ${clientId.toLowerCase()}) and r.name_key = ${loginKey(name)}
    order by c.id::text = ${clientId.toLowerCase()} desc limit 1
    for share of r`.execute(tx);
  const [row] = rows;
  return row ? { roleId: row.role_id, name: row.name, clientId: row.client_id } : null;
}

/** Finds a role of the realm or of any client, and keeps it from being deleted until commit. */
export async function shareRole(tx: Tx, realm: string, roleId: string): Promise<MappedRole | null> {
  const { rows } = await sql<{ role_id: string; name: string; client_id: string | null }>`
    select r.role_id, r.name, c.client_id from roles r left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where r.realm_id = ${realm} and r.role_id = ${roleId} for share of r`.execute(tx);
  const [row] = rows;
  return row ? { roleId: row.role_id, name: row.name, clientId: row.client_id } : null;
}

/** A table of role assignments, and its column of the holder. */
export interface RoleHolders {
  readonly table: keyof Tables & string;
  readonly column: string;
}

/** Returns the roles that are assigned directly to this user, group or service account: realm roles first, then roles of clients. */
export async function rolesGivenTo(db: Db, realm: string, { table, column }: RoleHolders, id: string): Promise<MappedRole[]> {
  const { rows } = await sql<{ role_id: string; name: string; client_id: string | null }>`
    select r.role_id, r.name, c.client_id from ${sql.table(table)} g
    join roles r on r.realm_id = g.realm_id and r.role_id = g.role_id
    left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where g.realm_id = ${realm} and ${sql.ref(`g.${column}`)} = ${id} order by c.client_id nulls first, r.name_key`.execute(db);
  return rows.map(({ role_id, name, client_id }) => ({ roleId: role_id, name, clientId: client_id }));
}

/** Returns the directly assigned roles of all holders in the realm, by holder id. */
export async function rolesGivenInRealm(db: Db, realm: string, { table, column }: RoleHolders): Promise<Map<string, MappedRole[]>> {
  const { rows } = await sql<{ holder: string; role_id: string; name: string; client_id: string | null }>`
    select ${sql.ref(`g.${column}`)} as holder, r.role_id, r.name, c.client_id from ${sql.table(table)} g
    join roles r on r.realm_id = g.realm_id and r.role_id = g.role_id
    left join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where g.realm_id = ${realm} order by c.client_id nulls first, r.name_key`.execute(db);
  const given = new Map<string, MappedRole[]>();
  for (const { holder, role_id, name, client_id } of rows) {
    const roles = given.get(holder) ?? [];
    roles.push({ roleId: role_id, name, clientId: client_id });
    given.set(holder, roles);
  }
  return given;
}

/** Returns the roles of one client, sorted by name. */
export async function rolesOfClient(db: Db, realm: string, client: string): Promise<NamedRole[]> {
  const rows = await db
    .selectFrom("roles")
    .select(["role_id", "name"])
    .where("realm_id", "=", realm)
    .where("client_id", "=", client)
    .orderBy("name_key")
    .execute();
  return rows.map(({ role_id, name }) => ({ roleId: role_id, name }));
}
