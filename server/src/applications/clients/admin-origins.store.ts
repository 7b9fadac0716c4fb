import { sql } from "kysely";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { adminAudience } from "./addresses.ts";
import { originsOf } from "./settings.ts";

export interface AdminOriginsSnapshot {
  readonly configVersion: number;
  /** The web origins of the realm's enabled clients that may request tokens for the admin API. */
  readonly origins: ReadonlySet<string>;
}

export type AdminOrigins = RealmCache<AdminOriginsSnapshot>;

interface Parts {
  readonly db: Db;
  readonly changes: RealmChanges;
  readonly baseUrl: string;
}

/** Caches the origins by realm until its configuration changes, because every request from another origin reads them. */
export const createAdminOrigins = ({ db, changes, baseUrl }: Parts): AdminOrigins =>
  createRealmCache(changes, (realm) => loadOrigins(db, realm, adminAudience(baseUrl)));

/** Loads the origins in one statement, so that all of its data is from the same moment. */
async function loadOrigins(db: Db, realm: string, audience: string): Promise<AdminOriginsSnapshot | null> {
  const named = JSON.stringify([audience]);
  const { rows } = await sql<{ config_version: number; web_origins: string[] | null; redirect_uris: string[] | null }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version,
      c.settings->'webOrigins' as web_origins, c.settings->'redirectUris' as redirect_uris
    from realms r left join clients c on c.realm_id = r.realm_id and c.enabled
      and (c.allowed_resources @> ${named}::jsonb or c.settings->'audience' @> ${named}::jsonb)
    where r.realm_id = ${realm}`.execute(db);
  const [first] = rows;
  if (!first) return null;
  const origins = rows.flatMap(({ web_origins, redirect_uris }) =>
    originsOf({ webOrigins: web_origins ?? [], redirectUris: redirect_uris ?? [] }),
  );
  return { configVersion: first.config_version, origins: new Set(origins) };
}
