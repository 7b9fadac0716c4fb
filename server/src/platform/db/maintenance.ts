import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import type { Db } from "./tables.ts";

// A Postgres server has processes that checkpoint and vacuum. The embedded database is a single process that does neither: without this module its write-ahead
// log grows until the disk is full, and deleted rows stay in the tables.

const MB = 1024 * 1024;
/** The number of bytes that may be written since the last checkpoint. The next start after a crash has to read them again. */
const CHECKPOINT_AFTER = 16 * MB;
const VACUUM_AFTER = 32 * MB;

/** Returns a function that checkpoints and vacuums the embedded database if enough was written since. Its first call vacuums. */
export function createMaintenance(db: Db): () => Promise<void> {
  let vacuumedAt = 0;
  return async () => {
    const { rows } = await sql<{ position: string; sinceCheckpoint: string }>`
      select pg_current_wal_lsn() - '0/0' as position, pg_current_wal_lsn() - redo_lsn as "sinceCheckpoint"
      from pg_control_checkpoint()`.execute(db);
    const position = Number(rows[0]!.position);
    if (vacuumedAt === 0 || position - vacuumedAt > VACUUM_AFTER) {
      // This is set first, so that a table that cannot be vacuumed is not tried every minute.
      vacuumedAt = position;
      await vacuum(db);
    }
    if (Number(rows[0]!.sinceCheckpoint) > CHECKPOINT_AFTER) await sql`checkpoint`.execute(db);
  };
}

/** Vacuums one table after another, so that requests can run in between. */
async function vacuum(db: Db): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`.execute(db);
  for (const { name } of tables) await sql`vacuum (analyze) ${sql.table(name)}`.execute(db);
}

/** Maintains the database every minute, for the first time after a minute. @returns a function that ends it. */
export function maintain(db: Db, onFailure: (error: unknown) => void): () => void {
  const run = createMaintenance(db);
  const timer = setInterval(() => void run().catch(onFailure), MINUTE).unref();
  return () => clearInterval(timer);
}
