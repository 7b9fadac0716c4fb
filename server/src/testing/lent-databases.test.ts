import { sql } from "kysely";
import { expect, test } from "vitest";
import { harness } from "./harness.ts";

test("a file finds nothing of what those before it stored or changed", async () => {
  const first = await harness();
  const state = sql`select (select count(*) from realms)::int as realms, (select count(*) from event_cursors)::int as cursors,
    (select count(*) from pg_stats where schemaname = 'public')::int as statistics,
    (select reltuples from pg_class where relname = 'realms') as rows, current_database() as name,
    current_setting('statement_timeout') as patience, current_setting('session_replication_role') as role`;
  const before = (await state.execute(first.core.db)).rows;
  expect(before).toMatchObject([{ realms: 1, cursors: 1, statistics: 0, rows: -1, role: "origin" }]);
  await first.realm();
  await sql`delete from event_cursors`.execute(first.core.db);
  await sql`analyze realms`.execute(first.core.db);
  await sql`set statement_timeout = 12345`.execute(first.core.db);
  await first.close();
  await expect(sql`select 1`.execute(first.core.db)).rejects.toThrow(/closed|destroyed|ended/);

  const second = await harness();
  expect((await state.execute(second.core.db)).rows).toEqual(before);
  await sql`create table left_behind (id int)`.execute(second.core.db);
  await second.close();

  const third = await harness();
  expect((await sql`select to_regclass('left_behind') as name`.execute(third.core.db)).rows).toEqual([{ name: null }]);
  await third.close();
}, 120_000);
