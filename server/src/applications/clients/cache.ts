import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Vault } from "../../kernel/vault.ts";
import type { RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { toMapper } from "../claims/index.ts";
import { openSecrets } from "./secrets.ts";
import { originsOf, settingsOf } from "./settings.ts";
import type { ClientSnapshot } from "./snapshot.ts";
import { type ClientColumns, toClient } from "./store.ts";

/** The clients of all realms, as protocols ask for them. */
export interface Clients {
  /** By OAuth's client id; null if the realm has none of that name. A disabled client is one, too. */
  get(realm: string, clientId: string): Promise<ClientSnapshot | null>;
}

interface Loaded {
  readonly client: ClientSnapshot;
  readonly configVersion: number;
}

/** Shared by what was read of one realm since its last change; whatever belongs to another home than the realm's present one is old. */
interface Home {
  configVersion: number;
}

const MAX_CLIENTS = 10_000;
const MAX_REALMS = 2_000;

export function createClients({ db, vault, changes }: { readonly db: Db; readonly vault: Vault; readonly changes: RealmChanges }): Clients {
  return cachedClients(changes, (realm, clientId) => loadClient(db, vault, realm, clientId));
}

/** Keeps the clients in use until a change of their realm's configuration is announced. */
export function cachedClients(changes: RealmChanges, load: (realm: string, clientId: string) => Promise<Loaded | null>): Clients {
  // Only clients that exist are kept: guessing names must not push them out.
  const kept = new LRUCache<string, { readonly client: ClientSnapshot; readonly home: Home }>({ max: MAX_CLIENTS });
  const homes = new LRUCache<string, Home>({ max: MAX_REALMS });
  // Shared, so that a hundred requests for a cold client read it once.
  const loading = new Map<string, { readonly realm: string; readonly client: Promise<ClientSnapshot | null> }>();

  changes.onDrop((realm, version) => {
    if (realm === null) {
      kept.clear();
      homes.clear();
      loading.clear();
    } else if (version === undefined || homes.peek(realm)?.configVersion !== version) {
      homes.delete(realm);
      for (const [key, reading] of loading) if (reading.realm === realm) loading.delete(key);
    }
  });

  const keep = (key: string, realm: string, { client, configVersion }: Loaded) => {
    const home = homes.get(realm) ?? { configVersion };
    // As old as the oldest of what was read: a change that only some of it knows drops all of it.
    home.configVersion = Math.min(home.configVersion, configVersion);
    homes.set(realm, home);
    kept.set(key, { client, home });
  };

  const read = (key: string, realm: string, clientId: string): Promise<ClientSnapshot | null> => {
    const reading = { realm, client: load(realm, clientId).then(done, failed) };
    loading.set(key, reading);
    // A change that was announced while we read has removed the entry: what we read then serves those who wait, and nobody else.
    const isCurrent = () => loading.get(key) === reading;
    function done(loaded: Loaded | null): ClientSnapshot | null {
      if (isCurrent()) {
        loading.delete(key);
        if (loaded) keep(key, realm, loaded);
      }
      return loaded?.client ?? null;
    }
    function failed(error: unknown): never {
      if (isCurrent()) loading.delete(key);
      throw error;
    }
    return reading.client;
  };

  return {
    get: async (realm, clientId) => {
      changes.expire();
      const key = `${realm}\u0000${clientId}`;
      const found = kept.get(key);
      if (found && found.home === homes.get(realm)) return found.client;
      return loading.get(key)?.client ?? read(key, realm, clientId);
    },
  };
}

/** In one statement, so that all of it is of one moment. */
async function loadClient(db: Db, vault: Vault, realm: string, clientId: string): Promise<Loaded | null> {
  // Neither can be stored, so neither can be found; Postgres would refuse the question.
  if (clientId.includes("\u0000") || !clientId.isWellFormed()) return null;
  const { rows } = await sql<ClientColumns & { config_version: number; mappers: Parameters<typeof toMapper>[0][] }>`
    select c.realm_id, c.id, c.client_id, c.name, c.enabled, c.public_client, c.secret, c.previous_secret, c.previous_secret_until,
      c.settings, c.allowed_resources, c.registration_hash,
      c.previous_registration_hash, c.created_at, c.updated_at, c.version,
      coalesce((select v.version from realm_versions v where v.realm_id = c.realm_id), 0)::bigint as config_version,
      coalesce((select json_agg(json_build_object('claim_id', m.claim_id, 'name', m.name, 'mapper', m.mapper) order by m.name_key)
        from claim_mappers m where m.realm_id = c.realm_id and m.client_id = c.id), '[]') as mappers
    from clients c where c.realm_id = ${realm} and c.client_id = ${clientId}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const { stored, sealed, ...client } = toClient(row);
  const snapshot: ClientSnapshot = {
    realmId: client.realmId,
    id: client.id,
    clientId: client.clientId,
    name: client.name,
    enabled: client.enabled,
    publicClient: client.publicClient,
    secrets: openSecrets(vault, realm, client.id, sealed),
    grantTypes: stored.grantTypes,
    redirectUris: stored.redirectUris,
    webOrigins: originsOf(stored),
    scopes: stored.scopes,
    allowedResources: client.allowedResources,
    settings: settingsOf(stored),
    mappers: row.mappers.map(toMapper),
  };
  return { client: snapshot, configVersion: row.config_version };
}
