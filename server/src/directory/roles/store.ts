import { type ColumnType, type Generated, type RawBuilder, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertReturning,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
  updateRows,
} from "../../platform/db/index.ts";
import { type ListOrder, type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { roleErrors } from "./errors.ts";
import type { Role } from "./schema.ts";

interface RolesTable {
  realm_id: string;
  role_id: string;
  /** The `clients.id` of the client whose role it is; null for a role of the realm. */
  client_id: ColumnType<string | null, string | null | undefined, never>;
  name: string;
  name_key: string;
  description: string | null;
  is_default: Generated<boolean>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    roles: RolesTable;
    role_permissions: { realm_id: string; role_id: string; permission: string };
    user_roles: { realm_id: string; user_id: string; role_id: string };
    /** A view of the permissions that users have by direct, group and composite roles. */
    user_permissions: { realm_id: string; user_id: string; permission: string };
    /** A view of the roles of users and their origins. Query it for one user: it has no index by role. */
    user_effective_roles: {
      realm_id: string;
      user_id: string;
      role_id: string;
      origin: "direct" | "group" | "composite";
      /** The group that grants the role, or the role that includes it. */
      via: string | null;
    };
  }
}

export interface RoleRow extends Role {
  readonly version: number;
  /** The `id` of the client whose role it is; null for a role of the realm. */
  readonly client: string | null;
}

const columns = ["realm_id", "role_id", "client_id", "name", "description", "is_default", "created_at", "version"] as const;
/**
 * Joins the role of this id as `r`. It is looked up for each row: where realms have few roles on average, a plain join would let Postgres read all
 * roles of the realm for each row, even if it has thousands.
 */
export const roleOf = (of: string): RawBuilder<unknown> =>
  sql`cross join lateral (select found.realm_id, found.client_id, found.name, found.name_key from roles found where found.realm_id = ${sql.ref(`${of}.realm_id`)} and found.role_id = ${sql.ref(`${of}.role_id`)} limit 1) r`;
const included = sql`(select x.realm_id, x.role_id as holder, x.included_id as role_id from role_composites x) c ${roleOf("c")}`;
const composites = sql<string[]>`array(select r.name from ${included}
  where c.realm_id = roles.realm_id and c.holder = roles.role_id and r.client_id is null order by r.name_key)`.as("composites");
const clientComposites = sql<Role["compositeClientRoles"]>`coalesce((
  select json_agg(json_build_object('clientId', k.client_id, 'name', r.name) order by k.client_id, r.name_key) from ${included}
  join clients k on k.realm_id = r.realm_id and k.id = r.client_id
  where c.realm_id = roles.realm_id and c.holder = roles.role_id), '[]')`.as("client_composites");
const shown = [...columns, composites, clientComposites] as const;
type Shown = Pick<Selectable<RolesTable>, (typeof columns)[number]> & {
  composites: string[];
  client_composites: Role["compositeClientRoles"];
};

/** The members of a role that are needed to assign it. */
export type NamedRole = Pick<Role, "roleId" | "name">;
const toNamed = (row: { role_id: string; name: string }): NamedRole => ({ roleId: row.role_id, name: row.name });

const order = listOrder("name", { name: "name_key", createdAt: "created_at" }, "role_id");

/** The order of roles, also by the member names of an admin role. */
export const adminOrder: ListOrder = { ...order, sorts: { roleName: order.sorts.name!, ...order.sorts } };

/** Lists the realm's own roles, or those of one client. */
export async function listRoles(
  db: Db,
  realm: string,
  query: ListQuery,
  client: string | null = null,
  by: ListOrder = order,
): Promise<Page<RoleRow>> {
  const { search } = query;
  const base = db
    .selectFrom("roles")
    .select(shown)
    .where("realm_id", "=", realm)
    .where("client_id", client === null ? "is" : "=", client)
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) => eb.or([eb("name_key", "like", likePrefix(loginKey(search!))), eb(sql`role_id::text`, "=", search!.toLowerCase())])),
    );
  return mapPage(await pageOf(db, base, by, query), toRole);
}

/** Lists the roles of all clients, sorted by name. */
export async function listClientRoles(db: Db, realm: string): Promise<RoleRow[]> {
  const rows = await db
    .selectFrom("roles")
    .select(shown)
    .where("realm_id", "=", realm)
    .where("client_id", "is not", null)
    .orderBy("name_key")
    .execute();
  return rows.map(toRole);
}

