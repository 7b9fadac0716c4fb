import { type ColumnType, sql } from "kysely";
import { likePrefix } from "../../kernel/text.ts";
import { type Db, type Tx, translating } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { realmErrors } from "./errors.ts";
import type { Realm } from "./schema.ts";

interface RealmsTable {
  realm_id: string;
  created_at: number;
  deleted_at: number | null;
  version: ColumnType<number, number | undefined, number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realms: RealmsTable;
  }
}

export interface RealmRow extends Realm {
  readonly version: number;
}

const order = listOrder("realm", { realm: "r.realm_id", createdAt: "r.created_at" }, "r.realm_id");

const living = (db: Db) =>
  db
    .selectFrom("realms as r")
    .innerJoin("realm_settings as s", "s.realm_id", "r.realm_id")
    .select(["r.realm_id", "r.created_at", "s.version", sql<string | null>`s.settings ->> 'displayName'`.as("display_name")])
    .where("r.deleted_at", "is", null);

export async function listRealms(db: Db, query: ListQuery): Promise<Page<RealmRow>> {
  const { search } = query;
  const base = living(db).$if(search !== undefined && search !== "", (q) =>
    q.where((eb) =>
      eb.or([
        eb("r.realm_id", "like", likePrefix(search!.toLowerCase())),
        eb(sql`lower(s.settings ->> 'displayName')`, "like", likePrefix(search!.toLowerCase())),
      ]),
    ),
  );
  // biome-ignore lint/suspicious/noExplicitAny: an aliased query no longer names its tables
  const page = await pageOf(db, base as any, order, query);
  return { ...page, rows: (page.rows as Parameters<typeof toRealm>[0][]).map(toRealm) };
}

export async function findRealm(db: Db, realm: string): Promise<RealmRow | null> {
  const row = await living(db).where("r.realm_id", "=", realm).executeTakeFirst();
  return row ? toRealm(row) : null;
}

export async function insertRealm(tx: Tx, realm: string, now: number): Promise<void> {
  await translating(
    { realms_pkey: realmErrors.name_taken },
    tx.insertInto("realms").values({ realm_id: realm, created_at: now }).execute(),
  );
}

/** Marks the realm as deleted, so that it is no longer found. Returns false if it was already marked. */
export async function markRealmDeleted(tx: Tx, realm: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("realms")
    .set({ deleted_at: now })
    .where("realm_id", "=", realm)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const toRealm = (row: { realm_id: string; created_at: number; version: number; display_name: string | null }): RealmRow => ({
  realm: row.realm_id,
  realmId: row.realm_id,
  displayName: row.display_name,
  createdAt: row.created_at,
  version: row.version,
});
