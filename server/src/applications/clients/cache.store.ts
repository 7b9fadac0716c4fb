import { sql } from "kysely";
import type { Vault } from "../../kernel/vault.ts";
import { createRecordCache, type LoadedRecord, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { toMapper } from "../claims/index.ts";
import { openSecrets } from "./secrets.ts";
import { originsOf, settingsOf } from "./settings.ts";
import type { ClientAgent, ClientSnapshot } from "./snapshot.ts";
import { type ClientColumns, toClient } from "./store.ts";

/** The clients of all realms, as protocols use them. */
export interface Clients {
  /** Finds a client by OAuth's client id. Returns null if the realm has none. Disabled clients are returned too. */
  get(realm: string, clientId: string): Promise<ClientSnapshot | null>;
}

export function createClients({ db, vault, changes }: { readonly db: Db; readonly vault: Vault; readonly changes: RealmChanges }): Clients {
  return createRecordCache(changes, (realm, clientId) => loadClient(db, vault, realm, clientId));
}

/** Loads a client in one statement, so that all of its data is from the same moment. */
async function loadClient(db: Db, vault: Vault, realm: string, clientId: string): Promise<LoadedRecord<ClientSnapshot> | null> {
  // Such a text cannot be stored, so it cannot be found, and Postgres would refuse the query.
  if (clientId.includes("\u0000") || !clientId.isWellFormed()) return null;
  const { rows } = await sql<
    Omit<ClientColumns, "agent_id"> & {
      config_version: number;
      token_epoch: number;
      mappers: Parameters<typeof toMapper>[0][];
      agent: ClientAgent | null;
    }
  >`
    select c.realm_id, c.id, c.client_id, c.name, c.enabled, c.public_client, c.secret, c.previous_secret, c.previous_secret_until,
      c.settings, c.allowed_resources, c.registration_hash,
      c.previous_registration_hash, c.created_at, c.updated_at, c.version, c.token_epoch,
      coalesce((select v.version from realm_versions v where v.realm_id = c.realm_id), 0)::bigint as config_version,
      coalesce((select json_agg(json_build_object('claim_id', m.claim_id, 'name', m.name, 'mapper', m.mapper) order by m.name_key)
        from claim_mappers m where m.realm_id = c.realm_id and m.client_id = c.id), '[]') as mappers,
      (select json_build_object('id', a.id, 'scopes', a.scopes, 'isActive', a.status = 'ACTIVE', 'expiresAt', a.expires_at)
        from agents a where a.realm_id = c.realm_id and a.client_id = c.id) as agent
    from clients c where c.realm_id = ${realm} and c.client_id = ${clientId}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const { stored, sealed, ...client } = toClient({ ...row, agent_id: row.agent?.id ?? null });
  const snapshot: ClientSnapshot = {
    realmId: client.realmId,
    id: client.id,
    clientId: client.clientId,
    name: client.name,
    enabled: client.enabled,
    tokenEpoch: row.token_epoch,
    publicClient: client.publicClient,
    secrets: openSecrets(vault, realm, client.id, sealed),
    grantTypes: stored.grantTypes,
    redirectUris: stored.redirectUris,
    webOrigins: originsOf(stored),
    scopes: stored.scopes,
    allowedResources: client.allowedResources,
    agent: row.agent,
    settings: settingsOf(stored),
    mappers: row.mappers.map(toMapper),
  };
  return { record: snapshot, configVersion: row.config_version };
}
