import { sql } from "kysely";
import type { Db, Tables } from "./tables.ts";

const BATCH = 5_000;

/** Deletes rows whose `expires_at` has passed, in batches, so that locks are held briefly. */
export async function deleteExpired(db: Db, table: keyof Tables & string, now: number): Promise<void> {
  const rows = sql.table(table);
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from ${rows} where expires_at <= ${now} and ctid = any (array (select ctid from ${rows} where expires_at <= ${now} limit ${BATCH}))`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0n) < BATCH) return;
  }
}
