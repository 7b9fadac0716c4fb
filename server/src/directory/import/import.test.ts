import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
/** For what is refused before anything happens. */
let untouched: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  untouched = await iam.realm();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

/** A hash of no user's password. */
const HASH = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";

const send = (client: AdminClient, type: string, body: string | Buffer, query = "") =>
  client.post(`/users/import${query && `?${query}`}`, body, { headers: { "content-type": type } });
const json = (client: AdminClient, rows: unknown, query = "") => send(client, "application/json", JSON.stringify(rows), query);
const ndjson = (client: AdminClient, lines: (string | Buffer)[], query = "") =>
  send(client, "application/x-ndjson", Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")])), query);
const csv = (client: AdminClient, text: string | Buffer, query = "") => send(client, "text/csv", text, query);
const start = async () => {
  const realm = await iam.realm();
  return { realm, admin: realm.asMaster() };
};
const find = async (realm: RealmUnderTest, username: string) =>
  (await realm.asMaster().get(`/users?search=${encodeURIComponent(username)}`)).body.find(
    (user: { username: string }) => user.username === username,
  );

describe("the formats", () => {
  const expected = { emailVerified: true, enabled: false, roles: ["auditor", "user"], attributes: { department: "R&D", team: ["a", "b"] } };

  test("a JSON array", async () => {
    const { realm, admin } = await start();
    const report = await json(admin, [
      { username: "ada", email: "ada@example.com", ...expected, createdAt: 1_600_000_000_000 },
      { username: "bob", email: "bøb@bücher.example", attributes: { firstName: "B\u202eob" } },
      { username: "eve", email: "eve@example.com, ada@example.com" },
    ]);
    expect(report).toMatchObject({
      status: 200,
      body: {
        status: "COMPLETED",
        dryRun: false,
        rows: 3,
        created: 2,
        updated: 0,
        skipped: 0,
        failed: 1,
        errors: [{ row: 3 }],
        stopped: null,
      },
    });
    expect(await find(realm, "ada")).toMatchObject({ ...expected, email: "ada@example.com", createdAt: 1_600_000_000_000 });
    expect(await find(realm, "bob")).toMatchObject({
      ...{ email: "bøb@bücher.example", emailVerified: false, enabled: true, roles: ["user"] },
      attributes: { firstName: "Bob" },
    });
  });

  test("NDJSON, with CRLF, blank lines, a byte order mark and no line break at the end", async () => {
    const { realm, admin } = await start();
    const body = '\ufeff{"username":"ada"}\r\n\r\n  \n{"username":"grace","createdAt":"2020-09-13T12:26:40Z"}';
    expect(await send(admin, "application/x-ndjson; charset=utf-8", body)).toMatchObject({ status: 200, body: { rows: 2, created: 2 } });
    expect(await find(realm, "grace")).toMatchObject({ createdAt: 1_600_000_000_000 });
  });

  test("CSV with a byte order mark, CRLF, quotes, lists and line breaks in a field; formulas stay text", async () => {
    const { realm, admin } = await start();
    const body =
      "\ufeffusername,email,emailVerified,enabled,roles,attributes.department,attributes.team,attributes.note\r\n" +
      'ada,ada@example.com,true,no,auditor|user,R&D,a|b,"=HYPERLINK(""http://x"",""y"")\r\nsecond, line"\r\n' +
      "\r\n" +
      "bob,,,,,,,\r\n";
    expect(await csv(admin, body)).toMatchObject({ status: 200, body: { rows: 2, created: 2, failed: 0 } });
    expect(await find(realm, "ada")).toMatchObject({
      ...expected,
      attributes: { ...expected.attributes, note: '=HYPERLINK("http://x","y")\r\nsecond, line' },
    });
    expect(await find(realm, "bob")).toMatchObject({ email: null, enabled: true, roles: ["user"], attributes: {} });
  });

  test.each([
    [";", "%3B"],
    [";", ";"],
    ["\t", "tab"],
  ])("CSV parted by %j as delimiter=%s", async (character, delimiter) => {
    const { realm, admin } = await start();
    const body = `username${character}attributes.a\nada${character}x,y\n`;
    expect(await csv(admin, body, `delimiter=${delimiter}`)).toMatchObject({ status: 200, body: { created: 1 } });
    expect((await find(realm, "ada")).attributes).toEqual({ a: "x,y" });
  });

  test("an empty list imports no user", async () => {
    const { admin } = await start();
    expect(await json(admin, [])).toMatchObject({ status: 200, body: { status: "COMPLETED", rows: 0 } });
  });

  test.each([
    ["application/json", ""],
    ["application/json", '{"username":"ada"}'],
    ["application/json", "[,]"],
    ["application/json", '[{"username":'],
    ["application/x-ndjson", ""],
    ["text/csv", ""],
    ["text/csv", "\n"],
    ["text/csv", Buffer.from("\ufeffusername\n", "utf16le")],
  ])("a body of %s that cannot be read at all is a 400: %j", async (type, body) => {
    expect((await send(untouched.asMaster(), type, body)).status).toBe(400);
    expect(await untouched.events("type=ADMIN_ACTION")).toEqual([]);
  });

  test.each([
    ["email\na@example.com\n", "username"],
    ["username,shoeSize\nada,5\n", "shoeSize"],
    ["username,,email\nada,,\n", "2"],
    ["username,username\nada,5\n", "username"],
    ["username,attributes.__proto__\nada,5\n", "attributes.__proto__"],
    ["username,attributes.\nada,5\n", "attributes."],
  ])("a header that says something else is refused before any row: %j", async (body, field) => {
    expect(await csv(untouched.asMaster(), body)).toMatchObject({
      ...{ status: 400, body: { errors: [{ field }], detail: expect.stringContaining(`The column “${field}” `) } },
    });
    expect(await find(untouched, "ada")).toBeUndefined();
  });

  test("a header with more columns than any user has attributes is refused", async () => {
    const body = `username,${Array.from({ length: 1000 }, (_, at) => `attributes.a${at}`).join(",")}\nada\n`;
    const message = "The header row has at most 1000 columns";
    expect(await csv(untouched.asMaster(), body)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "body", code: "header", message }] },
    });
  });

  test("the message of a refused header names every wrong column", async () => {
    const { body } = await csv(untouched.asMaster(), "username,shoeSize,hat\nada,5,6\n");
    expect(body.detail).toMatch(/^The column “shoeSize” is not known. The column “hat” is not known. Known columns: username, /);
  });

  test.each([
    ["roles", "nobody"],
    ["groups", "/none"],
    ["clientRoles", "none"],
    ["clientRoles", "none/role"],
    ["organizations", "none"],
    ["createdAt", "yesterday"],
    ["totpSecret", "1"],
    ["userId", "none"],
  ])("the message of a refused row names the column %s", async (column, value) => {
    const { body } = await csv(untouched.asMaster(), `username,${column}\nada,${value}\n`, "dryRun=true");
    expect(body.errors).toMatchObject([{ row: 1, line: 2, message: expect.stringMatching(new RegExp(`^${column}\\b`)) }]);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "text/csv; charset=iso-8859-1"])("%s is a 415", async (type) => {
    const answer = await untouched.asMaster().post("/users/import", "username\nada\n", { headers: { "content-type": type } });
    expect(answer.status).toBe(415);
    expect(answer.body.detail).toContain("Send the users");
  });

  test.each(["onConflict=replace", "dryRun=maybe", "importId=a/b", "delimiter=x", "shoe=5"])("?%s is a 400", async (query) => {
    expect((await json(untouched.asMaster(), [], query)).status).toBe(400);
  });
});

