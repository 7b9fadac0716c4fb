import { sql } from "kysely";
import { type Db, deleteRows, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    role_composites: { realm_id: string; role_id: string; included_id: string };
    /** Everything that a role includes, directly or through others; follows from `role_composites`. */
    role_closure: { realm_id: string; role_id: string; included_id: string };
  }
}

/** Returns the realm roles and client roles that a role includes directly. */
export async function includedIn(db: Db, realm: string, roleId: string): Promise<{ ofRealm: string[]; ofClients: string[] }> {
  const rows = await db
    .selectFrom("role_composites as c")
    .innerJoin("roles as r", (join) => join.onRef("r.realm_id", "=", "c.realm_id").onRef("r.role_id", "=", "c.included_id"))
    .select(["r.role_id", "r.client_id"])
    .where("c.realm_id", "=", realm)
    .where("c.role_id", "=", roleId)
    .execute();
  const ids = (ofClients: boolean) => rows.filter(({ client_id }) => (client_id !== null) === ofClients).map(({ role_id }) => role_id);
  return { ofRealm: ids(false), ofClients: ids(true) };
}

/** Tells whether one of these roles is that one, or includes it directly or through others. */
export async function reach(db: Db, realm: string, roleIds: readonly string[], roleId: string): Promise<boolean> {
  if (roleIds.includes(roleId)) return true;
  if (roleIds.length === 0) return false;
  const row = await db
    .selectFrom("role_closure")
    .select("role_id")
    .where("realm_id", "=", realm)
    .where("included_id", "=", roleId)
    .where(sql<boolean>`role_id = any(${[...roleIds]}::uuid[])`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the roles that include this one, directly or through others. */
export async function includersOf(db: Db, realm: string, roleId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("role_closure")
    .select("role_id")
    .where("realm_id", "=", realm)
    .where("included_id", "=", roleId)
    .execute();
  return rows.map(({ role_id }) => role_id);
}

export async function replaceIncluded(tx: Tx, realm: string, roleId: string, included: readonly string[]): Promise<void> {
  await deleteRows(tx, "role_composites", { realm_id: realm, role_id: roleId });
  if (included.length > 0)
    await tx
      .insertInto("role_composites")
      .values(included.map((included_id) => ({ realm_id: realm, role_id: roleId, included_id })))
      .execute();
}

/** Recomputes what these roles include. The caller holds the realm's lock. */
export async function rebuildClosure(tx: Tx, realm: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  const ids = [...roleIds];
  await sql`delete from role_closure where realm_id = ${realm} and role_id = any(${ids}::uuid[])`.execute(tx);
  await sql`
    with recursive included (role_id, included_id) as (
      select role_id, included_id from role_composites where realm_id = ${realm} and role_id = any(${ids}::uuid[])
      union
      select i.role_id, c.included_id from included i join role_composites c on c.realm_id = ${realm} and c.role_id = i.included_id
    )
    insert into role_closure (realm_id, role_id, included_id) select ${realm}, role_id, included_id from included`.execute(tx);
}
