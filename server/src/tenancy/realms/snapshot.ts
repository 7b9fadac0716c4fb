import { createHash } from "node:crypto";
import { configVersion, createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, inSnapshot } from "../../platform/db/index.ts";
import { type Companion, listCompanions, listKeys, type RealmKey, toJwk } from "../keys/index.ts";
import { readSettings, type Settings } from "../settings/index.ts";
import { isRealmName } from "./schema.ts";
import { findRealm } from "./store.ts";

/** What requests need of a realm's configuration, read once and never changed. */
export interface RealmSnapshot {
  readonly realmId: string;
  readonly configVersion: number;
  readonly settings: Settings;
  readonly keys: readonly RealmKey[];
  /** The P-256 keys beside them, of those that have one. */
  readonly companions: readonly Companion[];
  /** The realm's JWKS as it goes over the wire. */
  readonly jwks: { readonly body: string; readonly etag: string };
}

export interface RealmSnapshots extends RealmCache<RealmSnapshot> {
  /** The same, certainly as new as the database: for whoever met something that another node may have made a moment ago. */
  catchUp(realm: string): Promise<RealmSnapshot | null>;
}

export function createRealmSnapshots(db: Db, changes: RealmChanges): RealmSnapshots {
  const cache = createRealmCache(changes, (realm) => inSnapshot(db, (tx) => loadRealm(tx, realm)));
  const get = (realm: string) => (isRealmName(realm) ? cache.get(realm) : Promise.resolve(null));
  return {
    get,
    async catchUp(realm) {
      changes.drop(realm, await configVersion(db, realm));
      return get(realm);
    },
  };
}

async function loadRealm(db: Db, realm: string): Promise<RealmSnapshot | null> {
  const version = await configVersion(db, realm);
  if (!(await findRealm(db, realm))) return null;
  const { settings } = await readSettings(db, realm);
  const [keys, companions] = [await listKeys(db, realm), await listCompanions(db, realm)];
  const publicHalves = (key: RealmKey) => [
    toJwk(key),
    ...companions.filter(({ keyId }) => keyId === key.keyId).map(({ publicJwk }) => publicJwk),
  ];
  const body = JSON.stringify({ keys: keys.flatMap(publicHalves) });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { realmId: realm, configVersion: version, settings, keys, companions, jwks: { body, etag } };
}