describe("a bad row never stops or spoils the others", () => {
  const good = (n: number) => JSON.stringify({ username: `good-${n}`, email: `good-${n}@example.com` });

  test("broken UTF-8, NUL, wrong JSON, a line of 10 MB, prototypes, unknown members, bad values", async () => {
    const { realm, admin } = await start();
    const bad: [string | Buffer, string][] = [
      [Buffer.concat([Buffer.from('{"username":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]), "import.malformed"],
      ['{"username":"nul\\u0000"}', "request.invalid"],
      ['{"username":"half\\ud800"}', "request.invalid"],
      ['{"username":"a"', "import.malformed"],
      [`{"username":"a","attributes":{"long":"${"x".repeat(10 * 1024 * 1024)}"}}`, "import.row_too_large"],
      ['{"username":"a","attributes":{"__proto__":"x"}}', "import.malformed"],
      ['{"username":"a","__proto__":{"enabled":false}}', "import.malformed"],
      ['{"username":"a","shoeSize":5}', "request.invalid"],
      ['{"email":"a@example.com"}', "request.invalid"],
      ['{"username":" a "}', "request.invalid"],
      ['{"username":"a","email":"nowhere"}', "request.invalid"],
      ['{"username":"a","roles":["nobody-knows"]}', "request.invalid"],
      ['{"username":"a","attributes":{"a/b":"x"}}', "request.invalid"],
      ['{"username":"a","requiredActions":["DANCE"]}', "request.invalid"],
      ['{"username":"a","createdAt":"2999-01-01T00:00:00Z"}', "request.invalid"],
      ['{"username":"a","password":"short"}', "password.policy"],
      ['{"username":"a","passwordHash":"plain"}', "import.unknown_hash"],
      ['{"username":"a","passwordHash":"$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA"}', "import.unknown_hash"],
      [`{"username":"a","password":"a fine password","passwordHash":"${HASH}"}`, "request.invalid"],
      ["5", "request.invalid"],
      ["[]", "request.invalid"],
      ["null", "request.invalid"],
      [JSON.stringify({ username: "a", attributes: { x: "y" } }).replace('"y"', `${"[".repeat(40)}${"]".repeat(40)}`), "request.invalid"],
    ];
    const lines = bad.flatMap(([line], n) => [line, good(n)]);
    const { status, body } = await ndjson(admin, lines);
    expect(status).toBe(200);
    expect(body.errors.map(({ row, line, code }: { row: number; line: number; code: string }) => [row, line, code])).toEqual(
      bad.map(([, code], n) => [2 * n + 1, 2 * n + 1, code]),
    );
    expect(body).toMatchObject({ rows: lines.length, created: bad.length, failed: bad.length, errorsTruncated: false });
    expect((await admin.get("/users?search=good-&size=1000")).body).toHaveLength(bad.length);
    expect(await find(realm, "a")).toBeUndefined();
  });

  test("CSV: quotes in the wrong place, too many and too few fields, bad UTF-8, NUL, a bad word", async () => {
    const { admin } = await start();
    const rows: (string | Buffer)[] = [
      "username,enabled",
      "one,true",
      'tw"o,true',
      '"three"x,true',
      "four",
      "five,true,5",
      Buffer.from([0x73, 0x69, 0xff, 0x78, 0x2c]),
      "sev\u0000en,true",
      "eight,perhaps",
      '"nine",true',
    ];
    const { body } = await csv(admin, Buffer.concat(rows.flatMap((row) => [Buffer.from(row), Buffer.from("\n")])));
    expect(body).toMatchObject({ rows: 9, created: 2, failed: 7 });
    expect(body.errors.map(({ row, line }: { row: number; line: number }) => [row, line])).toEqual(
      [2, 3, 4, 5, 6, 7, 8].map((row) => [row, row + 1]),
    );
  });

  test("an unforeseen refusal of the database costs that row only", async () => {
    const { admin } = await start();
    await sql
      .raw(
        `create function refuse_cursed() returns trigger language plpgsql as $$
         begin if new.username = 'cursed' then raise exception 'no' using errcode = '22003'; end if; return new; end $$`,
      )
      .execute(iam.core.db);
    await sql.raw("create trigger cursed before insert on users for each row execute function refuse_cursed()").execute(iam.core.db);
    const { body } = await json(admin, [{ username: "before" }, { username: "cursed" }, { username: "after" }]);
    await sql.raw("drop trigger cursed on users").execute(iam.core.db);
    expect(body).toMatchObject({ rows: 3, created: 2, failed: 1, errors: [{ row: 2, code: "import.not_stored" }] });
  });

  test("JSON that breaks in the middle: what came before stays, and the report says where", async () => {
    const { realm, admin } = await start();
    const text = '[{"username":"ada"},\n {"username":"bob"]},\n {"username":"eve"}]';
    const answer = await send(admin, "application/json", text, "importId=broken");
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "FAILED", rows: 1, created: 1, failed: 0, stopped: { row: 2, line: 2, position: text.indexOf("]") } },
    });
    expect(await find(realm, "ada")).toBeDefined();
    expect((await admin.get("/users/import/broken")).body).toEqual(answer.body);

    const cut = await send(admin, "application/json", '[{"username":"u1"},{"username":"u2', "");
    expect(cut.body).toMatchObject({ status: "FAILED", created: 1, stopped: { row: 2, message: "The body ends inside this row" } });
    const open = await csv(admin, 'username\nu3\n"u4\nu5\n');
    expect(open.body).toMatchObject({ status: "FAILED", created: 1, stopped: { row: 2, line: 3, position: 12 } });
    const more = await send(admin, "application/json", '[{"username":"u6"}] {"username":"u7"}', "");
    expect(more.body).toMatchObject({ status: "FAILED", created: 1, stopped: { row: 2, position: 20 } });
  });

  test("a list of 1,000 refusals is enough; the count goes on", async () => {
    const { admin } = await start();
    const { body } = await ndjson(
      admin,
      Array.from({ length: 1_203 }, () => "{}"),
      "importId=many",
    );
    expect(body).toMatchObject({ rows: 1_203, failed: 1_203, errorsTruncated: true });
    expect(body.errors).toHaveLength(1_000);
    expect(body.errors[999]).toEqual({ row: 1_000, line: 1_000, code: "request.invalid", message: "username is required" });
    expect((await admin.get("/users/import/many")).body.errors).toHaveLength(1_000);
  });
});

describe("names that are taken", () => {
  test("by a user, by an email address, and twice in one file, however far apart", async () => {
    const { admin } = await start();
    await admin.post("/users", { username: "ada", email: "ada@example.com" });
    const rows = [
      { username: "ADA" },
      { username: "someone", email: "Ada@Example.com" },
      { username: "ada@example.com" },
      { username: "bob", email: "bob@example.com" },
      { username: "Bob" },
      { username: "bob@example.com" },
      { username: "carl", email: "bob@example.com" },
      { username: "dora@example.com", email: "DORA@example.com" },
      ...Array.from({ length: 600 }, (_, n) => ({ username: `filler-${n}` })),
      { username: "ｂｏｂ" },
    ];
    const { body } = await json(admin, rows);
    const refused = [1, 2, 3, 5, 6, 7, 609];
    expect(body).toMatchObject({ rows: 609, created: 602, failed: refused.length });
    expect(body.errors.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual(
      refused.map((row) => [row, "users.login_name_taken"]),
    );
  });

  test("are left alone by onConflict=skip", async () => {
    const { realm, admin } = await start();
    await admin.post("/users", { username: "ada", email: "ada@example.com" });
    const { body } = await json(
      admin,
      [{ username: "ada", enabled: false }, { username: "x", email: "ada@example.com" }, { username: "new" }],
      "onConflict=skip",
    );
    expect(body).toMatchObject({ rows: 3, created: 1, skipped: 2, failed: 0 });
    expect(await find(realm, "ada")).toMatchObject({ enabled: true });
  });

  test("two imports of the same people at once: each user once, none incomplete", async () => {
    const { admin } = await start();
    const rows = Array.from({ length: 300 }, (_, n) => ({ username: `twin-${n}`, email: `twin-${n}@example.com`, passwordHash: HASH }));
    const [one, other] = await Promise.all([json(admin, rows), json(admin, [...rows].reverse())]);
    expect(one.body.created + other.body.created).toBe(300);
    expect(one.body.failed + other.body.failed).toBe(300);
    expect(
      (await admin.get("/users?search=twin-&size=1000")).body.filter((user: { roles: string[] }) => user.roles.length === 1),
    ).toHaveLength(300);
  });
});

describe("a dry run", () => {
  test("says what would happen and leaves nothing behind", async () => {
    const { realm, admin } = await start();
    await admin.post("/users", { username: "ada" });
    const before = (await admin.get("/users")).body;
    const rows = [
      { username: "ada", enabled: false },
      { username: "bob", password: "a fine password" },
      {},
      { username: "eve", password: "x" },
      ...Array.from({ length: 600 }, (_, n) => ({ username: `filler-${n}` })),
      { username: "BOB" },
    ];
    const dry = await json(admin, rows, "dryRun=true&onConflict=update&importId=dry");
    expect(dry).toMatchObject({
      status: 200,
      body: { importId: null, dryRun: true, status: "COMPLETED", created: 601, updated: 2, failed: 2 },
    });
    expect((await json(admin, rows, "dryRun=true")).body).toMatchObject({ created: 601, updated: 0, failed: 4 });
    expect((await admin.get("/users")).body).toEqual(before);
    expect((await admin.get("/users/import/dry")).status).toBe(404);
    expect(await realm.events("type=ADMIN_ACTION")).toEqual([]);
    expect((await json(admin, rows, "onConflict=update")).body).toMatchObject({ created: 601, updated: 2, failed: 2 });
  });
});

describe("passwords", () => {
  test("plain ones are hashed, ready ones are taken as they are, and none is revealed", async () => {
    const { realm, admin } = await start();
    const { body, text } = await json(admin, [
      { username: "plain", password: "correct horse battery" },
      { username: "ready", passwordHash: await iam.core.hasher.hash("staple and more") },
      { username: "refused", password: "refused" },
    ]);
    expect(body).toMatchObject({ created: 2, failed: 1, errors: [{ row: 3, code: "password.policy" }] });
    await iam.browser().signIn(realm.name, "plain", "correct horse battery");
    await iam.browser().signIn(realm.name, "ready", "staple and more");
    expect(text + iam.output.join("")).not.toMatch(/correct horse|staple/);
  });

  test("required actions are kept", async () => {
    const { realm, admin } = await start();
    await csv(admin, "username,requiredActions\nada,UPDATE_PASSWORD|VERIFY_EMAIL\n");
    const { userId } = await find(realm, "ada");
    const row = await iam.core.db
      .selectFrom("users")
      .select("required_actions" as never)
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ required_actions: ["UPDATE_PASSWORD", "VERIFY_EMAIL"] });
  });
});

test("leaves one event with its counts, and no name in what is kept of it", async () => {
  const { realm } = await start();
  const admin = await realm.as("manage-users", "view-users");
  await json(admin, [{ username: "ada" }, { username: "ada" }, {}], "importId=first");
  expect(await realm.events("type=ADMIN_ACTION")).toMatchObject([
    {
      actor: admin.username,
      resourceType: "users",
      resourceId: "first",
      outcome: "SUCCESS",
      detail: "import COMPLETED: 3 rows, 1 created, 0 updated, 0 skipped, 2 failed",
    },
  ]);
  expect(await realm.events("type=ADMIN_CREATE&resourceType=users&actor=holder0")).toEqual([]);
  const kept = await admin.get("/users/import/first");
  expect(kept).toMatchObject({ status: 200, body: { importId: "first", status: "COMPLETED", rows: 3 } });
  expect(kept.text).not.toMatch(/\bada\b/);
});
