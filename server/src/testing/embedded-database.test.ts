import { sql } from "kysely";
import { expect, test } from "vitest";
import { harness, testDatabase } from "./harness.ts";

test.runIf(testDatabase() === "embedded")(
  "a file finds nothing of what those before it stored or changed",
  async () => {
    const first = await harness();
    await first.realm();
    await sql`delete from event_cursors`.execute(first.core.db);
    await sql`set statement_timeout = 12345`.execute(first.core.db);
    await first.close();
    await expect(sql`select 1`.execute(first.core.db)).rejects.toThrow(/closed|destroyed/);

    const second = await harness();
    const { rows } = await sql`select (select count(*) from realms) as realms, (select count(*) from event_cursors) as cursors,
    current_setting('statement_timeout') as patience, current_setting('session_replication_role') as role`.execute(second.core.db);
    expect(rows).toEqual([{ realms: 1, cursors: 1, patience: "0", role: "origin" }]);
    await sql`create table left_behind (id int)`.execute(second.core.db);
    await second.close();

    const third = await harness();
    expect((await sql`select to_regclass('left_behind') as name`.execute(third.core.db)).rows).toEqual([{ name: null }]);
    await third.close();
  },
  120_000,
);
