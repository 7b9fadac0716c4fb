import { type EmbeddedDatabase, type OpenedEmbedded, openEmbedded } from "../platform/db/index.ts";

/**
 * Opening an embedded database takes a second of computing, more than most test files need for all their requests. So a process
 * keeps the one that a file gives back, emptied to what the migrations leave, and lends it to the next.
 */
let spare: Kept | undefined;

interface Kept {
  readonly database: EmbeddedDatabase;
  readonly migrated: Migrated;
}

/** The state to go back to. */
interface Migrated {
  readonly tables: readonly string[];
  /** The rows that the migrations themselves have stored, as JSON. */
  readonly rows: readonly { readonly table: string; readonly rows: string }[];
  readonly shape: string;
}

export interface Borrowed {
  /** Queries after it was closed are refused, as by one that is really closed. */
  readonly embedded: OpenedEmbedded;
  giveBack(): Promise<void>;
}

/** An embedded database in memory, for one file. */
export async function borrowEmbedded(template: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Borrowed> {
  const waiting = spare;
  spare = undefined;
  const kept = waiting ?? (await openOne(template));
  const { database } = kept;
  const requested = new Set<Promise<unknown>>();
  let closed = false;
  const ask = <T>(send: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new Error("The embedded database is closed"));
    const answer = send();
    const settled: Promise<unknown> = answer.catch(() => {}).finally(() => requested.delete(settled));
    requested.add(settled);
    return answer;
  };
  const close = async () => {
    closed = true;
    await Promise.all(requested);
  };
  return {
    embedded: { query: (sql, params) => ask(() => database.query(sql, params)), dump: () => ask(() => database.dump()), close },
    async giveBack() {
      await close();
      // A file may have several open at once; one is enough to keep. One whose tables were changed is not lent again.
      if (!spare && (await empty(kept))) spare = kept;
      else await database.close();
    },
  };
}

async function openOne(template: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Kept> {
  const database = await openEmbedded("memory://", await template());
  return { database, migrated: await look(database) };
}

/** The migrator's own tables stay as they are. */
const TABLES = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relname not like 'schema\\_migrations%' order by relname`;

/** The whole schema, in which every change of a file shows: tables, columns, indexes, constraints, triggers, functions, and switched-off parts. */
const SHAPE = `select md5(string_agg(part, ';' order by part)) as shape from (
    select concat_ws(' ', oid, relname, relkind, relrowsecurity) from pg_class where relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', attrelid, attname, atttypid, attnotnull, attisdropped, atthasdef) from pg_attribute
      join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', oid, conname, convalidated) from pg_constraint
    union all select concat_ws(' ', oid, tgname, tgenabled) from pg_trigger
    union all select concat_ws(' ', oid, proname, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
  ) as parts (part)`;

async function ask<T>(database: EmbeddedDatabase, sql: string, params: unknown[] = []): Promise<T[]> {
  return ((await database.query(sql, params)).rows ?? []) as T[];
}

async function look(database: EmbeddedDatabase): Promise<Migrated> {
  const tables = (await ask<{ name: string }>(database, TABLES)).map(({ name }) => name);
  const rows: { table: string; rows: string }[] = [];
  for (const table of tables) {
    const [stored] = await ask<{ rows: string | null }>(database, `select json_agg(t)::text as rows from "${table}" t`);
    if (stored?.rows) rows.push({ table, rows: stored.rows });
  }
  const [{ shape }] = (await ask<{ shape: string }>(database, SHAPE)) as [{ shape: string }];
  return { tables, rows, shape };
}

/** Back to what the migrations left. Answers false where that cannot be had by emptying tables. */
async function empty({ database, migrated: { tables, rows, shape } }: Kept): Promise<boolean> {
  await database.script("rollback"); // what was open when the file ended
  await database.script("discard all");
  if ((await ask<{ shape: string }>(database, SHAPE))[0]?.shape !== shape) return false;
  // Without foreign keys and without the triggers that protect the trail.
  await database.script(`set session_replication_role = replica; ${tables.map((table) => `delete from "${table}"`).join("; ")}`);
  for (const { table, rows: stored } of rows) {
    await database.query(`insert into "${table}" select * from json_populate_recordset(null::"${table}", $1::text::json)`, [stored]);
  }
  await database.script("set session_replication_role = default");
  // Nothing else ever sweeps an embedded database: the rows of all files would stay, and their write-ahead log.
  await database.script(`vacuum ${tables.map((table) => `"${table}"`).join(", ")}`);
  await database.script("checkpoint");
  return true;
}
