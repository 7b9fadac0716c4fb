import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { askedQueries } from "../../testing/asked-queries.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { listUsers } from "./list.store.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("view-users");
});
afterAll(() => iam?.close());

type Listed = { username: string; userId: string; email: string | null; createdAt: number };
const names = (users: Listed[]) => users.map(({ username }) => username);

/** Follows `Link rel=next` to the end. */
async function walk(path: string): Promise<Listed[]> {
  const seen: Listed[] = [];
  for (let url: string | undefined = path; url; ) {
    const page = await admin.get(url);
    expect(page.status, page.text).toBe(200);
    seen.push(...page.body);
    url = /<\/admin\/realms\/[^/]+([^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1];
  }
  return seen;
}

describe("over many users", () => {
  // Names and email addresses interleave, share prefixes, and some have none.
  const people = Array.from({ length: 230 }, (_, i) => ({
    username: i % 3 === 0 ? `mix${String(i).padStart(3, "0")}` : `zed${String(229 - i).padStart(3, "0")}`,
    email: i % 5 === 0 ? null : i % 2 === 0 ? `mix${String(i).padStart(3, "0")}@example.com` : `other${i}@example.com`,
  }));
  beforeAll(async () => {
    for (const [i, { username, email }] of people.entries()) {
      const id = newId();
      await sql`insert into users (realm_id, user_id, username, username_key, email, email_key, created_at)
        values (${realm.name}, ${id}, ${username}, ${username}, ${email}, ${email}, ${1000 + (i % 7)})`.execute(iam.core.db);
      await sql`insert into login_names (realm_id, key, user_id) select ${realm.name}, k, ${id}::uuid
        from unnest(array_remove(array[${username}::text, ${email}::text], null)) k`.execute(iam.core.db);
    }
  });

  test.each(["username", "-username", "email", "-email", "createdAt", "-createdAt"])(
    "walks by sort=%s, each user once and in order",
    async (sort) => {
      const seen = await walk(`/users?sort=${sort}&size=17`);
      expect(new Set(seen.map(({ userId }) => userId)).size).toBe(seen.length);
      expect(seen.length).toBe(people.length + 2);
      const field = sort.replace("-", "") as "username" | "email" | "createdAt";
      const values = seen.map((user) => user[field] ?? "");
      const sorted = [...values].sort((a, b) => (typeof a === "number" ? a - Number(b) : a < b ? -1 : a > b ? 1 : 0));
      expect(values).toEqual(sort.startsWith("-") ? sorted.reverse() : sorted);
    },
  );

  test("pages by number, too, and says how many there are", async () => {
    const all = await walk("/users?size=1000");
    const third = await admin.get("/users?size=50&page=3");
    expect(names(third.body)).toEqual(names(all.slice(150, 200)));
    expect(third.headers["x-total-count"]).toBe(String(all.length));
    expect(third.headers["x-total-estimated"]).toBeUndefined();
    expect(String(third.headers.link)).toMatch(/rel="first".*rel="prev".*rel="next"/);
    expect((await admin.get("/users?size=50&page=4")).headers.link).not.toContain('rel="next"');
    expect((await admin.get("/users?size=50&page=99")).body).toEqual([]);
    expect((await admin.get("/users")).body).toHaveLength(100);
  });

  test.each(["mix", "MIX0", "zed", "other", "mix000", "zzz"])(
    "a search for %s finds each match once, in order of what matched, and counts them",
    async (search) => {
      const prefix = search.toLowerCase();
      const matched = (user: { username: string; email: string | null }) =>
        [user.username, user.email ?? ""].filter((text) => text.startsWith(prefix)).sort()[0];
      const expected = people.filter(matched).sort((a, b) => (matched(a)! < matched(b)! ? -1 : 1));
      const seen = await walk(`/users?search=${search}&size=11`);
      expect(names(seen)).toEqual(expected.map(({ username }) => username));
      expect((await admin.get(`/users?search=${search}&size=1`)).headers["x-total-count"]).toBe(String(expected.length));
      const sorted = await walk(`/users?search=${search}&sort=-username&size=11`);
      expect(names(sorted)).toEqual(
        expected
          .map(({ username }) => username)
          .sort()
          .reverse(),
      );
    },
  );
});

describe("search", () => {
  test("takes LIKE's characters for what they are", async () => {
    for (const username of ["100%", "100_x", "100\\y", "100z"]) await realm.asMaster().post("/users", { username });
    const found = async (search: string) => names((await admin.get(`/users?search=${encodeURIComponent(search)}`)).body);
    expect(await found("100%")).toEqual(["100%"]);
    expect(await found("100_")).toEqual(["100_x"]);
    expect(await found("100\\")).toEqual(["100\\y"]);
    expect((await found("100")).sort()).toEqual(["100%", "100\\y", "100_x", "100z"]);
    for (const search of ["%", "_", "\\", "'", "' or 1=1 --"]) expect(await found(search), search).toEqual([]);
  });

  test("is for starts, in any case and Unicode form; ids are found whole", async () => {
    const { userId } = (await realm.asMaster().post("/users", { username: "Çelik", email: "celik@mail.example" })).body;
    const found = async (search: string) => names((await admin.get(`/users?search=${encodeURIComponent(search)}`)).body);
    for (const search of ["Çel", "c\u0327EL", "ÇELIK", "CELIK@mail", userId, userId.toUpperCase()])
      expect(await found(search), search).toEqual(["Çelik"]);
    for (const search of ["elik", "mail.example", userId.slice(0, -1), userId.slice(0, 8), newId()])
      expect(await found(search), search).toEqual([]);
    const byId = (await realm.asMaster().post("/users", { username: `${userId}` })).body;
    expect((await found(userId)).sort()).toEqual([byId.username, "Çelik"]);
  });

  test("finds people by first, last and full name, once each, in any case and script", async () => {
    const people: readonly (readonly [username: string, attributes: Record<string, unknown>])[] = [
      ["m1", { firstName: "Ada", lastName: "Mackintosh" }],
      ["m2", { firstName: "\u00c9milie", lastName: "Mackenzie" }],
      ["mack", { firstName: "Mack", lastName: "Mack", middleName: "Otto" }],
      ["m3", { lastName: "Мария" }],
      ["m4", { firstName: "\u0130pek" }],
      ["m5", { firstName: "x".repeat(300) }],
      ["mackay", {}],
    ];
    for (const [username, attributes] of people)
      expect((await realm.asMaster().post("/users", { username, attributes })).status, username).toBe(201);
    const found = async (search: string, more = "") => names((await admin.get(`/users?search=${encodeURIComponent(search)}${more}`)).body);
    expect(await found("mackin")).toEqual(["m1"]);
    expect(await found("ADA mack")).toEqual(["m1"]);
    expect(await found("Mackintosh a")).toEqual(["m1"]);
    for (const search of ["\u00e9mil", "E\u0301MIL", "\u00c9MILIE MACK"]) expect(await found(search), search).toEqual(["m2"]);
    expect(await found("мАР")).toEqual(["m3"]);
    expect(await found("\u0130PEK")).toEqual(["m4"]);
    expect(await found(`${"X".repeat(150)}`)).toEqual(["m5"]);
    for (const search of ["intosh", "Otto", "Ada  Mack", "["]) expect(await found(search), search).toEqual([]);
    // In the order of what matched: mack, mackay, mackenzie émilie, mackintosh ada.
    const all = ["mack", "mackay", "m2", "m1"];
    expect(await found("mack")).toEqual(all);
    expect(names(await walk("/users?search=mack&size=1"))).toEqual(all);
    expect((await admin.get("/users?search=mack&size=1")).headers["x-total-count"]).toBe("4");
    expect(await found("mack", "&sort=-username")).toEqual([...all].sort().reverse());
    expect(await found("mack", "&enabled=true&role=user")).toEqual(all);

    const { userId, ...one } = (await admin.get("/users?search=mackin")).body[0];
    await realm.asMaster().put(`/users/${userId}`, { ...one, attributes: { firstName: "Ada", lastName: "Lovelace" } });
    expect(await found("mackin")).toEqual([]);
    expect(await found("lovelace")).toEqual(["m1"]);
  });

  // Ten thousand rows take the embedded database long.
  test.runIf(testDatabase() === "postgres")("reads the indexes of names, and not the realm's users", async () => {
    const crowd = await iam.realm();
    const { db } = iam.core;
    await sql`insert into users (realm_id, user_id, username, username_key, created_at, attributes)
      select ${crowd.name}, gen_random_uuid(), 'c' || n, 'c' || n, n, jsonb_build_object('firstName', 'First' || n, 'lastName', 'Last' || n)
      from generate_series(1, 10001) n`.execute(db);
    // References are looked up by a plan that is made before.
    await sql`analyze users`.execute(db);
    await sql`insert into login_names (realm_id, key, user_id) select realm_id, username_key, user_id from users
      where realm_id = ${crowd.name} and username_key ~ '^c[0-9]'`.execute(db);
    await sql`analyze users, login_names`.execute(db);
    const { watched, clear, texts, plans } = askedQueries(db);
    for (const search of ["first77", "first", "last9999 f"]) {
      const { rows, total } = await listUsers(watched, crowd.name, { search, size: 5 }, 0);
      expect(rows.length, search).toBe(search === "last9999 f" ? 1 : 5);
      if (search === "first") expect(total).toBeGreaterThan(10_000);
    }
    const made = (await plans()).join();
    clear();
    await sql`update users set email_verified = true where realm_id = ${crowd.name} and username_key = 'c77'`.execute(db);
    const verified = await listUsers(watched, crowd.name, { search: "first", emailVerified: true }, 0);
    expect([verified.rows.map(({ username }) => username), verified.total]).toEqual([["c77"], 1]);
    expect(texts().join(), "few are compared; names are not walked").not.toContain("login_names");
    expect(made).toContain("users_by_first_name");
    expect(made).toContain("users_by_last_name");
    expect(made.match(/Seq Scan on (users|login_names)/g)).toBeNull();
  });

  test("stays in the realm", async () => {
    const other = await iam.realm();
    const { userId } = await other.user("outsider-in-town");
    expect((await admin.get("/users?search=outsider")).body).toEqual([]);
    expect((await admin.get(`/users?search=${userId}`)).body).toEqual([]);
    expect(names(await walk("/users?size=1000"))).not.toContain("outsider-in-town");
  });
});

describe("refuses", () => {
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  test.each([
    ["size=0", "size"],
    ["size=1001", "size"],
    ["size=x", "size"],
    ["page=-1", "page"],
    ["page=11&size=1000", "page"],
    ["sort=constructor", "sort"],
    ["sort=__proto__", "sort"],
    ["sort=password", "sort"],
    ["sort=--username", "sort"],
    ["sort=match&search=a", "sort"],
    ["unheard=1", "unheard"],
    ["search=%00", "search"],
    [`search=${"x".repeat(321)}`, "search"],
    ["cursor=x", "cursor"],
    [`cursor=${cursor(["createdAt", 5, newId()])}`, "cursor"],
    [`cursor=${cursor(["username", "a", "not an id"])}`, "cursor"],
    [`cursor=${cursor(["username", "\u0000", newId()])}`, "cursor"],
    [`cursor=${cursor(["username", {}, newId()])}`, "cursor"],
    [`sort=createdAt&cursor=${cursor(["createdAt", "abc", newId()])}`, "cursor"],
    [`sort=createdAt&cursor=${cursor(["createdAt", 1e300, newId()])}`, "cursor"],
  ])("%s with a 400 that names it", async (query, field) => {
    expect(await admin.get(`/users?${query}`)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});
