import { createHash } from "node:crypto";
import { configVersion, createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, inSnapshot } from "../../platform/db/index.ts";
import { listKeys, type RealmKey, toJwk } from "../keys/index.ts";
import { readSettings, type Settings } from "../settings/index.ts";
import { isRealmName } from "./schema.ts";
import { findRealm } from "./store.ts";

/** What requests need of a realm's configuration, read once and never changed. */
export interface RealmSnapshot {
  readonly realmId: string;
  readonly configVersion: number;
  readonly settings: Settings;
  readonly keys: readonly RealmKey[];
  /** The realm's JWKS as it goes over the wire. */
  readonly jwks: { readonly body: string; readonly etag: string };
}

export type RealmSnapshots = RealmCache<RealmSnapshot>;

export function createRealmSnapshots(db: Db, changes: RealmChanges): RealmSnapshots {
  const cache = createRealmCache(changes, (realm) => inSnapshot(db, (tx) => loadRealm(tx, realm)));
  return { get: (realm) => (isRealmName(realm) ? cache.get(realm) : Promise.resolve(null)) };
}

async function loadRealm(db: Db, realm: string): Promise<RealmSnapshot | null> {
  const version = await configVersion(db, realm);
  if (!(await findRealm(db, realm))) return null;
  const [{ settings }, keys] = [await readSettings(db, realm), await listKeys(db, realm)];
  const body = JSON.stringify({ keys: keys.map(toJwk) });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { realmId: realm, configVersion: version, settings, keys, jwks: { body, etag } };
}
