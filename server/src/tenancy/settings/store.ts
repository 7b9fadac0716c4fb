import type { ColumnType } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";

interface RealmSettingsTable {
  realm_id: string;
  settings: ColumnType<Record<string, unknown>, string, string>;
  version: ColumnType<number, number | undefined, number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_settings: RealmSettingsTable;
  }
}

export interface StoredSettings {
  /** Settings that a realm has changed; defaults are not stored, so that better defaults reach old realms. */
  readonly settings: Record<string, unknown>;
  readonly version: number;
}

const stored = (db: Db, realm: string) => db.selectFrom("realm_settings").select(["settings", "version"]).where("realm_id", "=", realm);

export const findSettings = async (db: Db, realm: string): Promise<StoredSettings | null> =>
  (await stored(db, realm).executeTakeFirst()) ?? null;

/** Held until commit as they are, beside others who hold them. */
export const holdSettings = async (tx: Tx, realm: string): Promise<StoredSettings | null> =>
  (await stored(tx, realm).forShare().executeTakeFirst()) ?? null;

export const lockSettings = async (tx: Tx, realm: string): Promise<StoredSettings | null> =>
  (await stored(tx, realm).forUpdate().executeTakeFirst()) ?? null;

export async function insertSettings(tx: Tx, realm: string, settings: Record<string, unknown>): Promise<void> {
  await tx
    .insertInto("realm_settings")
    .values({ realm_id: realm, settings: JSON.stringify(settings) })
    .execute();
}

export async function updateSettings(tx: Tx, realm: string, settings: Record<string, unknown>): Promise<number> {
  const row = await tx
    .updateTable("realm_settings")
    .set((eb) => ({ settings: JSON.stringify(settings), version: eb("version", "+", 1) }))
    .where("realm_id", "=", realm)
    .returning("version")
    .executeTakeFirstOrThrow();
  return row.version;
}