/** Finds a role of the realm or of any client. */
export async function findRole(db: Db, realm: string, roleId: string): Promise<RoleRow | null> {
  const row = await findRow(db, "roles", shown, { realm_id: realm, role_id: roleId });
  return row ? toRole(row) : null;
}

export async function lockRole(tx: Tx, realm: string, roleId: string): Promise<RoleRow | null> {
  const row = await findRow(tx, "roles", shown, { realm_id: realm, role_id: roleId }, "update");
  return row ? toRole(row) : null;
}

/** Finds roles of the realm itself, and keeps them from being deleted until commit, not from being read. */
export async function shareRolesByName(tx: Tx, realm: string, names: readonly string[]): Promise<NamedRole[]> {
  if (names.length === 0) return [];
  const rows = await tx
    .selectFrom("roles")
    .select(["role_id", "name"])
    .where("realm_id", "=", realm)
    .where("client_id", "is", null)
    .where("name_key", "in", names.map(loginKey))
    .forShare()
    .execute();
  return rows.map(toNamed);
}

/** Returns those of the names that are roles of the realm. */
export async function existingRoleNames(db: Db, realm: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom("roles")
    .select("name_key")
    .where("realm_id", "=", realm)
    .where("client_id", "is", null)
    .where("name_key", "in", names.map(loginKey))
    .execute();
  const known = new Set(rows.map(({ name_key }) => name_key));
  return names.filter((name) => known.has(loginKey(name)));
}

/** Finds the default role, and keeps it from being deleted until commit. Another role may become the default meanwhile. */
export async function shareDefaultRole(tx: Tx, realm: string): Promise<NamedRole | null> {
  const row = await tx
    .selectFrom("roles")
    .select(["role_id", "name"])
    .where("realm_id", "=", realm)
    .where("is_default", "=", true)
    .forKeyShare()
    .executeTakeFirst();
  return row ? toNamed(row) : null;
}

const taken = { roles_name_taken: roleErrors.name_taken, client_roles_name_taken: roleErrors.client_role_taken };

export interface RoleFields {
  readonly name: string;
  readonly description: string | null;
  readonly isDefault: boolean;
  readonly client?: string | null;
}

const rowOf = (realm: string, { name, description, isDefault: is_default, client: client_id = null }: RoleFields, now: number) => ({
  ...{ realm_id: realm, role_id: newId(), client_id, name, name_key: loginKey(name) },
  ...{ description, is_default, created_at: now },
});

export const insertRole = async (tx: Tx, realm: string, role: RoleFields, now: number): Promise<RoleRow> =>
  toRole(await translating(taken, insertReturning(tx, "roles", rowOf(realm, role, now), shown)));

/** Inserts the first roles of a realm, and returns their ids in the same order. */
export async function insertRoles(tx: Tx, realm: string, roles: readonly RoleFields[], now: number): Promise<string[]> {
  const rows = roles.map((role) => rowOf(realm, role, now));
  await tx.insertInto("roles").values(rows).execute();
  return rows.map(({ role_id }) => role_id);
}

export async function updateRole(
  tx: Tx,
  realm: string,
  roleId: string,
  change: { name?: string; description?: string | null },
): Promise<RoleRow> {
  const named = change.name !== undefined && { name_key: loginKey(change.name) };
  const changed = { ...change, ...named, version: nextVersion };
  return toRole(await translating(taken, updateReturning(tx, "roles", { realm_id: realm, role_id: roleId }, changed, shown)));
}

export async function deleteRole(tx: Tx, realm: string, roleId: string): Promise<void> {
  await deleteRows(tx, "roles", { realm_id: realm, role_id: roleId });
}

export async function moveDefault(tx: Tx, realm: string, roleId: string): Promise<void> {
  await tx
    .updateTable("roles")
    .set({ is_default: false, version: nextVersion })
    .where("realm_id", "=", realm)
    .where("is_default", "=", true)
    .where("role_id", "!=", roleId)
    .execute();
  await updateRows(tx, "roles", { realm_id: realm, role_id: roleId, is_default: false }, { is_default: true, version: nextVersion });
}

const toRole = (row: Shown): RoleRow => ({
  realmId: row.realm_id,
  roleId: row.role_id,
  name: row.name,
  description: row.description,
  default: row.is_default,
  compositeRoles: row.composites,
  compositeClientRoles: row.client_composites,
  createdAt: row.created_at,
  version: row.version,
  client: row.client_id,
});
