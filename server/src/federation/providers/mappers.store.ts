import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, deleteRows, insertReturning, nextVersion, type Tx, translating, updateReturning } from "../../platform/db/index.ts";
import { providerErrors } from "./errors.ts";
import type { MapperState, ProviderMapper } from "./mappers.schema.ts";

interface MappersTable {
  realm_id: string;
  mapper_id: string;
  provider_id: string;
  name: string;
  name_key: string;
  mapper: ColumnType<MapperState, string, string>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    identity_provider_mappers: MappersTable;
  }
}

export type MapperRow = ProviderMapper & { readonly version: number };

const columns = ["mapper_id", "name", "mapper", "created_at", "version"] as const;
type Columns = Pick<Selectable<MappersTable>, (typeof columns)[number]>;

const toMapper = (row: Columns): MapperRow => ({
  mapperId: row.mapper_id,
  name: row.name,
  ...row.mapper,
  createdAt: row.created_at,
  version: row.version,
});

const ofProvider = (db: Db, realm: string, providerId: string) =>
  db.selectFrom("identity_provider_mappers").select(columns).where("realm_id", "=", realm).where("provider_id", "=", providerId);

/** Returns the mappers, in order of their names. */
export async function listMappers(db: Db, realm: string, providerId: string): Promise<MapperRow[]> {
  return (await ofProvider(db, realm, providerId).orderBy("name_key").execute()).map(toMapper);
}

/** Returns the mappers of every provider that give a role, locked until commit. */
export async function roleMappers(tx: Tx, realm: string): Promise<MapperRow[]> {
  const mappers = tx.selectFrom("identity_provider_mappers").select(columns).where("realm_id", "=", realm);
  return (await mappers.where(sql<boolean>`mapper ->> 'type' = 'role'`).orderBy("mapper_id").forUpdate().execute()).map(toMapper);
}

export async function findMapper(db: Db, realm: string, providerId: string, mapperId: string): Promise<MapperRow | null> {
  const row = await ofProvider(db, realm, providerId).where("mapper_id", "=", mapperId).executeTakeFirst();
  return row ? toMapper(row) : null;
}

const taken = { identity_provider_mappers_name_taken: providerErrors.mapper_name_taken };
const named = (name: string, mapper: MapperState) => ({ name, name_key: loginKey(name), mapper: JSON.stringify(mapper) });

export async function insertMapper(tx: Tx, realm: string, providerId: string, name: string, mapper: MapperState, now: number) {
  const row = { realm_id: realm, mapper_id: newId(), provider_id: providerId, ...named(name, mapper), created_at: now };
  return toMapper(await translating(taken, insertReturning(tx, "identity_provider_mappers", row, columns)));
}

export async function updateMapper(tx: Tx, realm: string, mapperId: string, name: string, mapper: MapperState): Promise<MapperRow> {
  const change = { ...named(name, mapper), version: nextVersion };
  const key = { realm_id: realm, mapper_id: mapperId };
  return toMapper(await translating(taken, updateReturning(tx, "identity_provider_mappers", key, change, columns)));
}

export async function deleteMapper(tx: Tx, realm: string, mapperId: string): Promise<void> {
  await deleteRows(tx, "identity_provider_mappers", { realm_id: realm, mapper_id: mapperId });
}
