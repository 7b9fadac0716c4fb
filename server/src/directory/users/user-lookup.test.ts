import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let looker: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  looker = await realm.as("view-users");
  const other = await iam.realm();
  const long = "x".repeat(4096);
  for (const user of [
    { username: "Ada", email: "Ada@Example.com", emailVerified: true, attributes: { team: "red", "urn:x": "a:b", long } },
    { username: "adam", email: "adam@example.com", attributes: { team: ["blue", "red"], city: "Ulm" } },
    { username: "bob", attributes: { team: "Red", city: "Ulm", quote: 'it\'s "x" \\ 100%' } },
  ])
    expect((await realm.asMaster().post("/users", user)).status).toBe(201);
  await other.asMaster().post("/users", { username: "ada", email: "ada@example.com", attributes: { team: "red" } });
});
afterAll(() => iam?.close());

const found = async (query: Record<string, string> | [string, string][]) => {
  const answer = await looker.get(`/users?${new URLSearchParams(query)}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers["x-total-count"]).toBe(String(answer.body.length));
  return answer.body.map(({ username }: { username: string }) => username);
};

describe("exact look-up", () => {
  test("by username and mail: the whole value, in any letter case", async () => {
    expect(await found({ username: "ADA" })).toEqual(["Ada"]);
    expect(await found({ username: "ad" })).toEqual([]);
    expect(await found({ email: "ada@EXAMPLE.com" })).toEqual(["Ada"]);
    expect(await found({ email: "ada@example" })).toEqual([]);
    expect(await found({ email: " " }), "not those without an address").toEqual([]);
    expect(await found({ username: "ada", email: "adam@example.com" })).toEqual([]);
    expect(await found({ emailVerified: "true" })).toEqual(["Ada"]);
    expect(await found({ emailVerified: "false", sort: "-username", search: "adam" })).toEqual(["adam"]);
  });

  test("by attribute: a value alone or in a list, exactly, and all requested ones", async () => {
    expect(await found({ attribute: "team:red" })).toEqual(["Ada", "adam"]);
    expect(await found({ attribute: "team:Red" })).toEqual(["bob"]);
    expect(await found({ attribute: "team:re" })).toEqual([]);
    expect(await found({ attribute: "team:" })).toEqual([]);
    expect(await found({ attribute: "city:red" })).toEqual([]);
    expect(
      await found([
        ["attribute", "team:red"],
        ["attribute", "city:Ulm"],
      ]),
    ).toEqual(["adam"]);
    expect(await found({ attribute: "urn\\:x:a:b" })).toEqual(["Ada"]);
    expect(await found({ attribute: "urn:x:a:b" })).toEqual([]);
    expect(await found({ attribute: 'quote:it\'s "x" \\ 100%' })).toEqual(["bob"]);
    expect(await found({ attribute: `long:${"x".repeat(4096)}` })).toEqual(["Ada"]);
    expect(await found({ attribute: "team:red", sort: "-username", emailVerified: "false" })).toEqual(["adam"]);
    expect(await found({ attribute: "__proto__:x" })).toEqual([]);
  });

  test.each(["attribute=team", "attribute=:red", "username=", "email=", "emailVerified=maybe", "phone=1"])(
    "refuses %s and names it",
    async (query) => {
      const answer = await looker.get(`/users?${query}`);
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, query.split("=")[0]]);
    },
  );

  test("follows a change of the attribute", async () => {
    const carol = (await realm.asMaster().post("/users", { username: "carol", attributes: { badge: "1" } })).body;
    await realm.asMaster().put(`/users/${carol.userId}`, { ...carol, attributes: { badge: "2" } });
    expect(await found({ attribute: "badge:1" })).toEqual([]);
    expect(await found({ attribute: "badge:2" })).toEqual(["carol"]);
  });

  // Twenty thousand rows take the embedded database a quarter of a minute.
  test.runIf(testDatabase() === "postgres")("reads an attribute's index, and not the realm's users", async () => {
    await sql`insert into users (realm_id, user_id, username, username_key, created_at, attributes)
      select ${realm.name}, gen_random_uuid(), 'many' || n, 'many' || n, n, jsonb_build_object('n', n::text, 'all', 'yes') from generate_series(1, 20001) n`.execute(
      iam.core.db,
    );
    await sql`analyze users`.execute(iam.core.db);
    const plan = await sql<{ "QUERY PLAN": string }>`explain select user_id from users where realm_id = ${realm.name}
      and user_attribute_keys(realm_id, attributes) @> array[hashtextextended((${realm.name}::text || chr(1) || 'n' || chr(1) || '77') collate "C", 0)]`.execute(
      iam.core.db,
    );
    expect(JSON.stringify(plan.rows)).toContain("users_by_attribute");
    expect(await found({ attribute: "n:77" })).toEqual(["many77"]);
    const shared = await looker.get("/users?attribute=all:yes&attribute=n:9&size=2");
    expect(shared.body).toMatchObject([{ username: "many9" }]);
    expect((await looker.get("/users?attribute=all:yes&size=2")).body).toMatchObject([{ username: "many1" }, { username: "many10" }]);
  });
});
