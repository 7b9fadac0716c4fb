import { type Kysely, sql } from "kysely";

/** Returns the number of sessions of this database that wait for a lock (Postgres). */
export async function waitingSessions<Tables>(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.n;
}
