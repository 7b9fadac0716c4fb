import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { cut, likePrefix, loginKey } from "../../kernel/text.ts";
import {
  type Db,
  deleteRows,
  insertReturning,
  nameStartsWith,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
  updateRows,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { samlClientErrors } from "./errors.ts";
import type { StoredMetadata } from "./metadata.ts";
import type { StoredSamlClient } from "./schema.ts";
import { completeSamlClient } from "./settings.ts";

interface SamlClientsTable {
  realm_id: string;
  id: string;
  entity_id: string;
  application_key: string;
  name: string | null;
  enabled: boolean;
  settings: ColumnType<StoredSamlClient, string, string>;
  metadata: ColumnType<StoredMetadata | null, string | undefined, string | undefined>;
  metadata_due_at: ColumnType<number | null, number | null | undefined, number | null | undefined>;
  created_at: number;
  updated_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    saml_clients: SamlClientsTable;
  }
}

export interface SamlClientRow {
  readonly realmId: string;
  readonly id: string;
  readonly entityId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly stored: StoredSamlClient;
  readonly metadata: StoredMetadata | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

const samlClientColumns = [
  "realm_id",
  "id",
  "entity_id",
  "name",
  "enabled",
  "settings",
  "metadata",
  "created_at",
  "updated_at",
  "version",
] as const;
export type SamlClientColumns = Pick<Selectable<SamlClientsTable>, (typeof samlClientColumns)[number]>;

const order = listOrder("entityId", { entityId: "application_key", createdAt: "created_at" }, "id");

/** Returns the record's name in `/applications`. */
export const applicationName = (realm: string, entityId: string): string => `${realm}|${entityId}`;

/** Long enough for every search, and short enough for an index and a cursor. */
const KEY_LENGTH = 400;
const applicationKey = (realm: string, entityId: string): string => cut(loginKey(applicationName(realm, entityId)), KEY_LENGTH);

const ofRealm = (db: Db, realm: string) => db.selectFrom("saml_clients").select(samlClientColumns).where("realm_id", "=", realm);

export async function listSamlClients(db: Db, realm: string, query: ListQuery & { enabled?: boolean }): Promise<Page<SamlClientRow>> {
  const { search, enabled } = query;
  const base = ofRealm(db, realm)
    .$if(enabled !== undefined, (q) => q.where("enabled", "=", enabled!))
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) => eb.or([eb("application_key", "like", likePrefix(applicationKey(realm, search!))), nameStartsWith("name", search!)])),
    );
  return mapPage(await pageOf(db, base, order, query), toSamlClient);
}

/** `isHeld`: until commit, for a change. */
export async function findSamlClient(db: Db, realm: string, entityId: string, isHeld = false): Promise<SamlClientRow | null> {
  const found = ofRealm(db, realm).where("entity_id", "=", entityId);
  const row = await found.$if(isHeld, (q) => q.forNoKeyUpdate()).executeTakeFirst();
  return row ? toSamlClient(row) : null;
}

export async function findSamlClients(db: Db, realm: string, ids: readonly string[]): Promise<SamlClientRow[]> {
  if (ids.length === 0) return [];
  const rows = await ofRealm(db, realm).where("id", "in", ids).execute();
  return rows.map(toSamlClient);
}

export interface SamlClientState {
  readonly name: string | null;
  readonly enabled: boolean;
  readonly stored: StoredSamlClient;
  /** Left out if it does not change. */
  readonly metadata?: StoredMetadata;
  /** The time at which it is read again. Null means never. Left out if it does not change. */
  readonly metadataDueAt?: number | null;
}

const columnsOf = ({ name, enabled, stored, metadata, metadataDueAt }: SamlClientState) => ({
  name,
  enabled,
  settings: JSON.stringify(stored),
  ...(metadata && { metadata: JSON.stringify(metadata) }),
  ...(metadataDueAt !== undefined && { metadata_due_at: metadataDueAt }),
});

/**
 * Claims SAML clients whose metadata is due, the longest overdue first. They are postponed, so that no other node takes them and a failed
 * one is retried later.
 */
