import { type RawBuilder, sql } from "kysely";
import { clock, MINUTE } from "../kernel/clock.ts";
import { type Db, inTransaction } from "../platform/db/index.ts";

/**
 * Returns the tables that may have rows of realms. Tables without pages are left out: most are empty, and planning a statement for them takes longer than
 * running it.
 */
async function writtenTables(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'realm_id' and pg_relation_size(c.oid) > 0 order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/** Removes all rows of these realms, so that no job, loop or list meets them again. Recurring jobs are due in a minute, whatever the time was. */
export async function removeRealms(db: Db, realms: readonly string[]): Promise<void> {
  const tables = await writtenTables(db);
  const deletions = tables.map(
    (table) => sql`${sql.ref(`of_${table}`)} as (delete from ${sql.table(table)} where realm_id = any(${realms}::text[]))`,
  );
  await inTransaction(db, async (tx) => {
    // Neither foreign keys nor the triggers that protect the trail are asked.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`with ${sql.join(deletions)} select 1`.execute(tx);
    await sql`update jobs set run_at = ${clock.now() + MINUTE}, locked_until = 0, attempts = 0 where realm_id is null`.execute(tx);
  });
}

/** Tables that change when an administrator of `master` signs in and works. */
const BY_WORK = new Set([
  ...["audit_events", "sessions", "known_devices", "login_attempts", "jobs", "interactions", "action_tokens", "users", "credentials"],
  ...["metric_hours", "client_activity", "oidc_records", "session_participants", "realm_versions"],
]);

/** Returns a digest of each table of what all realms share: the rows of `master`. Files that share a server leave them as they are. */
export async function sharedState(db: Db): Promise<ReadonlyMap<string, string>> {
  const tables = await writtenTables(db);
  const digest = (table: string, row: RawBuilder<unknown>) =>
    sql`select ${sql.lit(table)} as name, md5(string_agg(${row}, '' order by ${row})) as digest from ${sql.table(table)} t where realm_id = 'master'`;
  const states = tables.filter((table) => !BY_WORK.has(table)).map((table) => digest(table, sql`t::text`));
  states.push(digest("users", sql`user_id::text`));
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(states, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the tables whose shared rows differ. */
export const changedTables = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((table) => (before.get(table) ?? null) !== (after.get(table) ?? null));
