import { type Db, deleteRows, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    managed_objects: { realm_id: string; section: string; item_key: string; item_id: string; source: string; created_at: number };
  }
}

export interface ManagedObject {
  readonly section: string;
  readonly key: string;
  readonly id: string;
}

/** Returns the objects that imports with this source name have created. */
export async function managedBy(db: Db, realm: string, source: string): Promise<ManagedObject[]> {
  const rows = await db
    .selectFrom("managed_objects")
    .select(["section", "item_key", "item_id"])
    .where("realm_id", "=", realm)
    .where("source", "=", source)
    .execute();
  return rows.map((row) => ({ section: row.section, key: row.item_key, id: row.item_id }));
}

export async function recordManaged(tx: Tx, realm: string, source: string, objects: readonly ManagedObject[], now: number): Promise<void> {
  for (const { section, key, id } of objects)
    await tx
      .insertInto("managed_objects")
      .values({ realm_id: realm, section, item_key: key, item_id: id, source, created_at: now })
      .onConflict((clash) => clash.columns(["realm_id", "section", "item_key"]).doUpdateSet({ item_id: id, source, created_at: now }))
      .execute();
}

export async function forgetManaged(tx: Tx, realm: string, objects: readonly ManagedObject[]): Promise<void> {
  for (const { section, key } of objects) await deleteRows(tx, "managed_objects", { realm_id: realm, section, item_key: key });
}
