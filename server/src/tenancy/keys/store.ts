import { type ColumnType, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
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

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_keys: RealmKeysTable;
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

export async function retireActiveKey(tx: Tx, realm: string, now: number): Promise<void> {
  await tx
    .updateTable("realm_keys")
    .set({ status: "RETAINED", rotated_at: sql<number>`greatest(created_at, ${now}::bigint)` })
    .where("realm_id", "=", realm)
    .where("status", "=", "ACTIVE")
    .execute();
}

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

const toKey = (row: Pick<Selectable<RealmKeysTable>, (typeof shown)[number]>): RealmKey => ({
  keyId: row.key_id,
  algorithm: "RSA",
  status: row.status,
  publicKey: row.public_key,
  certificate: row.certificate,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
});
