import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { Db } from "../db/index.ts";
import { pageOf } from "./pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Counts the rows that it stands in, of one connection. */
const counted = sql<string>`set_config('test.rows', (coalesce(nullif(current_setting('test.rows', true), ''), '0')::int + 1)::text, false)`;

test("a page far behind is worked out alone, not with the rows before it", async () => {
  const realm = await iam.realm();
  await iam.core.db.connection().execute((db) => walk(db, realm.name));
});

async function walk(db: Db, realm: string): Promise<void> {
  await sql`insert into users (realm_id, user_id, username, username_key, created_at)
    select ${realm}, gen_random_uuid(), 'c' || n, 'c' || n, n / 10 from generate_series(1, 300) n`.execute(db);
  await sql`select set_config('test.rows', '0', false)`.execute(db);
  const order = { sorts: { age: sql.ref("created_at") }, defaultSort: "age", id: sql.ref("user_id") };
  const all = db
    .selectFrom("users")
    .select(["user_id", counted.as("rows")])
    .where("realm_id", "=", realm)
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
  const { rows } = await sql<{ rows: string }>`select current_setting('test.rows') as rows`.execute(db);
  // Each page takes what it shows, and one row more that tells whether another follows.
  const count = Number(rows[0]?.rows);
  expect(count).toBeGreaterThanOrEqual(600);
  expect(count).toBeLessThanOrEqual(2 * 32 * 11);
}

test("a page of a thousand rows comes in steps, each row once; a page of large rows is refused, and a smaller one is not", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  await sql`insert into users (realm_id, user_id, username, username_key, created_at)
    select ${realm.name}, gen_random_uuid(), 'c' || n, 'c' || n, n / 10 from generate_series(1, 450) n`.execute(iam.core.db);
  for (const sort of ["username", "-createdAt"]) {
    const { body, headers } = await admin.get(`/users?size=400&sort=${sort}`);
    expect([new Set(body.map(({ userId }: { userId: string }) => userId)).size, headers["x-total-count"]]).toEqual([400, "451"]);
    expect(headers.link).toContain('rel="next"');
  }
  expect((await admin.get("/users?size=1000")).body).toHaveLength(451);

  await sql`update users set attributes = jsonb_build_object('notes', repeat('x', 500000))
    where realm_id = ${realm.name} and username_key like 'c1%'`.execute(iam.core.db);
  const refused = await admin.get("/users?size=1000");
  expect([refused.status, refused.body.code, refused.body.errors[0].field]).toEqual([400, "list.too_large", "size"]);
  expect((await admin.get("/users?size=30")).body).toHaveLength(30);
});
