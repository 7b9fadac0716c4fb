import { type ColumnType, type Generated, sql } from "kysely";
import { type Db, deleteRows, findRow, nameStartsWith, type Tx, translating } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { authzErrors } from "./errors.ts";
import { type AuthzScope, type AuthzSettingsState, defaultSettings } from "./schema.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    authz_settings: {
      realm_id: string;
      client_id: string;
      enabled: boolean;
      settings: ColumnType<Omit<AuthzSettingsState, "enabled">, string, string>;
      version: Generated<number>;
    };
    authz_scopes: {
      realm_id: string;
      client_id: string;
      name: string;
      display_name: string | null;
      icon_uri: string | null;
      created_at: number;
      version: Generated<number>;
    };
  }
}

/** One resource server, which is a client of a realm. */
export interface Server {
  readonly realm: string;
  readonly client: string;
}

export type VersionedSettings = AuthzSettingsState & { readonly version: number };

export async function findSettings(db: Db, { realm, client }: Server): Promise<VersionedSettings> {
  const row = await findRow(db, "authz_settings", ["enabled", "settings", "version"], { realm_id: realm, client_id: client });
  return row ? { ...defaultSettings, ...row.settings, enabled: row.enabled, version: row.version } : { ...defaultSettings, version: 0 };
}

/**
 * Locks a resource server until commit. Changes of scopes, policies and permissions of a client run one after the other, so that references
 * are checked against the current state. Changes of resources share the lock.
 */
export async function lockServer(tx: Tx, { realm, client }: Server, strength: "update" | "share"): Promise<{ enabled: boolean } | null> {
  const { rows } = await sql<{ enabled: boolean }>`select enabled from authz_settings
    where realm_id = ${realm} and client_id = ${client} ${strength === "update" ? sql`for update` : sql`for share`}`.execute(tx);
  return rows[0] ?? null;
}

export async function saveSettings(tx: Tx, { realm, client }: Server, { enabled, ...settings }: AuthzSettingsState): Promise<void> {
  await sql`insert into authz_settings (realm_id, client_id, enabled, settings) values (${realm}, ${client}, ${enabled}, ${JSON.stringify(settings)}::jsonb)
    on conflict (realm_id, client_id) do update
      set enabled = excluded.enabled, settings = excluded.settings, version = authz_settings.version + 1`.execute(tx);
}

export type ScopeRow = AuthzScope & { readonly version: number };

const scopes = (db: Db, { realm, client }: Server) =>
  db
    .selectFrom("authz_scopes")
    .select(["name", "display_name as displayName", "icon_uri as iconUri", "created_at as createdAt", "version"])
    .where("realm_id", "=", realm)
    .where("client_id", "=", client);

/** Scopes, policies and permissions: their names are the end of their primary keys. */
export const byName = listOrder("name", { name: "name" }, "name");

export function listScopes(db: Db, server: Server, query: ListQuery): Promise<Page<ScopeRow>> {
  const { search } = query;
  return pageOf(
    db,
    scopes(db, server).$if(Boolean(search), (q) => q.where(nameStartsWith("name", search!))),
    byName,
    query,
  );
}

export const findScope = async (db: Db, server: Server, name: string): Promise<ScopeRow | null> =>
  (await scopes(db, server).where("name", "=", name).executeTakeFirst()) ?? null;

export async function insertScope(tx: Tx, { realm, client }: Server, scope: AuthzScope): Promise<void> {
  const row = { realm_id: realm, client_id: client, name: scope.name, display_name: scope.displayName, icon_uri: scope.iconUri };
  const insert = tx.insertInto("authz_scopes").values({ ...row, created_at: scope.createdAt });
  await translating({ authz_scopes_name_taken: authzErrors.scope_taken }, insert.execute());
}

export async function updateScope(
  tx: Tx,
  { realm, client }: Server,
  name: string,
  state: Pick<AuthzScope, "displayName" | "iconUri">,
): Promise<void> {
  await sql`update authz_scopes set display_name = ${state.displayName}, icon_uri = ${state.iconUri}, version = version + 1
    where realm_id = ${realm} and client_id = ${client} and name = ${name}`.execute(tx);
}

export async function deleteScope(tx: Tx, { realm, client }: Server, name: string): Promise<void> {
  await deleteRows(tx, "authz_scopes", { realm_id: realm, client_id: client, name });
}

/** Returns those of the names that the client has. */
export async function knownScopes(db: Db, { realm, client }: Server, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`select name from authz_scopes
    where realm_id = ${realm} and client_id = ${client} and name = any(${[...names]}::text[])`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

export async function countOf(
  db: Db,
  { realm, client }: Server,
  table: "authz_scopes" | "authz_policies" | "authz_permissions",
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}
    where realm_id = ${realm} and client_id = ${client}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Returns some resources and permissions that have the scope. */
export async function scopeUsers(db: Db, { realm, client }: Server, name: string): Promise<{ resources: string[]; permissions: string[] }> {
  const { rows } = await sql<{ resources: string[]; permissions: string[] }>`select
    array(select r.name from authz_resources r where r.realm_id = ${realm} and r.client_id = ${client} and r.scopes @> array[${name}::text] limit 11) as resources,
    array(select p.name from authz_permissions p where p.realm_id = ${realm} and p.client_id = ${client} and ${name}::text = any(p.scopes) limit 11) as permissions`.execute(
    db,
  );
  return rows[0]!;
}

/** Returns every client of the realm that has, or had, authorization services. */
export async function serversOf(db: Db, realm: string): Promise<{ client: string; clientId: string }[]> {
  const { rows } = await sql<{
    client: string;
    clientId: string;
  }>`select s.client_id as client, c.client_id as "clientId" from authz_settings s
    join clients c on c.realm_id = s.realm_id and c.id = s.client_id where s.realm_id = ${realm} order by c.client_id`.execute(db);
  return rows;
}

/** Deletes a resource server with everything in it. */
export async function deleteServer(tx: Tx, { realm, client }: Server): Promise<void> {
  await deleteRows(tx, "authz_settings", { realm_id: realm, client_id: client });
}
