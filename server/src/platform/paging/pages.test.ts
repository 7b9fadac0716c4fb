import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { pageOf } from "./pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("a page far behind is worked out alone, not with the rows before it", async () => {
  const realm = await iam.realm();
  const { db } = iam.core;
  await sql`insert into users (realm_id, user_id, username, username_key, created_at)
    select ${realm.name}, gen_random_uuid(), 'c' || n, 'c' || n, n / 10 from generate_series(1, 300) n`.execute(db);
  await sql`create sequence worked_out`.execute(db);
  const order = { sorts: { age: sql.ref("created_at") }, defaultSort: "age", id: sql.ref("user_id") };
  const all = db
    .selectFrom("users")
    .select(["user_id", sql<number>`nextval('worked_out')`.as("turn")])
    .where("realm_id", "=", realm.name)
    .where("username_key", "like", "c%");
  const walked: string[] = [];
  for (const sort of ["age", "-age"]) {
    walked.length = 0;
    for (let page = 0; page < 32; page++) {
      const { rows, nextCursor } = await pageOf(db, all, order, { page, size: 10, sort });
      expect(nextCursor === null, `page ${page}`).toBe(page >= 29);
      walked.push(...rows.map(({ user_id }) => user_id));
    }
    expect(walked).toHaveLength(300);
    expect(new Set(walked).size).toBe(300);
  }
  const { rows } = await sql<{ turns: number }>`select last_value as turns from worked_out`.execute(db);
  await sql`drop sequence worked_out`.execute(db);
  // Each page takes what it shows, and one row more that tells whether another follows.
  expect(Number(rows[0]?.turns)).toBeLessThanOrEqual(2 * 32 * 11);
});
