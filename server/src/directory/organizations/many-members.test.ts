import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { askedQueries } from "../../testing/asked-queries.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { listMembers } from "./members.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

// So many rows take the embedded database long.
test.runIf(testDatabase() === "postgres")("of many members a page is found by an index, and each who is searched for once", async () => {
  const realm = await iam.realm();
  const { db } = iam.core;
  const organization = newId();
  const MEMBERS = 20_050;
  await sql`insert into organizations (realm_id, organization_id, name, name_key, alias, created_at)
    values (${realm.name}, ${organization}, 'Crowd', 'crowd', 'crowd', 0)`.execute(db);
  await sql`insert into users (realm_id, user_id, username, username_key, email, email_key, created_at)
    select ${realm.name}, gen_random_uuid(), 'c' || n, 'c' || n, 'c' || n || '@x.example', 'c' || n || '@x.example', n
    from generate_series(1, ${MEMBERS}::int) n`.execute(db);
  await sql`analyze users`.execute(db);
  for (const key of ["username_key", "email_key"])
    await sql`insert into login_names (realm_id, key, user_id) select realm_id, ${sql.ref(key)}, user_id from users
      where realm_id = ${realm.name} and username_key ~ '^c[0-9]'`.execute(db);
  await sql`insert into organization_members (realm_id, organization_id, user_id, role, joined_at)
    select realm_id, ${organization}, user_id, 'member', created_at from users
    where realm_id = ${realm.name} and username_key ~ '^c[0-9]'`.execute(db);
  await sql`analyze users, login_names, organization_members`.execute(db);

  const { watched, clear, plans } = askedQueries(db);
  const list = (query: object) => listMembers(watched, realm.name, organization, { size: 1000, ...query });
  const walk = async (query: object) => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list({ ...query, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.rows.map(({ username }) => username));
      if (page.nextCursor === null) return seen;
      cursor = page.nextCursor;
    }
  };

  // By their usernames, and those who match by username and address once each.
  for (const query of [{}, { search: "c" }, { search: "C", sort: "-joinedAt" }, { search: "c1" }, { search: "c1", sort: "-username" }]) {
    const of = "search" in query && query.search === "c1" ? /^c1/ : /^c/;
    const expected = Array.from({ length: MEMBERS }, (_, n) => `c${n + 1}`).filter((name) => of.test(name));
    const seen = await walk(query);
    expect(seen.length, JSON.stringify(query)).toBe(expected.length);
    expect(new Set(seen)).toEqual(new Set(expected));
  }
  expect((await list({ search: "c77", size: 3 })).total).toBe(111);
  const inOrder = await list({ search: "c", size: 30 });
  expect(inOrder.rows.map(({ username }) => username)).toEqual(inOrder.rows.map(({ username }) => username).sort());

  // A page by cursor begins where the one before ended.
  const { nextCursor } = await list({ size: 100, sort: "username" });
  clear();
  await list({ size: 100, sort: "username", cursor: nextCursor! });
  expect((await plans()).join()).toMatch(/users_by_username[^}]*"\s*},\s*{\s*"QUERY PLAN":"\s*Index Cond: [^}]*ROW\(/);
});
