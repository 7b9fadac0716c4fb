/** A database that tests empty after a file and lend to the next one. */
export interface Emptied {
  query(sql: string, params: readonly unknown[]): Promise<{ readonly rows?: readonly unknown[] }>;
  /** Several statements at once. */
  script(sql: string): Promise<unknown>;
}

/** The state to go back to. */
export interface Migrated {
  /** The rows that the migrations themselves have stored, as JSON. */
  readonly rows: readonly { readonly table: string; readonly rows: string }[];
  /** The sizes that the planner believes in, as JSON. */
  readonly sizes: string;
  readonly shape: string;
}

const PUBLIC = "relnamespace = 'public'::regnamespace";

/** The migrator's own tables stay as they are. */
const TABLES = `select relname as name from pg_class where ${PUBLIC} and relkind = 'r' and relname not like 'schema\\_migrations%' order by relname`;

/** Emptied tables have no pages, so these are the ones that a file has written to. */
const WRITTEN = TABLES.replace(" order by", " and pg_relation_size(oid) > 0 order by");

const SIZES = `select json_agg(json_build_object('oid', oid, 'pages', relpages, 'tuples', reltuples))::text as sizes
  from pg_class where ${PUBLIC} and relkind in ('r', 'i')`;

/** The whole schema, in which every change of a file shows: tables, columns, indexes, constraints, triggers, functions, and switched-off parts. */
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

/** Goes back to what the migrations left. Answers false where that cannot be had by emptying tables. */
export async function empty(database: Emptied, { rows, sizes, shape }: Migrated): Promise<boolean> {
  if ((await ask<{ shape: string }>(database, SHAPE))[0]?.shape !== shape) return false;
  const written = (await ask<{ name: string }>(database, WRITTEN)).map(({ name }) => `"${name}"`);
  // Without foreign keys and without the triggers that protect the trail.
  await database.script(`set session_replication_role = replica; ${written.map((table) => `delete from ${table}`).join("; ")}`);
  // Nothing else sweeps it in time: the rows of all files would stay.
  await database.script(`vacuum ${written.join(", ")}`);
  for (const { table, rows: stored } of rows) {
    await database.query(`insert into "${table}" select * from json_populate_recordset(null::"${table}", $1::text::json)`, [stored]);
  }
  await database.script("set session_replication_role = default");
  // A plan that was made for an empty table would be kept when the table is full. One that nobody has analysed is taken for larger.
  await database.query(
    `update pg_class set relpages = s.pages, reltuples = s.tuples from json_to_recordset($1::text::json) as s (oid oid, pages int, tuples real)
      where pg_class.oid = s.oid and (relpages, reltuples) is distinct from (s.pages, s.tuples)`,
    [sizes],
  );
  await database.script(`delete from pg_statistic using pg_class where pg_class.oid = starelid and ${PUBLIC}`);
  return true;
}
