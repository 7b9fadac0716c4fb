// The subscriptions themselves: what may be saved, what is shown, who may. Sending is in delivery.test.ts.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  anyone = await (await iam.realm()).admin();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

type Admin = Awaited<ReturnType<RealmUnderTest["admin"]>>;
/** For what is refused, and so leaves nothing behind. */
let anyone: Admin;

// No sign-in fails here, so nothing is ever sent there.
const hook = { name: "billing", url: "https://hooks.example.com/in", eventTypes: "LOGIN_FAILURE", enabled: true };
const SECRET = "hunter2-hunter2-hunter2";

describe("a webhook", () => {
  test("is created, read, listed, changed and deleted, each with its event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const created = await admin.post("/webhooks", { ...hook, secret: SECRET });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...hook,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      realmId: realm.name,
      secret: null,
      secretSet: true,
      createdAt: expect.any(Number),
      previousSecretUntil: null,
    });
    const { id } = created.body;
    const read = await admin.get(`/webhooks/${id}`);
    expect(read).toMatchObject({ status: 200, body: created.body });
    expect([created.headers.etag, read.headers.etag]).toEqual(['"1"', expect.stringMatching(/^"1\.[\w-]+"$/)]);
    const list = await admin.get("/webhooks");
    expect(list).toMatchObject({ status: 200, body: [created.body], headers: { "x-total-count": "1" } });
    const changed = await admin.put(`/webhooks/${id}`, { ...hook, name: "invoices", eventTypes: "*", enabled: false });
    expect(changed).toMatchObject({ status: 200, body: { name: "invoices", eventTypes: "*", enabled: false, secretSet: true } });
    expect(changed.headers.etag).not.toBe(created.headers.etag);
    expect((await admin.delete(`/webhooks/${id}`)).status).toBe(204);
    expect((await admin.get(`/webhooks/${id}`)).status).toBe(404);
    const events = await realm.events("resourceType=webhooks");
    expect(events.map(({ type, resourceId, actor }) => ({ type, resourceId, actor }))).toEqual(
      ["ADMIN_DELETE", "ADMIN_UPDATE", "ADMIN_CREATE"].map((type) => ({ type, resourceId: id, actor: admin.username })),
    );
  });

  test("is on and without a secret unless it says otherwise", async () => {
    const { enabled: _, ...rest } = hook;
    expect((await anyone.post("/webhooks", rest)).body).toMatchObject({ enabled: true, secret: null, secretSet: false });
  });

  test("is changed and deleted only in the version that was seen", async () => {
    const admin = await (await iam.realm()).admin();
    const created = await admin.post("/webhooks", hook);
    const path = `/webhooks/${created.body.id}`;
    const seen = { headers: { "if-match": String(created.headers.etag) } };
    expect((await admin.put(path, { ...hook, name: "first" }, seen)).status).toBe(200);
    expect((await admin.put(path, { ...hook, name: "second" }, seen)).status).toBe(412);
    expect((await admin.post(`${path}/rotate-secret`, {}, seen)).status).toBe(412);
    expect((await admin.delete(path, seen)).status).toBe(412);
    expect((await admin.get(path)).body.name).toBe("first");
  });

  test("shows no deliveries of an event type that does not exist", async () => {
    const admin = await (await iam.realm()).admin();
    const { id } = (await admin.post("/webhooks", hook)).body;
    for (const type of ["NO_SUCH_TYPE", ""])
      expect(await admin.get(`/webhooks/${id}/deliveries?eventType=${type}`)).toMatchObject({
        status: 400,
        body: { errors: [{ field: "eventType" }] },
      });
  });

  test("lists by name and by age, searches by prefix and id, a page at a time", async () => {
    const admin = await (await iam.realm()).admin();
    const ids: string[] = [];
    for (const name of ["b%", "Ba", "a", "c"]) ids.push((await admin.post("/webhooks", { ...hook, name })).body.id);
    const names = async (query: string) => (await admin.get(`/webhooks?${query}`)).body.map(({ name }: { name: string }) => name);
    expect(await names("sort=name")).toEqual(["a", "b%", "Ba", "c"]);
    expect(await names("sort=-createdAt")).toEqual(["c", "a", "Ba", "b%"]);
    expect(await names("search=B")).toEqual(["b%", "Ba"]);
    expect(await names("search=b%25")).toEqual(["b%"]);
    expect(await names(`search=${ids[3]}`)).toEqual(["c"]);
    expect(await names("search=%27%20or%201=1--")).toEqual([]);
    const first = await admin.get("/webhooks?size=3");
    expect(first.headers["x-total-count"]).toBe("4");
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1];
    expect((await admin.browser.get(next!)).body.map(({ name }: { name: string }) => name)).toEqual(["c"]);
    expect(await names("page=9")).toEqual([]);
    expect((await admin.get("/webhooks?sort=url")).status).toBe(400);
  });
});

