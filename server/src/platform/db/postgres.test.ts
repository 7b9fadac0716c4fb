import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { type Database, DatabaseUnavailable, inTransaction, openDatabase } from "./index.ts";

// Our client leaves out what pg asks for again at every run of a statement: what it answers must be the same at the first run,
// at the second, and after something went wrong.
describe.runIf(testDatabase() === "postgres")("a prepared statement", () => {
  let iam: Harness;
  let database: Database;
  beforeAll(async () => {
    iam = await harness();
    // One connection, so that every run meets the statement of the one before.
    const { databaseUrl } = iam.config;
    database = await openDatabase({ url: databaseUrl, dataDir: "", pool: 1, preparedStatements: true, onIdleError: () => {} });
    await sql`create table things (id bigint primary key, name text, tags jsonb, seen timestamptz)`.execute(database.db);
  });
  afterAll(async () => {
    await database?.close();
    await iam?.close();
  });

  const thing = (id: number) =>
    sql`select id, name, tags, seen, id::int as small, ${"x"}::text as given from things where id = ${id}`.execute(database.db);

  test("answers alike at every run: values, nulls, nothing, counts", async () => {
    const insert = (id: number, name: string | null) =>
      sql`insert into things (id, name, tags) values (${id}, ${name}, ${JSON.stringify({ id })}::text::jsonb)`.execute(database.db);
    for (const id of [1, 2, 3]) expect((await insert(id, id === 2 ? null : `né ${id} 'quoted'`)).numAffectedRows).toBe(1n);
    for (let run = 0; run < 3; run++) {
      expect((await thing(1)).rows).toEqual([{ id: 1, name: "né 1 'quoted'", tags: { id: 1 }, seen: null, small: 1, given: "x" }]);
      expect((await thing(2)).rows).toEqual([{ id: 2, name: null, tags: { id: 2 }, seen: null, small: 2, given: "x" }]);
      expect((await thing(99)).rows).toEqual([]);
      const rename = await sql`update things set name = ${`run ${run}`} where id = ${3}`.execute(database.db);
      expect([rename.rows, rename.numAffectedRows]).toEqual([[], 1n]);
      const all = await sql<{ id: number }>`select id from things where id > ${0} order by id`.execute(database.db);
      expect(all.rows.map(({ id }) => id)).toEqual([1, 2, 3]);
    }
  });

  test("is kept, but for the first so many of something, which are planned for their own values", async () => {
    // A connection keeps its own prepared statements, so all of these run on one.
    const { rows } = await database.db.connection().execute(async (db) => {
      for (let run = 0; run < 3; run++) {
        await sql`select id as kept from things where id > ${run}`.execute(db);
        const page = await sql`select id as paged from things where id > ${run} order by id limit ${5}`.execute(db);
        expect(page.rows.length).toBe(3 - run);
        const part = await sql`select count(*) as counted from (select 1 from things where id > ${run} limit ${5}) found`.execute(db);
        expect(part.rows).toEqual([{ counted: 3 - run }]);
      }
      return sql<{
        statement: string;
      }>`select statement from pg_prepared_statements where statement like ${"%things%"}`.execute(db);
    });
    expect(rows.some(({ statement }) => statement.includes("kept"))).toBe(true);
    expect(rows.some(({ statement }) => /paged|counted/.test(statement))).toBe(false);
  });

  test("fails without harm to the next run, whether the server or the values are at fault", async () => {
    const divide = (by: number) => sql<{ result: number }>`select ${12}::int / ${by}::int as result`.execute(database.db);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (let run = 0; run < 3; run++) {
      expect((await divide(4)).rows).toEqual([{ result: 3 }]);
      await expect(divide(0)).rejects.toThrow("division by zero");
      await expect(sql`select ${cyclic}::text`.execute(database.db)).rejects.toThrow("circular");
      await expect(sql`select ${1}::int from no_such_table`.execute(database.db)).rejects.toThrow("no_such_table");
    }
    expect((await divide(3)).rows).toEqual([{ result: 4 }]);
  });

  test("keeps its columns apart from those of other statements and of other connections", async () => {
    const value = (id: number) => sql<Record<string, unknown>>`select name from things where id = ${id}`.execute(database.db);
    expect((await value(1)).rows).toEqual([{ name: "né 1 'quoted'" }]);
    expect((await value(1)).rows).toEqual([{ name: "né 1 'quoted'" }]);
    await sql`alter table things alter column name type jsonb using to_jsonb(name)`.execute(database.db);
    const { databaseUrl } = iam.config;
    const other = await openDatabase({ url: databaseUrl, dataDir: "", pool: 1, preparedStatements: true, onIdleError: () => {} });
    try {
      const again = sql<Record<string, unknown>>`select name from things where id = ${1}`;
      for (let run = 0; run < 3; run++) expect((await again.execute(other.db)).rows).toEqual([{ name: "né 1 'quoted'" }]);
      const nested = sql<Record<string, unknown>>`update things set name = ${'{"a":1}'}::text::jsonb where id = ${1} returning name`;
      for (let run = 0; run < 2; run++) expect((await nested.execute(other.db)).rows).toEqual([{ name: { a: 1 } }]);
    } finally {
      await other.close();
    }
  });

  test("works in transactions, rolled back and committed", async () => {
    const count = async (tx: Database["db"]) =>
      (await sql<{ n: number }>`select count(*) as n from things where id > ${0}`.execute(tx)).rows[0]?.n;
    for (let run = 0; run < 2; run++) {
      const failing = inTransaction(database.db, async (tx) => {
        await sql`delete from things where id = ${1}`.execute(tx);
        expect(await count(tx)).toBe(2);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await count(database.db)).toBe(3);
    }
  });
});

// Behind a pooler in transaction mode, what is set for a session would be another's next.
test.runIf(testDatabase() === "postgres")(
  "behind a pooler nothing is set for the session, and the deadline is kept all the same",
  async () => {
    const iam = await harness();
    const deadlines = { connectMs: 5_000, statementMs: 100, lockMs: 100 };
    const { db, close, pool } = await openDatabase({
      ...{ url: iam.config.databaseUrl, dataDir: "", pool: 1, preparedStatements: false, onIdleError: () => {} },
      isPooled: true,
      deadlines: { requests: deadlines, background: deadlines },
    });
    try {
      const { rows } = await sql`select name from pg_settings where source = 'session' and name like '%timeout%'`.execute(db);
      expect(rows).toEqual([]);
      const working = inTransaction(db, (tx) => sql`select pg_sleep(30)`.execute(tx));
      await expect(working).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect(pool!.idleCount).toBe(0);
      await sql`select 1`.execute(db);
    } finally {
      await close();
      await iam.close();
    }
  },
);
