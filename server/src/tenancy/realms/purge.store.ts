import { sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { type Db, inTransaction, type Tx } from "../../platform/db/index.ts";
import { TryAgain } from "../../platform/jobs/index.ts";

const BATCH = 5_000;

const TRAIL = "audit_events";

/**
 * Removes every row of a deleted realm, a batch at a time, and its name last. Safe to run again after a crash. Its audit trail stays until it was
 * forwarded: the receiver may be unreachable.
 */
export async function purgeRealm(db: Db, realm: string, hasUnforwarded: (db: Db, realm: string) => Promise<boolean>): Promise<void> {
  const { rows: realms } = await sql<{
    deleted: boolean;
  }>`select deleted_at is not null as deleted from realms where realm_id = ${realm}`.execute(db);
  // Gone already, or a new realm of that name: in neither case is anything ours to delete.
  if (!realms[0]?.deleted) return;
  const tables = (await tablesOfRealms(db)).filter((table) => table !== TRAIL);
  for (const table of [...tables, TRAIL]) {
    if (table === TRAIL && (await hasUnforwarded(db, realm)))
      throw new TryAgain("The events of the deleted realm wait to be forwarded", MINUTE);
    // Until no row is found, not until a batch is short: a batch skips rows that were changed concurrently.
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

/** Allows deleting audit events in this transaction only; the realm's deletion is recorded in `master`. */
async function liftAppendOnly(tx: Tx): Promise<void> {
  await sql`select set_config('gatehouse.maintenance', 'realm-delete', true)`.execute(tx);
}

/** Every table with a realm_id, also of features that do not exist yet; each comes after the tables that refer to it. */
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
