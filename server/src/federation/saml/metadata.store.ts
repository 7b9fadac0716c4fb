import { type ColumnType, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { type Db, findRow, updateRows } from "../../platform/db/index.ts";
import type { ProviderSnapshot, ReadMetadata } from "../providers/provider.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    identity_provider_metadata: {
      realm_id: string;
      provider_id: string;
      url: string;
      /** `version` is the provider's version when the metadata was read. */
      metadata: ColumnType<ReadMetadata & { readonly version?: number }, string, string>;
      read_at: number;
      next_at: number;
    };
  }
}

type Owner = Pick<ProviderSnapshot, "realm" | "providerId">;

export interface StoredMetadata {
  readonly url: string;
  readonly metadata: ReadMetadata;
  /** The provider's version when the metadata was read; null if it is unknown. */
  readonly version: number | null;
}

export async function findMetadata(db: Db, { realm, providerId }: Owner): Promise<StoredMetadata | null> {
  const row = await findRow(db, "identity_provider_metadata", ["url", "metadata"], { realm_id: realm, provider_id: providerId });
  if (!row) return null;
  const { version = null, ...metadata } = row.metadata;
  return { url: row.url, metadata, version };
}

/** Stores metadata. Stores nothing for a provider that was deleted in the meantime. */
export async function saveMetadata(
  db: Db,
  { realm, providerId }: Owner,
  { url, metadata, version, now, nextAt }: StoredMetadata & { readonly now: number; readonly nextAt: number },
): Promise<void> {
  await sql`
    insert into identity_provider_metadata (realm_id, provider_id, url, metadata, read_at, next_at)
    select p.realm_id, p.provider_id, ${url}, ${JSON.stringify({ ...metadata, version })}::jsonb, ${now}, ${nextAt}
    from identity_providers p where p.realm_id = ${realm} and p.provider_id = ${providerId}
    for key share
    on conflict (realm_id, provider_id) do update set
      url = excluded.url, metadata = excluded.metadata, read_at = excluded.read_at, next_at = excluded.next_at`.execute(db);
}

/** Claims metadata that is due to be read again. For ten minutes no other node gets the same rows: that is the lease. */
export async function claimDueMetadata(db: Db, now: number, count: number): Promise<{ realm: string; providerId: string }[]> {
  const { rows } = await sql<{ realm: string; providerId: string }>`
    update identity_provider_metadata m set next_at = ${now + 10 * MINUTE}
    from (
      select realm_id, provider_id from identity_provider_metadata where next_at <= ${now} order by next_at limit ${count}
      for update skip locked
    ) due
    where m.realm_id = due.realm_id and m.provider_id = due.provider_id
    returning m.realm_id as realm, m.provider_id as "providerId"`.execute(db);
  return rows;
}

export async function postponeMetadata(db: Db, { realm, providerId }: Owner, nextAt: number): Promise<void> {
  await updateRows(db, "identity_provider_metadata", { realm_id: realm, provider_id: providerId }, { next_at: nextAt });
}
