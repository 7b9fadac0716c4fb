import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = realm.asMaster();
});
afterAll(() => iam?.close());

const taken = { status: 409, body: { code: "users.login_name_taken" } };
let count = 0;
const name = (text = "n") => `${text}${count++}`;

describe("one namespace for usernames and email addresses", () => {
  test.each([
    ["another letter case", "Ärger", "äRGER"],
    ["NFC and NFD", "Zo\u00eb", "Zoe\u0308"],
    ["full width", "ａｄａ", "ADA"],
    ["a ligature", "ﬁnn", "FINN"],
    ["the Kelvin sign", "\u212Aelly", "kelly"],
    ["long s", "ſam", "SAM"],
    ["the capital sharp s", "Straẞe", "straße"],
    ["Roman numerals", "louis\u2163", "LouisIV"],
    ["a superscript", "x\u00b2", "X2"],
  ])("folds %s: %s and %s are one", async (_what, first, second) => {
    const suffix = name("");
    expect((await admin.post("/users", { username: first + suffix })).body.username).toBe(first + suffix);
    expect(await admin.post("/users", { username: second + suffix })).toMatchObject(taken);
  });

  test.each([
    ["ß is not ss: lower case, not case folding", "straße", "strasse"],
    ["a Cyrillic а is another letter", "ada", "\u0430da"],
    ["an accent counts", "zoe", "zoë"],
    ["a dotless i counts", "ilk", "ılk"],
  ])("%s: %s and %s are two", async (_what, first, second) => {
    const suffix = name("");
    for (const username of [first, second]) expect((await admin.post("/users", { username: username + suffix })).status).toBe(201);
  });

  test("an email address cannot be another's username, nor the other way round, in any case", async () => {
    const mail = `${name("mail")}@example.com`;
    await admin.post("/users", { username: mail.toUpperCase() });
    const other = await admin.post("/users", { username: name(), email: mail });
    expect(other).toMatchObject(taken);
    const second = `${name("mail")}@example.com`;
    const owner = (await admin.post("/users", { username: name(), email: second })).body;
    expect(await admin.post("/users", { username: second.toUpperCase() })).toMatchObject(taken);
    expect(await admin.post("/users", { username: name(), email: second.toUpperCase() })).toMatchObject(taken);
    const third = (await admin.post("/users", { username: name() })).body;
    expect(await admin.put(`/users/${third.userId}`, { ...third, email: second.toUpperCase() })).toMatchObject(taken);
    expect(await admin.put(`/users/${third.userId}`, { ...third, username: owner.username })).toMatchObject(taken);
    expect((await admin.get(`/users/${third.userId}`)).body).toEqual(third);
  });

  test("one's own username may be one's email address; both are freed with the user", async () => {
    const mail = `${name("own")}@example.com`;
    const { userId } = (await admin.post("/users", { username: mail, email: mail })).body;
    expect((await admin.delete(`/users/${userId}`)).status).toBe(204);
    expect((await admin.post("/users", { username: mail })).status).toBe(201);
  });

  test("the same names in another realm are another's business", async () => {
    const username = name();
    const other = (await iam.realm()).asMaster();
    expect((await admin.post("/users", { username })).status).toBe(201);
    expect((await other.post("/users", { username })).status).toBe(201);
  });

  test("ten creations of one name at once: one wins", async () => {
    const username = name();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => admin.post("/users", { username: i % 2 ? username : username.toUpperCase() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test("two users who swap names at once never leave a name with two owners, or none", async () => {
    const [a, b] = [(await admin.post("/users", { username: name("a") })).body, (await admin.post("/users", { username: name("b") })).body];
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        admin.put(`/users/${a.userId}`, { ...a, username: b.username }),
        admin.put(`/users/${b.userId}`, { ...b, username: a.username }),
      ]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      const { rows } = await sql<{ key: string; username: string }>`
        select n.key, u.username from login_names n join users u on u.realm_id = n.realm_id and u.user_id = n.user_id
        where n.realm_id = ${realm.name} and n.user_id in (${a.userId}, ${b.userId})`.execute(iam.core.db);
      expect(rows.map(({ key }) => key).sort()).toEqual([a.username, b.username].sort());
      for (const { key, username } of rows) expect(key).toBe(username.toLowerCase());
    }
  });

  test("both names sign in, as they were typed or otherwise", async () => {
    const made = await realm.user(name("Log"), "a password for this");
    const email = `${made.username}@Example.com`;
    await admin.patch(`/users/${made.userId}`, { email });
    for (const typed of [made.username, made.username.toUpperCase(), email, email.toLowerCase()])
      expect((await iam.browser().trySignIn(realm.name, typed, made.password)).status, typed).toBe(303);
    await admin.patch(`/users/${made.userId}`, { username: name("other"), email: null });
    expect((await iam.browser().trySignIn(realm.name, email, made.password)).status).toBe(401);
  });
});

test("an address has letters of any script; names keep what can be seen", async () => {
  const one = `é.${name("x")}@bücher.example`;
  const attributes = { firstName: "A\u202eda", lastName: ["Love\u200blace", "\u202e"], nickname: "\u2066", badge: "\u202e7" };
  const made = await admin.post("/users", { username: name("idn"), email: one, attributes });
  expect(made).toMatchObject({ status: 201, body: { email: one } });
  expect(made.body.attributes).toEqual({ firstName: "Ada", lastName: ["Lovelace"], badge: "\u202e7" });
  expect((await admin.put(`/users/${made.body.userId}`, made.body)).status, "as it was shown").toBe(200);
  expect(await admin.post("/users", { username: name("y"), email: one.toUpperCase() })).toMatchObject({ status: 409 });
  expect((await admin.get(`/users?email=${encodeURIComponent(one)}`)).body).toMatchObject([{ email: one }]);
  expect((await admin.get(`/users?search=${encodeURIComponent(one.slice(0, -9))}`)).body).toMatchObject([{ email: one }]);
});

describe("bad input", () => {
  test.each<[string, object, string]>([
    ["no username", {}, "username"],
    ["an empty username", { username: "" }, "username"],
    ["a username of spaces", { username: "  " }, "username"],
    ["a space at the end", { username: "ada " }, "username"],
    ["a newline", { username: "a\nb" }, "username"],
    ["an invisible character", { username: "a\u200bb" }, "username"],
    ["a selector of variants", { username: "admin\ufe0f" }, "username"],
    ["a filler", { username: "admin\u3164" }, "username"],
    ["a joiner of graphemes", { username: "ad\u034fmin" }, "username"],
    ["the blank of Braille", { username: "\u2800" }, "username"],
    ["a line separator", { username: "a\u2028b" }, "username"],
    ["a change of direction", { username: "a\u202eb" }, "username"],
    ["NUL", { username: "a\u0000b" }, "username"],
    ["half of a surrogate pair", { username: "a\ud800b" }, "username"],
    ["256 characters", { username: "a".repeat(256) }, "username"],
    ["a megabyte", { username: "a".repeat(1_000_000) }, "username"],
    ["a megabyte of spaces", { username: `a${" ".repeat(1_000_000)}` }, "username"],
    ["a number", { username: 5 }, "username"],
    ["an email address without a domain", { username: "x", email: "a@" }, "email"],
    ["an email address with a compatibility character", { username: "x", email: "ⓐ@example.com" }, "email"],
    ["an email address with quotes", { username: "x", email: '"a b"@example.com' }, "email"],
    ["an empty email address", { username: "x", email: "" }, "email"],
    ["a megabyte of email address", { username: "x", email: `a@${"a-".repeat(490_000)}` }, "email"],
    ["an email address with a newline", { username: "x", email: "a@example.com\nBcc: b@example.com" }, "email"],
    ["enabled as text", { username: "x", enabled: "true" }, "enabled"],
    ["enabled null", { username: "x", enabled: null }, "enabled"],
    ["a list of attributes", { username: "x", attributes: [] }, "attributes"],
    ["a number as attribute", { username: "x", attributes: { age: 5 } }, "attributes.age"],
    ["an object as attribute", { username: "x", attributes: { a: {} } }, "attributes.a"],
    ["an attribute with a strange name", { username: "x", attributes: { "a b": "c" } }, "attributes.a b"],
    ["an attribute with an endless name", { username: "x", attributes: { [`${"a".repeat(129)}`]: "c" } }, `attributes.${"a".repeat(129)}`],
    ["an attribute of 4097 characters", { username: "x", attributes: { a: "x".repeat(4097) } }, "attributes.a"],
    ["101 values", { username: "x", attributes: { a: Array(101).fill("x") } }, "attributes.a"],
    [
      "101 attributes",
      { username: "x", attributes: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a${i}`, "x"])) },
      "attributes",
    ],
    ["a NUL in an attribute", { username: "x", attributes: { a: ["ok", "\u0000"] } }, "attributes.a.1"],
    ["an unknown role", { username: "x", roles: ["nobody"] }, "roles"],
    ["a role that is no text", { username: "x", roles: [5] }, "roles.0"],
    ["its own id", { username: "x", userId: "01900000-0000-7000-8000-000000000000" }, "userId"],
    ["a password that is no text", { username: "x", password: 5 }, "password"],
    ["locked", { username: "x", locked: false }, "locked"],
  ])("%s is a 400 that names the member", async (_what, body, field) => {
    const before = (await admin.get("/users?size=1")).headers["x-total-count"];
    const answer = await admin.post("/users", body);
    expect(answer).toMatchObject({ status: 400, body: { code: "request.invalid" } });
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
    expect((await admin.get("/users?size=1")).headers["x-total-count"]).toBe(before);
  });

  test("two megabytes are a 413, other media a 415, broken JSON and prototype tricks a 400", async () => {
    expect((await admin.post("/users", { username: "a".repeat(2_000_000) })).status).toBe(413);
    const raw = (payload: string, type = "application/json") => admin.post("/users", payload, { headers: { "content-type": type } });
    expect((await raw("<user/>", "application/xml")).status).toBe(415);
    expect((await raw('{"username": "x"')).status).toBe(400);
    for (const trick of ['{"username": "x", "__proto__": {"enabled": false}}', '{"username": "x", "attributes": {"__proto__": "y"}}'])
      expect(await raw(trick)).toMatchObject({ status: 400, body: { detail: expect.stringContaining("__proto__") } });
    expect((await raw('["x"]')).status).toBe(400);
    expect((await raw("null")).status).toBe(400);
    expect((await raw("")).status).toBe(400);
  });

  test("attributes keep names that JavaScript knows, and every text", async () => {
    const attributes = { constructor: "x", toString: ["y", "", "𝔘𝔫𝔦 \u{1F600}"], firstName: "Ada", "a.b:c-d_e": "z" };
    const { body } = await admin.post("/users", { username: name(), attributes });
    expect((await admin.get(`/users/${body.userId}`)).body.attributes).toEqual(attributes);
  });
});
