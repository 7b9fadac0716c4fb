import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { filter, scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const TOTAL = 20_000;

/** Inserts users as an import does, many at the same time, but without the server: importing so many takes longer than the test. */
async function fill(realm: string): Promise<void> {
  const users = sql`select ${realm}::text as realm_id, gen_random_uuid() as user_id, 'p' || n as name, n from generate_series(0, ${TOTAL - 1}::int) n`;
  const { rows } = await sql<{ count: string }>`with made as materialized (${users}), stored as (
      insert into users (realm_id, user_id, username, username_key, attributes, created_at)
      select realm_id, user_id, name, name, jsonb_build_object('title', 'T' || n % 100), ${clock.now()}::bigint + n / 500 from made returning user_id
    ), named as (insert into login_names (realm_id, key, user_id) select realm_id, name, user_id from made)
    select count(*) from stored`.execute(iam.core.db);
  expect(Number(rows[0]?.count)).toBe(TOTAL);
  // Postgres analyzes the tables by itself some time after an import.
  await sql`analyze users, login_names`.execute(iam.core.db);
}

test("twenty thousand users are listed once each, by cursor and by index, by an exact total; a filter that has no index ends in time while people sign in", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  await fill(realm.name);
  const seen = new Set<string>();
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { body } = await scim.get(`/Users?attributes=userName&count=1000&cursor=${cursor}`);
    // The total includes the administrator.
    expect(body.totalResults).toBe(TOTAL + 1);
    for (const { userName } of body.Resources) seen.add(userName);
    cursor = body.nextCursor as string | undefined;
  }
  expect(seen.size).toBe(TOTAL + 1);
  // Entra and Okta read by index.
  const walked: string[] = [];
  for (let startIndex = 1; startIndex <= TOTAL + 1; startIndex += 100) {
    const { body } = await scim.get(`/Users?attributes=userName&count=100&startIndex=${startIndex}`);
    expect([body.totalResults, body.startIndex]).toEqual([TOTAL + 1, startIndex]);
    for (const { userName } of body.Resources) walked.push(userName);
  }
  expect(walked).toHaveLength(TOTAL + 1);
  expect(new Set(walked)).toEqual(seen);
  expect((await scim.get(`/Users?count=1&${filter('userName eq "p19999"')}`)).body.totalResults).toBe(1);
  // Users sign in during the query.
  const user = await realm.user();
  let isOver = false;
  const comparing = scim.get(`/Users?count=1&${filter('title co "T42"')}`).finally(() => {
    isOver = true;
  });
  let signIns = 0;
  do {
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    expect((await browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    signIns++;
  } while (!isOver);
  expect(signIns).toBeGreaterThan(0);
  const compared = await comparing;
  expect(compared.status === 200 ? compared.body.totalResults : compared.body.scimType).toBe(
    compared.status === 200 ? TOTAL / 100 : "tooMany",
  );
});
