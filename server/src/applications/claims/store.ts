import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, deleteRows, insertReturning, nextVersion, type Tx, translating, updateReturning } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { claimErrors } from "./errors.ts";
import type { ClaimMapper as Mapper } from "./mapper.ts";
import type { ClaimMapper, MapperState } from "./schema.ts";

interface ClaimMappersTable {
  realm_id: string;
  claim_id: string;
  /** The client that owns the mapper. Null for a mapper of the realm. */
  client_id: ColumnType<string | null, string | null | undefined, never>;
  name: string;
  name_key: string;
  mapper: ColumnType<MapperState, string, string>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    claim_mappers: ClaimMappersTable;
    client_scope_claims: { realm_id: string; scope_id: string; claim_id: string };
  }
}

export interface ClaimMapperRow extends ClaimMapper {
  readonly version: number;
}

const columns = ["realm_id", "claim_id", "name", "mapper", "created_at", "version"] as const;
const scopes = sql<string[]>`array(select s.name from client_scope_claims a
  join client_scopes s on s.realm_id = a.realm_id and s.scope_id = a.scope_id
  where a.realm_id = claim_mappers.realm_id and a.claim_id = claim_mappers.claim_id order by s.name)`.as("scopes");
const selected = [...columns, scopes] as const;
type Columns = Pick<Selectable<ClaimMappersTable>, (typeof columns)[number]>;

/** Returns a mapper as protocols use it, from any row that has one. */
export const toMapper = (row: Pick<Columns, "claim_id" | "name" | "mapper">): Mapper => ({
  claimId: row.claim_id,
  name: row.name,
  ...row.mapper,
});

const toClaim = (row: Columns & { scopes: string[] }): ClaimMapperRow => ({
  realmId: row.realm_id,
  ...toMapper(row),
  targets: [...row.mapper.targets],
  scopes: row.scopes,
  createdAt: row.created_at,
  version: row.version,
});

// A realm has some dozens of them, found by the primary key: sorting needs no index.
const order = listOrder("name", { name: "name_key", createdAt: "created_at" }, "claim_id");

/** Selects the realm's own mappers, without those of clients. */
const ofRealm = (db: Db, realm: string) =>
  db.selectFrom("claim_mappers").select(selected).where("realm_id", "=", realm).where("client_id", "is", null);

export async function listClaims(db: Db, realm: string, query: ListQuery): Promise<Page<ClaimMapperRow>> {
  const { search } = query;
  const base = ofRealm(db, realm).$if(search !== undefined && search !== "", (q) =>
    q.where((eb) => eb.or([eb("name_key", "like", likePrefix(loginKey(search!))), eb(sql`claim_id::text`, "=", search!.toLowerCase())])),
  );
  return mapPage(await pageOf(db, base, order, query), toClaim);
}

/** `isHeld`: until commit, for a change. */
export async function findClaim(db: Db, realm: string, claimId: string, isHeld = false): Promise<ClaimMapperRow | null> {
  const found = ofRealm(db, realm).where("claim_id", "=", claimId);
  const row = await found.$if(isHeld, (q) => q.forUpdate()).executeTakeFirst();
  return row ? toClaim(row) : null;
}

const columnsOf = (name: string, mapper: MapperState) => ({ name, name_key: loginKey(name), mapper: JSON.stringify(mapper) });

const taken = { claim_mappers_name_taken: claimErrors.name_taken };

export async function insertClaim(tx: Tx, realm: string, name: string, mapper: MapperState, now: number): Promise<ClaimMapperRow> {
  const row = { realm_id: realm, claim_id: newId(), ...columnsOf(name, mapper), created_at: now };
  return toClaim(await translating(taken, insertReturning(tx, "claim_mappers", row, selected)));
}

export async function updateClaim(tx: Tx, realm: string, claimId: string, name: string, mapper: MapperState): Promise<ClaimMapperRow> {
  const change = { ...columnsOf(name, mapper), version: nextVersion };
  return toClaim(await translating(taken, updateReturning(tx, "claim_mappers", { realm_id: realm, claim_id: claimId }, change, selected)));
}

/** Deletes a claim mapper, which scopes then do not have any more. */
export async function deleteClaim(tx: Tx, realm: string, claimId: string): Promise<void> {
  await deleteRows(tx, "claim_mappers", { realm_id: realm, claim_id: claimId });
}
