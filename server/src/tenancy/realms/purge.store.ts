import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { type Db, inTransaction, type Tx } from "../../platform/db/index.ts";
import { TryAgain } from "../../platform/jobs/index.ts";

const BATCH = 5_000;

const TRAIL = "audit_events";

/**
 * Removes every row of a deleted realm in batches, and finally its name. It is safe to run again after a crash. The audit trail stays until it has been
 * forwarded, because the receiver may be unreachable.
 */
export async function purgeRealm(db: Db, realm: string, hasUnforwarded: (db: Db, realm: string) => Promise<boolean>): Promise<void> {
  const { rows: realms } = await sql<{
    deleted: boolean;
  }>`select deleted_at is not null as deleted from realms where realm_id = ${realm}`.execute(db);
  // The realm is already gone, or a new realm has its name. In both cases there is nothing to delete.
  if (!realms[0]?.deleted) return;
  const tables = (await tablesOfRealms(db)).filter((table) => table !== TRAIL);
  for (const table of [...tables, TRAIL]) {
    if (table === TRAIL && (await hasUnforwarded(db, realm)))
      throw new TryAgain("The events of the deleted realm wait to be forwarded", MINUTE);
    // The loop ends when a batch finds no row. A short batch may have skipped rows that were changed concurrently.
    while ((await purgeBatch(db, table, realm)) > 0);
  }
  await inTransaction(db, async (tx) => {
    await sql`delete from realms where realm_id = ${realm} and deleted_at is not null`.execute(tx);
  });
}

function purgeBatch(db: Db, table: string, realm: string): Promise<number> {
  return inTransaction(db, async (tx) => {
    await liftAppendOnly(tx);
    const target = sql.table(table);
    const { numAffectedRows } = await sql`
      delete from ${target} where ctid = any (array(select ctid from ${target} where realm_id = ${realm} limit ${BATCH}))`.execute(tx);
    return Number(numAffectedRows ?? 0n);
  });
}

/** Allows this transaction to delete audit events. The deletion of the realm is recorded in `master`. */
async function liftAppendOnly(tx: Tx): Promise<void> {
  await sql`select set_config('gatehouse.maintenance', 'realm-delete', true)`.execute(tx);
}

/** Returns every table with a realm_id, including those of future features. Each table comes after the tables that refer to it. */
async function tablesOfRealms(db: Db): Promise<string[]> {
  const { rows } = await sql<{ table_name: string; referrers: string[] }>`
    select c.table_name,
      array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.conrelid
        where k.contype = 'f' and k.conrelid <> k.confrelid
          and k.confrelid = (quote_ident(c.table_schema) || '.' || quote_ident(c.table_name))::regclass) as referrers
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
    where c.table_schema = current_schema() and c.column_name = 'realm_id' and c.table_name <> 'realms'
    order by c.table_name`.execute(db);
  const referrersOf = new Map(rows.map(({ table_name, referrers }) => [table_name, referrers]));
  const ordered = new Set<string>();
  const visiting = new Set<string>();
  const visit = (table: string) => {
    if (visiting.has(table)) return;
    visiting.add(table);
    for (const referrer of referrersOf.get(table) ?? []) visit(referrer);
    if (referrersOf.has(table)) ordered.add(table);
  };
  for (const { table_name } of rows) visit(table_name);
  return [...ordered];
}