describe("a secret", () => {
  test("stays with the scheme, host and port of its address, unless the request brings it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const { body } = await admin.post("/webhooks", { ...hook, secret: SECRET });
    await admin.post(`/webhooks/${body.id}/rotate-secret`, { overlapSeconds: 600 });
    const { previousSecretUntil: _, ...read } = (await admin.get(`/webhooks/${body.id}`)).body;
    const put = (change: object) => admin.put(`/webhooks/${body.id}`, { ...read, ...change });
    const { origin } = new URL(hook.url);
    expect((await put({ url: `${origin}/another/path` })).body.secretSet).toBe(true);
    for (const url of ["https://evil.example/", `${origin}:8443/`]) {
      expect((await put({ url })).body, url).toMatchObject({ secretSet: false, previousSecretUntil: null });
      const stored = await iam.core.db
        .selectFrom("webhooks")
        .select(["secret", "previous_secret"])
        .where("webhook_id", "=", body.id)
        .execute();
      expect(stored).toEqual([{ secret: null, previous_secret: null }]);
      expect((await put({ url: `${origin}/`, secret: SECRET, secretSet: false })).body.secretSet).toBe(true);
    }
  });

  const read = async (admin: Admin, id: string) => (await admin.get(`/webhooks/${id}`)).body;

  test("is kept when left out, cleared by null, and what was read can be written back", async () => {
    const admin = await (await iam.realm()).admin();
    const { id } = (await admin.post("/webhooks", { ...hook, secret: SECRET })).body;
    const put = (body: object) => admin.put(`/webhooks/${id}`, body);
    expect((await put(hook)).body.secretSet).toBe(true);
    expect(await put(await read(admin, id))).toMatchObject({ status: 200, body: { secretSet: true } });
    expect((await put({ ...hook, secret: null })).body.secretSet).toBe(false);
    expect(await put(await read(admin, id))).toMatchObject({ status: 200, body: { secretSet: false } });
    expect((await put({ ...(await read(admin, id)), secret: SECRET })).body.secretSet).toBe(true);
    for (const lie of [{ secretSet: false }, { id: newId() }, { realmId: "other" }, { createdAt: 1 }, { previousSecretUntil: 1 }]) {
      const refused = await put({ ...hook, ...lie });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: Object.keys(lie)[0] }] } });
    }
    expect((await put({ ...hook, secret: null, secretSet: true })).body.secretSet).toBe(true);
  });

  test("is at rest only as ciphertext, and a rotation keeps the one before only as long as it overlaps", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { id } = (await admin.post("/webhooks", { ...hook, secret: SECRET })).body;
    const row = () =>
      iam.core.db
        .selectFrom("webhooks")
        .select(["secret", "previous_secret", "previous_until"])
        .where("webhook_id", "=", id)
        .executeTakeFirstOrThrow();
    const before = await row();
    expect(before.secret).toMatch(/^v1[.]/);
    const rotated = await admin.post(`/webhooks/${id}/rotate-secret`, { overlapSeconds: 600 });
    expect(rotated).toMatchObject({
      status: 200,
      body: { id, secretSet: true, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
    });
    expect(rotated.body.previousSecretUntil).toBeGreaterThan(clock.now());
    const after = await row();
    expect(after.previous_secret).toMatch(/^v1[.]/);
    // Bound to its column: copied over, it would not open.
    expect(after.previous_secret).not.toBe(before.secret);
    expect((await read(admin, id)).secret).toBeNull();
    expect(await admin.put(`/webhooks/${id}`, await read(admin, id))).toMatchObject({ status: 200 });

    clock.advance(15 * MINUTE);
    expect((await read(admin, id)).previousSecretUntil).toBeNull();
    while ((await iam.server.jobs.runDue()) > 0);
    // The server's own turn may have taken the job.
    await expect.poll(row).toMatchObject({ previous_secret: null, previous_until: null });

    expect(await admin.post(`/webhooks/${id}/rotate-secret`)).toMatchObject({ status: 200, body: { secretSet: true } });
    const given = await admin.post(`/webhooks/${id}/rotate-secret`, { secret: SECRET });
    expect(given.body).toMatchObject({ secret: null, secretSet: true, previousSecretUntil: null });
    const action = (await realm.events("type=ADMIN_ACTION&resourceType=webhooks"))[0];
    expect(action).toMatchObject({ resourceId: id, detail: "rotate secret", outcome: "SUCCESS" });
  });

  test("is in no answer, event or log line", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const from = iam.output.length;
    const answers = [await admin.post("/webhooks", { ...hook, secret: SECRET })];
    const path = `/webhooks/${answers[0]!.body.id}`;
    answers.push(await admin.get(path), await admin.get("/webhooks"), await admin.put(path, { ...hook, secret: SECRET }));
    answers.push(await admin.post(`${path}/rotate-secret`, { secret: SECRET, overlapSeconds: 60 }));
    answers.push(await admin.post("/webhooks", { ...hook, secret: `whsec_${SECRET}!` }), await admin.get(`${path}/deliveries`));
    answers.push(await admin.post("/webhooks", { ...hook, secret: [SECRET] }));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 400, 200, 400]);
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    expect(JSON.stringify(await realm.events())).not.toContain(SECRET);
    expect(iam.output.slice(from).join("")).not.toContain(SECRET);
  });
});

