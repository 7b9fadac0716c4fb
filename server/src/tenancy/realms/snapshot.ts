import { configVersion, createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { documentOf, type PublishedDocument } from "../../platform/http/index.ts";
import { type WithImages, withImages } from "../images/index.ts";
import { type Companion, type RealmKey, toJwk, toPublishedKeys } from "../keys/index.ts";
import { type Settings, withDefaults } from "../settings/index.ts";
import { findRealmConfig } from "./config.store.ts";
import { isRealmName } from "./schema.ts";

/** An immutable snapshot of the configuration of a realm that requests need. */
export interface RealmSnapshot {
  readonly realmId: string;
  readonly configVersion: number;
  readonly settings: Settings & WithImages;
  readonly keys: readonly RealmKey[];
  /** The P-256 and Ed25519 keys that accompany them. */
  readonly companions: readonly Companion[];
  /** The realm's JWKS in the form that is sent. */
  readonly jwks: PublishedDocument;
}

export interface RealmSnapshots extends RealmCache<RealmSnapshot> {
  /** Returns a snapshot that is at least as new as the database, for a reference that another node may have just created. */
  catchUp(realm: string): Promise<RealmSnapshot | null>;
}

export function createRealmSnapshots(db: Db, changes: RealmChanges): RealmSnapshots {
  const cache = createRealmCache(changes, (realm) => loadRealm(db, realm));
  const get = (realm: string) => (isRealmName(realm) ? cache.get(realm) : Promise.resolve(null));
  return {
    get,
    peek: cache.peek,
    async catchUp(realm) {
      changes.drop(realm, await configVersion(db, realm));
      return get(realm);
    },
  };
}

async function loadRealm(db: Db, realm: string): Promise<RealmSnapshot | null> {
  const row = await findRealmConfig(db, realm);
  if (!row) return null;
  const { config_version: version } = row;
  const settings = withImages(withDefaults(realm, row.settings), row.images ?? []);
  const { keys, companions } = toPublishedKeys(row);
  const publicHalves = (key: RealmKey) => [
    toJwk(key),
    ...companions.filter(({ keyId }) => keyId === key.keyId).map(({ publicJwk }) => publicJwk),
  ];
  const jwks = documentOf({ keys: keys.flatMap(publicHalves) });
  return { realmId: realm, configVersion: version, settings, keys, companions, jwks };
}
