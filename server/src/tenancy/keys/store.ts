import { type ColumnType, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { NewCompanion, PublicJwk } from "./companion.ts";
import type { NewKey } from "./generate.ts";
import type { RealmKey } from "./schema.ts";

interface RealmKeysTable {
  realm_id: string;
  key_id: string;
  algorithm: string;
  status: "ACTIVE" | "RETAINED";
  public_key: string;
  private_key: string;
  certificate: string;
  created_at: number;
  rotated_at: ColumnType<number | null, number | null | undefined, number | null>;
}

interface RealmKeyCompanionsTable {
  realm_id: string;
  key_id: string;
  public_jwk: ColumnType<PublicJwk, string, never>;
  private_key: string;
  created_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_keys: RealmKeysTable;
    realm_key_companions: RealmKeyCompanionsTable;
  }
}

const shown = ["key_id", "algorithm", "status", "public_key", "certificate", "created_at", "rotated_at"] as const;

/** The ACTIVE one leads, then the newest first. A realm has a handful. */
export async function listKeys(db: Db, realm: string): Promise<RealmKey[]> {
  const rows = await db
    .selectFrom("realm_keys")
    .select(shown)
    .where("realm_id", "=", realm)
    // Not by age alone: of two rotations at once, the one that began first may have come last.
    .orderBy(sql`status = 'ACTIVE'`, "desc")
    .orderBy("created_at", "desc")
    .orderBy("key_id", "desc")
    .execute();
  return rows.map(toKey);
}

export async function insertKey(tx: Tx, realm: string, key: NewKey, now: number): Promise<RealmKey> {
  const row = await tx
    .insertInto("realm_keys")
    .values({
      realm_id: realm,
      key_id: key.keyId,
      algorithm: "RSA",
      status: "ACTIVE",
      public_key: key.publicKey,
      private_key: key.sealedPrivateKey,
      certificate: key.certificate,
      created_at: now,
    })
    .returning(shown)
    .executeTakeFirstOrThrow();
  return toKey(row);
}

/** The id of the one that signed until now. */
export async function retireActiveKey(tx: Tx, realm: string, now: number): Promise<string | null> {
  const row = await tx
    .updateTable("realm_keys")
    .set({ status: "RETAINED", rotated_at: sql<number>`greatest(created_at, ${now}::bigint)` })
    .where("realm_id", "=", realm)
    .where("status", "=", "ACTIVE")
    .returning("key_id")
    .executeTakeFirst();
  return row?.key_id ?? null;
}

export interface Companion {
  /** Of the RSA key whose life it shares. */
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
}

/** Whether it was the first for its key: of two nodes that need one at once, the one that came first counts. */
export async function insertCompanion(tx: Tx, realm: string, companion: NewCompanion, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("realm_key_companions")
    .values({
      realm_id: realm,
      key_id: companion.keyId,
      public_jwk: JSON.stringify(companion.publicJwk),
      private_key: companion.sealedPrivateKey,
      created_at: now,
    })
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function hasCompanion(db: Db, realm: string, keyId: string): Promise<boolean> {
  const row = await db
    .selectFrom("realm_key_companions")
    .select("key_id")
    .where("realm_id", "=", realm)
    .where("key_id", "=", keyId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Sealed. */
export async function findPrivateKey(db: Db, realm: string, keyId: string, table: PrivateKeyTable): Promise<string | null> {
  const row = await db.selectFrom(table).select("private_key").where("realm_id", "=", realm).where("key_id", "=", keyId).executeTakeFirst();
  return row?.private_key ?? null;
}
export type PrivateKeyTable = "realm_keys" | "realm_key_companions";

export async function lockKey(tx: Tx, realm: string, keyId: string): Promise<RealmKey | null> {
  const row = await tx
    .selectFrom("realm_keys")
    .select(shown)
    .where("realm_id", "=", realm)
    .where("key_id", "=", keyId)
    .forUpdate()
    .executeTakeFirst();
  return row ? toKey(row) : null;
}

export async function deleteKey(tx: Tx, realm: string, keyId: string): Promise<void> {
  await tx.deleteFrom("realm_keys").where("realm_id", "=", realm).where("key_id", "=", keyId).execute();
}

type KeyRow = Pick<Selectable<RealmKeysTable>, (typeof shown)[number]>;
type CompanionRow = Pick<Selectable<RealmKeyCompanionsTable>, "key_id" | "public_jwk">;

/** What the keys of a realm publish, as columns of a query over `realms r`: in the order of `listKeys`. */
export const publishedKeys = sql`
  (select json_agg(json_build_object('key_id', k.key_id, 'algorithm', k.algorithm, 'status', k.status, 'public_key', k.public_key,
      'certificate', k.certificate, 'created_at', k.created_at, 'rotated_at', k.rotated_at)
      order by k.status = 'ACTIVE' desc, k.created_at desc, k.key_id desc)
    from realm_keys k where k.realm_id = r.realm_id) as keys,
  (select json_agg(json_build_object('key_id', c.key_id, 'public_jwk', c.public_jwk))
    from realm_key_companions c where c.realm_id = r.realm_id) as companions`;

export interface PublishedKeysRow {
  keys: KeyRow[] | null;
  companions: CompanionRow[] | null;
}

export const toPublishedKeys = ({ keys, companions }: PublishedKeysRow): { keys: RealmKey[]; companions: Companion[] } => ({
  keys: (keys ?? []).map(toKey),
  companions: (companions ?? []).map((row) => ({ keyId: row.key_id, publicJwk: row.public_jwk })),
});

const toKey = (row: KeyRow): RealmKey => ({
  keyId: row.key_id,
  algorithm: "RSA",
  status: row.status,
  publicKey: row.public_key,
  certificate: row.certificate,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
});