describe("a receiver's address", () => {
  test.each([
    ["plain http", "http://hooks.example.com/", "scheme"],
    ["another scheme", "ftp://hooks.example.com/", "scheme"],
    ["no address", "hooks", "bad_url"],
    ["a user and password", "https://me:hunter2@hooks.example.com/", "bad_url"],
    ["loopback", "https://127.0.0.1/", "blocked_address"],
    ["loopback, shortened", "https://127.1/", "blocked_address"],
    ["loopback as a number", "https://2130706433/", "blocked_address"],
    ["loopback in IPv6", "https://[::1]/", "blocked_address"],
    ["IPv4-mapped", "https://[::ffff:127.0.0.1]/", "blocked_address"],
    ["IPv4-mapped, in hex", "https://[::ffff:a9fe:a9fe]/", "blocked_address"],
    ["the metadata service", "https://169.254.169.254/latest/meta-data", "blocked_address"],
    ["link-local in IPv6", "https://[fe80::1]/", "blocked_address"],
    ["a private network", "https://10.0.0.8/", "blocked_address"],
    ["a unique local address", "https://[fd00:ec2::254]/", "blocked_address"],
  ])("may not be %s", async (_what, url, code) => {
    const refused = await anyone.post("/webhooks", { ...hook, url });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "url", code }] } });
    expect(refused.text).not.toContain("hunter2");
    expect(await anyone.put(`/webhooks/${newId()}`, { ...hook, url })).toMatchObject({ status: 400, body: { errors: [{ field: "url" }] } });
  });
});

