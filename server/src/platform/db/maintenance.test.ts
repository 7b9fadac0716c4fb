import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { createMaintenance } from "./maintenance.ts";

const embedded = test.runIf(testDatabase() === "embedded");
let iam: Harness;
beforeEach(async () => {
  iam = await harness();
  await sql`create table scratch (id int primary key, text text not null)`.execute(iam.core.db);
});
afterEach(async () => {
  await sql`drop table scratch`.execute(iam.core.db);
  await iam.close();
});

const numberOf = async (query: ReturnType<typeof sql<{ n: string }>>) => Number((await query.execute(iam.core.db)).rows[0]!.n);
const sinceCheckpoint = () => numberOf(sql`select pg_current_wal_lsn() - redo_lsn as n from pg_control_checkpoint()`);
const tableSize = () => numberOf(sql`select pg_relation_size('scratch') as n`);
/** Writes about 20 MB of log and leaves no row. */
const writeAndDelete = async () => {
  await sql`insert into scratch select n, repeat('x', 500) from generate_series(1, 30000) n`.execute(iam.core.db);
  await sql`delete from scratch`.execute(iam.core.db);
};

embedded("the write-ahead log does not grow without end", async () => {
  const run = createMaintenance(iam.core.db);
  await run();
  await writeAndDelete();
  expect(await sinceCheckpoint()).toBeGreaterThan(16 * 1024 * 1024);
  await run();
  expect(await sinceCheckpoint()).toBeLessThan(1024 * 1024);
});

embedded("what was deleted gives its space back", async () => {
  const run = createMaintenance(iam.core.db);
  await run();
  await writeAndDelete();
  await writeAndDelete();
  expect(await tableSize()).toBeGreaterThan(30 * 1024 * 1024);
  await run();
  expect(await tableSize()).toBe(0);
});

embedded("little writing is left alone after the first time", async () => {
  const run = createMaintenance(iam.core.db);
  await run();
  await sql`insert into scratch values (1, 'x')`.execute(iam.core.db);
  await sql`delete from scratch`.execute(iam.core.db);
  await run();
  expect(await tableSize()).toBeGreaterThan(0);
});

test("a job analyzes a table that has grown much, and leaves it alone after that", async () => {
  const { jobs } = iam.server;
  await jobs.stop();
  const counted = () => numberOf(sql`select reltuples as n from pg_class where relname = 'scratch'`);
  const analyzed = () => numberOf(sql`select analyze_count as n from pg_stat_user_tables where relname = 'scratch'`);
  // Postgres may report what was written a second later.
  const runJob = async () => {
    clock.advance(10 * SECOND);
    await jobs.runDue();
  };
  // A block is no statement about rows, which would be sent to an embedded database without this table (testing/sent-statements.ts).
  await sql`do $$ begin insert into scratch select n, 'x' from generate_series(1, 5000) n; end $$`.execute(iam.core.db);
  await expect.poll(async () => (await runJob(), counted())).toBe(5000);
  const before = await analyzed();
  await sql`do $$ begin update scratch set text = 'y'; end $$`.execute(iam.core.db);
  await expect.poll(() => numberOf(sql`select n_tup_upd as n from pg_stat_user_tables where relname = 'scratch'`)).toBe(5000);
  await runJob();
  expect(await analyzed()).toBe(before);
});
