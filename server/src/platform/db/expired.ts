import { type RawBuilder, sql } from "kysely";
import type { Db, Tables } from "./tables.ts";

const BATCH = 5_000;

/** Deletes rows in batches, so that locks are held briefly. An index has to serve the condition. */
export async function deleteInBatches(db: Db, table: keyof Tables & string, condition: RawBuilder<unknown>): Promise<void> {
  const rows = sql.table(table);
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from ${rows} where ${condition} and ctid = any (array (select ctid from ${rows} where ${condition} limit ${BATCH}))`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0n) < BATCH) return;
  }
}

/** Deletes rows whose `expires_at` has passed. */
export const deleteExpired = (db: Db, table: keyof Tables & string, now: number): Promise<void> =>
  deleteInBatches(db, table, sql`expires_at <= ${now}`);
