import { sql } from "kysely";
import { type Db, prepared } from "../../platform/db/index.ts";
import { type PublishedImagesRow, publishedImages } from "../images/index.ts";
import { type PublishedKeysRow, publishedKeys } from "../keys/index.ts";

interface RealmConfigRow extends PublishedKeysRow, PublishedImagesRow {
  config_version: number;
  settings: Record<string, unknown>;
}

const load = prepared(
  ({ realm }: { realm: string }) =>
    sql<RealmConfigRow>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version, s.settings,
      ${publishedKeys}, ${publishedImages}
    from realms r join realm_settings s on s.realm_id = r.realm_id where r.realm_id = ${realm} and r.deleted_at is null`,
);

/** Reads a realm's configuration in one statement, so that it is consistent and costs one round trip. */
export async function findRealmConfig(db: Db, realm: string): Promise<RealmConfigRow | undefined> {
  return (await load(db, { realm }))[0];
}