describe("event types", () => {
  test.each([
    ["trimmed, once each", " LOGIN_FAILURE , SECURITY,LOGIN_FAILURE,", "LOGIN_FAILURE,SECURITY"],
    ["everything", "*", "*"],
    ["of a later release", "TX_SIGNED,MFA_FAILURE,REFRESH_TOKEN_REUSED", "TX_SIGNED,MFA_FAILURE,REFRESH_TOKEN_REUSED"],
  ])("%s", async (_what, eventTypes, kept) => {
    expect((await anyone.post("/webhooks", { ...hook, eventTypes, enabled: false })).body.eventTypes).toBe(kept);
  });

  test("that are unknown are refused, each by name and with a suggestion", async () => {
    const refused = await anyone.post("/webhooks", { ...hook, eventTypes: "LOGIN_FAILURE,LOGIN_FAILRUE,%' or 1=1" });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map(({ field, message }: { field: string; message: string }) => [field, message])).toEqual([
      ["eventTypes", expect.stringMatching(/"LOGIN_FAILRUE".*Did you mean LOGIN_FAILURE[?]/)],
      ["eventTypes", expect.stringContaining(`"%' or 1=1"`)],
    ]);
    for (const eventTypes of ["", " , ", "login_failure", "WEBHOOK_DEAD", "TEST"])
      expect((await anyone.post("/webhooks", { ...hook, eventTypes })).body, eventTypes).toMatchObject({
        status: 400,
        errors: [{ field: "eventTypes" }],
      });
  });
});

test.each([
  ["an unknown member", { ...hook, colour: "red" }, "colour"],
  ["no name", { ...hook, name: "" }, "name"],
  ["a name of two lines", { ...hook, name: "a\r\nb" }, "name"],
  ["a very long name", { ...hook, name: "x".repeat(256) }, "name"],
  ["no address", { ...hook, url: undefined }, "url"],
  ["a very long address", { ...hook, url: `https://example.com/${"x".repeat(2048)}` }, "url"],
  ["an empty secret", { ...hook, secret: "" }, "secret"],
  ["enabled as text", { ...hook, enabled: "yes" }, "enabled"],
])("refuses %s and names it", async (_what, body, field) => {
  expect(await anyone.post("/webhooks", body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
});

test("an overlap is neither negative nor longer than a week", async () => {
  const admin = await (await iam.realm()).admin();
  const { id } = (await admin.post("/webhooks", hook)).body;
  for (const overlapSeconds of [-1, (7 * DAY) / 1000 + 1, 1.5])
    expect((await admin.post(`/webhooks/${id}/rotate-secret`, { overlapSeconds })).status).toBe(400);
});

test("is neither found nor reached from another realm, nor by a malformed id", async () => {
  const [here, there] = [await iam.realm(), await iam.realm()];
  const foreign = (await (await there.admin()).post("/webhooks", hook)).body.id;
  const admin = await here.admin();
  for (const id of [foreign, newId(), "not-an-id", "%00"]) {
    expect((await admin.get(`/webhooks/${id}`)).status, id).toBe(404);
    expect((await admin.put(`/webhooks/${id}`, hook)).status).toBe(404);
    expect((await admin.delete(`/webhooks/${id}`)).status).toBe(404);
    expect((await admin.post(`/webhooks/${id}/test`)).status).toBe(404);
    expect((await admin.post(`/webhooks/${id}/rotate-secret`, {})).status).toBe(404);
    expect((await admin.get(`/webhooks/${id}/deliveries`)).status).toBe(404);
    expect((await admin.post(`/webhooks/${id}/deliveries/${newId()}/redeliver`)).status).toBe(404);
  }
  expect((await admin.get("/webhooks")).body).toEqual([]);
});
