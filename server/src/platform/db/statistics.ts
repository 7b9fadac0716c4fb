import { sql } from "kysely";
import type { Db } from "./tables.ts";

/** Tables with fewer rows are read quickly by any plan. */
const MANY = 5_000;

/**
 * Analyzes the tables that have at least doubled since Postgres counted their rows, as in an import. Autovacuum does so a minute later, and the embedded
 * database has none. Until then Postgres takes the new rows for a few, and may compare each one with all others.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_live_tup >= ${MANY} and s.n_live_tup >= 2 * c.reltuples
      and pg_has_role(c.relowner, 'usage')`.execute(db);
  for (const { name } of tables) await sql`analyze ${sql.table(name)}`.execute(db);
}
