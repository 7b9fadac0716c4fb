/** A database that tests empty after a file and lend to the next one. */
export interface Emptied {
  query(sql: string, params: readonly unknown[]): Promise<{ readonly rows?: readonly unknown[] }>;
  /** Runs several statements at once. */
  script(sql: string): Promise<unknown>;
}

/** The state to restore. */
export interface Migrated {
  /** The rows that the migrations themselves have stored, as JSON. */
  readonly rows: readonly { readonly table: string; readonly rows: string }[];
  /** The sizes of the tables that the planner assumes, as JSON. */
  readonly sizes: string;
  readonly shape: string;
}

const PUBLIC = "relnamespace = 'public'::regnamespace";

/** The tables, without the migrator's own, which stay as they are. */
const TABLES = `select relname as name from pg_class where ${PUBLIC} and relkind = 'r' and relname not like 'schema\\_migrations%' order by relname`;

/** The tables that a file has written to. Empty tables have no pages. */
const WRITTEN = TABLES.replace(" order by", " and pg_relation_size(oid) > 0 order by");

const SIZES = `select json_agg(json_build_object('oid', oid, 'pages', relpages, 'tuples', reltuples))::text as sizes
  from pg_class where ${PUBLIC} and relkind in ('r', 'i')`;

/** A hash of the whole schema, which shows every change by a file: tables, columns, indexes, constraints, triggers, functions, and disabled parts. */
const SHAPE = `select md5(string_agg(part, ';' order by part)) as shape from (
    select concat_ws(' ', oid, relname, relkind, relrowsecurity) from pg_class where ${PUBLIC}
    union all select concat_ws(' ', attrelid, attname, atttypid, attnotnull, attisdropped, atthasdef) from pg_attribute
      join pg_class on pg_class.oid = attrelid where ${PUBLIC}
    union all select concat_ws(' ', oid, conname, convalidated) from pg_constraint
    union all select concat_ws(' ', oid, tgname, tgenabled) from pg_trigger
    union all select concat_ws(' ', oid, proname, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', setrole, setconfig) from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
  ) as parts (part)`;

async function ask<T>(database: Emptied, sql: string): Promise<T[]> {
  return ((await database.query(sql, [])).rows ?? []) as T[];
}

/** Reads the state of a database that was just migrated. */
export async function readMigrated(database: Emptied): Promise<Migrated> {
  const tables = (await ask<{ name: string }>(database, TABLES)).map(({ name }) => name);
  const rows: { table: string; rows: string }[] = [];
  for (const table of tables) {
    const [stored] = await ask<{ rows: string | null }>(database, `select json_agg(t)::text as rows from "${table}" t`);
    if (stored?.rows) rows.push({ table, rows: stored.rows });
  }
  const [{ sizes }] = (await ask<{ sizes: string }>(database, SIZES)) as [{ sizes: string }];
  const [{ shape }] = (await ask<{ shape: string }>(database, SHAPE)) as [{ shape: string }];
  return { rows, sizes, shape };
}

/** Restores the state after the migrations. Returns false if emptying tables does not suffice for that. */
export async function empty(database: Emptied, { rows, sizes, shape }: Migrated): Promise<boolean> {
  if ((await ask<{ shape: string }>(database, SHAPE))[0]?.shape !== shape) return false;
  const written = (await ask<{ name: string }>(database, WRITTEN)).map(({ name }) => `"${name}"`);
  // Foreign keys are not checked meanwhile, and the triggers that protect the trail do not run.
  await database.script(`set session_replication_role = replica; ${written.map((table) => `delete from ${table}`).join("; ")}`);
  // Autovacuum would come too late, and the rows of all files would stay.
  await database.script(`vacuum ${written.join(", ")}`);
  for (const { table, rows: stored } of rows) {
    await database.query(`insert into "${table}" select * from json_populate_recordset(null::"${table}", $1::text::json)`, [stored]);
  }
  await database.script("set session_replication_role = default");
  // The sizes are restored, because a plan for an empty table would still be used when the table is full. A table that was never analysed counts as larger.
  await database.query(
    `update pg_class set relpages = s.pages, reltuples = s.tuples from json_to_recordset($1::text::json) as s (oid oid, pages int, tuples real)
      where pg_class.oid = s.oid and (relpages, reltuples) is distinct from (s.pages, s.tuples)`,
    [sizes],
  );
  await database.script(`delete from pg_statistic using pg_class where pg_class.oid = starelid and ${PUBLIC}`);
  return true;
}
