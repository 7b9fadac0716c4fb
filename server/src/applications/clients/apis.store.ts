import { sql } from "kysely";
import { loginKey } from "../../kernel/text.ts";
import { createRecordCache, type LoadedRecord, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, deleteRows, findRow, type Tx, translating } from "../../platform/db/index.ts";
import { resourceKey } from "./addresses.ts";
import { clientErrors } from "./errors.ts";
import type { StoredClient } from "./schema.ts";
import { completeSettings } from "./settings.ts";

interface ClientResourcesTable {
  realm_id: string;
  resource_key: string;
  resource: string;
  client_id: string;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    client_resources: ClientResourcesTable;
  }
}

/** A client as an API: the one that a resource indicator stands for. */
export interface Api {
  /** The indicator as it is registered. */
  readonly resource: string;
  /** The OAuth client id. */
  readonly clientId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly access: StoredClient["resourceAccess"];
  /** The scopes of the API. Empty means all. */
  readonly scopes: readonly string[];
}

/** The APIs of all realms. */
export interface Apis {
  /** Finds the API by any spelling of the indicator. Returns null if it stands for no API of the realm. Disabled APIs are returned too. */
  get(realm: string, resource: string): Promise<Api | null>;
}

export function createApis({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): Apis {
  const byKey = createRecordCache(changes, (realm, key) => loadApi(db, realm, key));
  return { get: (realm, resource) => byKey.get(realm, resourceKey(resource)) };
}

async function loadApi(db: Db, realm: string, key: string): Promise<LoadedRecord<Api> | null> {
  if (key.includes("\u0000") || !key.isWellFormed()) return null;
  const { rows } = await sql<{
    resource: string;
    client_id: string;
    name: string | null;
    enabled: boolean;
    public_client: boolean;
    settings: Partial<StoredClient>;
    config_version: number;
  }>`
    select r.resource, c.client_id, c.name, c.enabled, c.public_client, c.settings,
      coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version
    from client_resources r join clients c on c.realm_id = r.realm_id and c.id = r.client_id
    where r.realm_id = ${realm} and r.resource_key = ${key}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const { resourceIndicators, resourceAccess, resourceScopes } = completeSettings(row.settings, row.public_client);
  // The previous release does not know this member: a client that it has saved is no API.
  if (!resourceIndicators.includes(row.resource)) return null;
  const { resource, client_id: clientId, name, enabled } = row;
  return {
    record: { resource, clientId, name, enabled, access: resourceAccess, scopes: resourceScopes },
    configVersion: row.config_version,
  };
}

/** Writes the indicators of a client. The constraint refuses an indicator of another client, in every spelling. */
export async function writeResources(tx: Tx, realm: string, id: string, resources: readonly string[]): Promise<void> {
  await deleteRows(tx, "client_resources", { realm_id: realm, client_id: id });
  if (resources.length === 0) return;
  const rows = resources.map((resource) => ({ realm_id: realm, resource_key: resourceKey(resource), resource, client_id: id }));
  await translating({ client_resources_taken: clientErrors.resource_taken }, tx.insertInto("client_resources").values(rows).execute());
}

/** Tells whether a client id is an indicator, or differs from one only in its spelling. */
export async function isResource(tx: Tx, realm: string, clientId: string): Promise<boolean> {
  const row = await findRow(tx, "client_resources", ["client_id"], { realm_id: realm, resource_key: resourceKey(clientId) });
  return row !== null;
}

/**
 * Tells whether one of the indicators is the client id of a client other than `id`, or differs from it only in letter case or the slash at
 * the end.
 */
export async function isOtherClientId(tx: Tx, realm: string, id: string, resources: readonly string[]): Promise<boolean> {
  const keys = resources.flatMap((resource) => [resource.replace(/\/$/, ""), `${resource.replace(/\/$/, "")}/`]).map(loginKey);
  const row = await tx
    .selectFrom("clients")
    .select("id")
    .where("realm_id", "=", realm)
    .where("client_key", "in", keys)
    .where("id", "<>", id)
    .executeTakeFirst();
  return row !== undefined;
}