export async function claimDueMetadata(db: Db, now: number, { until, limit }: { readonly until: number; readonly limit: number }) {
  const { rows } = await sql<{ realm: string; entityId: string; metadata: StoredMetadata | null }>`
    update saml_clients c set metadata_due_at = ${until}
    from (
      select realm_id, id from saml_clients where metadata_due_at <= ${now} order by metadata_due_at limit ${limit}
      for update skip locked
    ) due
    where c.realm_id = due.realm_id and c.id = due.id
    returning c.realm_id as realm, c.entity_id as "entityId", c.metadata`.execute(db);
  return rows;
}

/** Records an unchanged or failed read. The client and its version stay. */
export async function noteMetadata(tx: Tx, realm: string, id: string, metadata: StoredMetadata, dueAt: number): Promise<void> {
  await updateRows(tx, "saml_clients", { realm_id: realm, id }, { metadata: JSON.stringify(metadata), metadata_due_at: dueAt });
}

export async function insertSamlClient(
  tx: Tx,
  realm: string,
  entityId: string,
  state: SamlClientState,
  now: number,
): Promise<SamlClientRow> {
  const name = { entity_id: entityId, application_key: applicationKey(realm, entityId) };
  const row = { realm_id: realm, id: newId(), ...name, ...columnsOf(state), created_at: now, updated_at: now };
  const inserted = insertReturning(tx, "saml_clients", row, samlClientColumns);
  return toSamlClient(await translating({ saml_clients_entity_id_taken: samlClientErrors.entity_id_taken }, inserted));
}

export async function updateSamlClient(tx: Tx, realm: string, id: string, state: SamlClientState, now: number): Promise<SamlClientRow> {
  const change = { ...columnsOf(state), updated_at: now, version: nextVersion };
  return toSamlClient(await updateReturning(tx, "saml_clients", { realm_id: realm, id }, change, samlClientColumns));
}

/** Deletes a SAML client. Its mappers are deleted with it. */
export async function deleteSamlClient(tx: Tx, realm: string, id: string): Promise<void> {
  await deleteRows(tx, "saml_clients", { realm_id: realm, id });
}

export const toSamlClient = (row: SamlClientColumns): SamlClientRow => ({
  realmId: row.realm_id,
  id: row.id,
  entityId: row.entity_id,
  name: row.name,
  enabled: row.enabled,
  stored: completeSamlClient(row.settings),
  metadata: row.metadata,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

const uses = (alias: string) => sql`settings #>> '{options,browserFlow}' = ${alias}`;

/** Returns some of the SAML clients that use the flow. */
export async function samlClientsUsingFlow(db: Db, realm: string, alias: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ entity_id: string }>`select entity_id from saml_clients
    where realm_id = ${realm} and ${uses(alias)} order by entity_id limit ${limit}`.execute(db);
  return rows.map(({ entity_id }) => entity_id);
}

/** Renames a flow in the SAML clients that use it. Their ETag changes. */
export async function renameFlowOfSamlClients(tx: Tx, realm: string, from: string, to: string, now: number): Promise<void> {
  await sql`update saml_clients set settings = jsonb_set(settings, '{options,browserFlow}', to_jsonb(${to}::text)),
      updated_at = ${now}, version = version + 1
    where realm_id = ${realm} and ${uses(from)}`.execute(tx);
}

interface ClientOfRealm {
  readonly realm: string;
  readonly clientId: string;
}

/**
 * Returns the service providers that accept logout requests over SOAP, perhaps of several realms, in one statement. The result is the same
 * as that of the snapshots.
 */
export async function withBackChannelLogout(tx: Tx, clients: readonly ClientOfRealm[]): Promise<ClientOfRealm[]> {
  const { rows } = await sql<ClientOfRealm>`
    select c.realm_id as realm, c.entity_id as "clientId"
    from json_to_recordset(${JSON.stringify(clients)}::text::json) as p (realm text, "clientId" text)
    join saml_clients c on c.realm_id = p.realm and c.entity_id = p."clientId"
    join realm_settings s on s.realm_id = c.realm_id
    where c.enabled
      and coalesce((c.settings #>> '{options,backChannelSloEnabled}')::boolean, (s.settings #>> '{saml,backChannelSloEnabled}')::boolean, false)
      and (c.settings ->> 'singleLogoutServiceUrl' is not null or c.settings #> '{options,sloEndpoints}' @> '[{"binding":"soap"}]')`.execute(
    tx,
  );
  return rows;
}
