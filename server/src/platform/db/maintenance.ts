import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import type { Db } from "./tables.ts";

// A Postgres server has processes that checkpoint and vacuum. The embedded database is one process that does neither: without
// this, its write-ahead log grows until the disk is full, and what was deleted stays in the tables.

const MB = 1024 * 1024;
/** Written since the last checkpoint: what a crash makes the next start read again. */
const CHECKPOINT_AFTER = 16 * MB;
const VACUUM_AFTER = 32 * MB;

/** Checkpoints and vacuums the embedded database when enough was written since. The first call vacuums. */
export function createMaintenance(db: Db): () => Promise<void> {
  let vacuumedAt = 0;
  return async () => {
    const { rows } = await sql<{ position: string; sinceCheckpoint: string }>`
      select pg_current_wal_lsn() - '0/0' as position, pg_current_wal_lsn() - redo_lsn as "sinceCheckpoint"
      from pg_control_checkpoint()`.execute(db);
    const position = Number(rows[0]!.position);
    if (vacuumedAt === 0 || position - vacuumedAt > VACUUM_AFTER) {
      // Set first: a table that cannot be vacuumed must not be tried every minute.
      vacuumedAt = position;
      await vacuum(db);
    }
    if (Number(rows[0]!.sinceCheckpoint) > CHECKPOINT_AFTER) await sql`checkpoint`.execute(db);
  };
}

/** Table by table: requests come in between. */
async function vacuum(db: Db): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`.execute(db);
  for (const { name } of tables) await sql`vacuum (analyze) ${sql.table(name)}`.execute(db);
}

/** Runs it every minute, from the first full minute on. @returns what ends it. */
export function maintain(db: Db, onFailure: (error: unknown) => void): () => void {
  const run = createMaintenance(db);
  const timer = setInterval(() => void run().catch(onFailure), MINUTE).unref();
  return () => clearInterval(timer);
}
