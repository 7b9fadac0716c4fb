import { type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, type Tables, type Tx, translating } from "../../platform/db/index.ts";
import { type MapperState, toMapper } from "../claims/index.ts";
import { clientErrors } from "./errors.ts";
import type { ClientMapper } from "./schema.ts";

export type ClientMapperRow = ClientMapper & { readonly version: number };

const columns = ["claim_id", "name", "mapper", "created_at", "version"] as const;
type Columns = Pick<Selectable<Tables["claim_mappers"]>, (typeof columns)[number]>;

const ofClient = (db: Db, realm: string, client: string) =>
  db.selectFrom("claim_mappers").select(columns).where("realm_id", "=", realm).where("client_id", "=", client);

/** By name. One client has a handful of them. */
export async function mappersOfClient(db: Db, realm: string, client: string): Promise<ClientMapperRow[]> {
  return (await ofClient(db, realm, client).orderBy("name_key").execute()).map(toClientMapper);
}

export async function findMapper(db: Db, realm: string, client: string, mapperId: string): Promise<ClientMapperRow | null> {
  const row = await ofClient(db, realm, client).where("claim_id", "=", mapperId).executeTakeFirst();
  return row ? toClientMapper(row) : null;
}

export async function lockMapper(tx: Tx, realm: string, client: string, mapperId: string): Promise<ClientMapperRow | null> {
  const row = await ofClient(tx, realm, client).where("claim_id", "=", mapperId).forUpdate().executeTakeFirst();
  return row ? toClientMapper(row) : null;
}

const taken = { client_mappers_name_taken: clientErrors.mapper_name_taken };
const namedColumns = (name: string, mapper: MapperState) => ({ name, name_key: loginKey(name), mapper: JSON.stringify(mapper) });

export async function insertMapper(
  tx: Tx,
  realm: string,
  client: string,
  name: string,
  mapper: MapperState,
  now: number,
): Promise<ClientMapperRow> {
  const row = { realm_id: realm, claim_id: newId(), client_id: client, ...namedColumns(name, mapper), created_at: now };
  return toClientMapper(await translating(taken, tx.insertInto("claim_mappers").values(row).returning(columns).executeTakeFirstOrThrow()));
}

export async function updateMapper(tx: Tx, realm: string, mapperId: string, name: string, mapper: MapperState): Promise<ClientMapperRow> {
  const row = await translating(
    taken,
    tx
      .updateTable("claim_mappers")
      .set((eb) => ({ ...namedColumns(name, mapper), version: eb("version", "+", 1) }))
      .where("realm_id", "=", realm)
      .where("claim_id", "=", mapperId)
      .returning(columns)
      .executeTakeFirstOrThrow(),
  );
  return toClientMapper(row);
}

export async function deleteMapper(tx: Tx, realm: string, mapperId: string): Promise<void> {
  await sql`delete from claim_mappers where realm_id = ${realm} and claim_id = ${mapperId} and client_id is not null`.execute(tx);
}

function toClientMapper(row: Columns): ClientMapperRow {
  const { claimId, targets, ...mapper } = toMapper(row);
  return { mapperId: claimId, ...mapper, targets: [...targets], createdAt: row.created_at, version: row.version };
}
