import { sql } from "kysely";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { Channel } from "./driver.ts";

interface RealmChannels {
  readonly configVersion: number;
  /** The channels with an enabled provider. */
  readonly channels: ReadonlySet<Channel>;
}

export type Channels = RealmCache<RealmChannels>;

/** Caches the channels by which the realms in use can send. */
export const createChannels = ({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): Channels =>
  createRealmCache(changes, (realm) => loadChannels(db, realm));

const load = prepared(
  ({ realm }: { realm: string }) =>
    sql<{ config_version: number; channels: Channel[] }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version,
      array(select p.channel from messaging_providers p where p.realm_id = r.realm_id and p.enabled) as channels
    from realms r where r.realm_id = ${realm} and r.deleted_at is null`,
);

async function loadChannels(db: Db, realm: string): Promise<RealmChannels | null> {
  const [row] = await load(db, { realm });
  return row ? { configVersion: row.config_version, channels: new Set(row.channels) } : null;
}
