import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE } from "../../kernel/clock.ts";
import { type AuditDraft, systemActor } from "../../platform/context.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const record = (realm: string, ...drafts: AuditDraft[]) =>
  iam.core.work.transact({ realm, actor: systemActor(realm), sourceIp: "192.0.2.1" }, async (ctx) =>
    drafts.forEach((draft) => void ctx.audit(draft)),
  );
type Rest = Omit<AuditDraft, "category" | "type">;
const draft = (detail: string, more: Rest | AuditDraft = {}): AuditDraft => ({
  category: "ADMIN",
  type: "ADMIN_ACTION",
  resourceType: "things",
  detail,
  ...more,
});
type Item = { id: string; detail: string; ts: string };

describe("GET /events", () => {
  test("answers a page of complete events, newest first", async () => {
    const realm = await iam.realm();
    await record(realm.name, draft("one", { resourceId: "x" }));
    const { body } = await realm.asMaster().get("/events?size=1");
    expect(body).toEqual({
      items: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          kind: "audit",
          category: "ADMIN",
          type: "ADMIN_ACTION",
          realm: realm.name,
          actor: "system",
          actorKind: "system",
          sourceIp: "192.0.2.1",
          resourceType: "things",
          resourceId: "x",
          outcome: "SUCCESS",
          detail: "one",
          impersonator: null,
          requestId: null,
        },
      ],
      total: expect.any(Number),
      page: 0,
      size: 1,
    });
  });

  test("filters by everything it names, and by all of it together", async () => {
    const realm = await iam.realm();
    await record(
      realm.name,
      draft("a", { type: "KEY_ROTATED", category: "SECURITY", resourceType: "keys", resourceId: "k1" }),
      draft("b", { outcome: "FAILURE", resourceId: "t1", actor: { id: "id-of-ada", name: "ada" } }),
      draft("c", { resourceId: "100%_\\'\"; drop table audit_events --", actor: { id: null, name: "a%" } }),
    );
    const found = async (filter: Record<string, string>) => {
      const { status, body } = await realm.asMaster().get(`/events?${new URLSearchParams(filter)}`);
      expect(status).toBe(200);
      expect(body.total).toBe(body.items.length);
      return body.items
        .map(({ detail }: Item) => detail)
        .filter((detail: string | null) => detail?.length === 1)
        .sort();
    };
    expect(await found({ type: "KEY_ROTATED" })).toEqual(["a"]);
    expect(await found({ category: "SECURITY" })).toEqual(["a"]);
    expect(await found({ outcome: "FAILURE" })).toEqual(["b"]);
    expect(await found({ actor: "ada" })).toEqual(["b"]);
    expect(await found({ actor: "id-of-ada" })).toEqual(["b"]);
    expect(await found({ resourceType: "things" })).toEqual(["b", "c"]);
    expect(await found({ resourceType: "things", resourceId: "t1", outcome: "FAILURE", category: "ADMIN", type: "ADMIN_ACTION" })).toEqual([
      "b",
    ]);
    expect(await found({ resourceType: "things", category: "SECURITY" })).toEqual([]);
    expect(await found({ resourceId: "100%_\\'\"; drop table audit_events --" })).toEqual(["c"]);
    for (const nobody of ["a%", "ad_", "%", "' or '1'='1", "ADA"])
      expect([nobody, await found({ actor: nobody })]).toEqual([nobody, nobody === "a%" ? ["c"] : []]);
  });

  test("finds what a request led to by its number, in its own realm, page by page", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const admin = realm.asMaster();
    const { cursor } = (await admin.get("/events/tail")).body;
    const made = await admin.post("/users", { username: "ada" });
    const number = String(made.headers["x-request-id"]);
    const reset = await admin.put(`/users/${made.body.userId}/password`, { newPassword: "a password for tests" });
    const found = async (of: typeof admin, query: string) => {
      const { status, body } = await of.get(`/events?${query}`);
      return [status, body.total, body.items?.map(({ type }: { type: string }) => type)];
    };
    expect(await found(admin, `requestId=${number}`)).toEqual([200, 1, ["ADMIN_CREATE"]]);
    expect(await found(admin, `requestId=${number.toUpperCase()}`)).toEqual([200, 1, ["ADMIN_CREATE"]]);
    expect(await found(other.asMaster(), `requestId=${number}`)).toEqual([200, 0, []]);
    const both = `requestId=${reset.headers["x-request-id"]}`;
    expect((await found(admin, both)).slice(0, 2)).toEqual([200, 2]);
    const pages = [await found(admin, `${both}&size=1&page=0`), await found(admin, `${both}&size=1&page=1`)];
    expect(pages.map(([, total]) => total)).toEqual([2, 2]);
    expect(pages.flatMap(([, , types]) => types).toSorted()).toEqual(["ADMIN_UPDATE", "PASSWORD_RESET"]);
    const tail = async () => (await admin.get(`/events/tail?after=${cursor}&requestId=${number}`)).body.items;
    await expect.poll(tail).toMatchObject([{ type: "ADMIN_CREATE", requestId: number }]);
    const wrong = await admin.get("/events?requestId=17");
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, "requestId"]);
  });

  test("knows the request of a refused write, of a failed sign-in and of a client that could not authenticate", async () => {
    const realm = await iam.realm();
    const looker = await realm.as("view-users");
    const denied = await looker.post("/users", { username: "x" });
    const browser = iam.browser();
    await browser.get(`/realms/${realm.name}/login`);
    const _csrf = browser.cookies.get("XSRF-TOKEN")!;
    const form = { username: "nobody", password: "wrong", _csrf };
    const failed = await browser.request("POST", `/realms/${realm.name}/login`, { form, csrf: false });
    const token = `/realms/${realm.name}/token`;
    const client = { grant_type: "client_credentials", client_id: "nobody", client_secret: "wrong" };
    const unknown = await iam.browser().request("POST", token, { form: client, csrf: false });
    const of = async (answer: { headers: Record<string, unknown> }) =>
      (await realm.events(`requestId=${answer.headers["x-request-id"]}`)).map(({ type }: { type: string }) => type);
    expect([denied.status, await of(denied)]).toEqual([403, ["ADMIN_DENIED"]]);
    expect([failed.status, await of(failed)]).toEqual([401, ["LOGIN_FAILURE"]]);
    expect(unknown.status).toBe(401);
    await expect.poll(() => of(unknown)).toEqual(["CLIENT_LOGIN_FAILURE"]);
  });

  test("from is kept, to is not; both take ISO 8601 in every zone and epoch milliseconds", async () => {
    const realm = await iam.realm();
    const noon = Date.UTC(2031, 0, 31, 12);
    for (const at of [noon - MINUTE, noon, noon + HOUR]) {
      clock.reset();
      clock.advance(at - clock.now());
      await record(realm.name, draft("timed"));
    }
    clock.reset();
    const { items } = (await realm.asMaster().get("/events?type=ADMIN_ACTION")).body;
    const [last, middle] = items.map(({ ts }: Item) => Date.parse(ts)) as [number, number];
    const count = async (query: string) => (await realm.asMaster().get(`/events?type=ADMIN_ACTION&${query}`)).body.total;
    expect(await count(`from=${middle}`)).toBe(2);
    expect(await count(`from=${middle + 1}`)).toBe(1);
    expect(await count(`to=${last}`)).toBe(2);
    expect(await count(`from=${middle}&to=${last}`)).toBe(1);
    for (const form of [
      "2031-01-31T11:30Z",
      "2031-01-31T11:30:00.000Z",
      "2031-01-31T13:30:00%2B02:00",
      "2031-01-31T13:30:00+02:00",
      "2031-01-31T06:30:00-05:00",
      "2031-01-31T11:30:00",
    ])
      expect([form, await count(`from=${form}`)]).toEqual([form, 3]);
    expect(await count("from=2031-01-31T12:30Z")).toBe(1);
    expect(await count("from=2031-02-01")).toBe(0);
    expect(await count("to=2031-01-31")).toBe(0);
    expect(await count("from=0&to=999999999999999")).toBe(3);
  });

  test.each([
    ["from=yesterday", "from"],
    ["to=2031-02-30", "to"],
    ["from=2031-13-01", "from"],
    ["from=2031-01-31T25:00Z", "from"],
    ["from=-1", "from"],
    ["from=", "from"],
    ["to=1e3", "to"],
    ["to=31%2F01%2F2031", "to"],
    [`to=${"9".repeat(39)}`, "to"],
    ["from=%00", "from"],
    ["category=NOPE", "category"],
    ["outcome=success", "outcome"],
    ["size=501", "size"],
    ["size=0", "size"],
    ["page=-1", "page"],
    ["page=201&size=50", "page"],
    [`actor=${"x".repeat(321)}`, "actor"],
    ["sort=ts", "sort"],
    ["type=NO_SUCH_TYPE", "type"],
    ["type=", "type"],
    ["actor=", "actor"],
    ["resourceType=", "resourceType"],
    ["resourceId=", "resourceId"],
  ])("?%s is a 400 that names %s", async (query, field) => {
    const realm = await iam.realm();
    const answer = await realm.asMaster().get(`/events?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    if (field === "page" && !query.includes("-")) expect(answer.body.code).toBe("list.too_deep");
  });

  test("pages lose and repeat nothing, and events of one write keep their order", async () => {
    const realm = await iam.realm();
    const names = Array.from({ length: 40 }, (_, n) => `event-${String(n).padStart(2, "0")}`);
    await record(realm.name, ...names.map((name) => draft(name)));
    const seen: string[] = [];
    for (let page = 0; page < 6; page++) {
      const { body } = await realm.asMaster().get(`/events?resourceType=things&size=7&page=${page}`);
      expect([body.total, body.page, body.size]).toEqual([40, page, 7]);
      seen.push(...body.items.map(({ detail }: Item) => detail));
    }
    expect(seen).toEqual(names.toReversed());
  });

  test("a page beyond the end is empty and keeps the total", async () => {
    const realm = await iam.realm();
    await record(realm.name, draft("one"), draft("two"), draft("three"));
    for (const filter of ["resourceType=things", "resourceType=things&actor=system"]) {
      const { status, body } = await realm.asMaster().get(`/events?${filter}&size=2&page=7`);
      expect([status, body]).toEqual([200, { items: [], total: 3, page: 7, size: 2 }]);
    }
  });

  test("an actor whose name is another's id is found by both, and counted once", async () => {
    const realm = await iam.realm();
    await record(
      realm.name,
      draft("name and id", { actor: { id: "twin", name: "twin" } }),
      draft("by name", { actor: { id: "other", name: "twin" } }),
      draft("by id", { actor: { id: "twin", name: "other" } }),
      draft("neither", { actor: { id: "other", name: "other" } }),
    );
    const pages = [];
    for (const page of [0, 1, 2]) pages.push((await realm.asMaster().get(`/events?actor=twin&size=2&page=${page}`)).body);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3]);
    expect(pages.map(({ items }) => items.map(({ detail }: Item) => detail))).toEqual([["by id", "by name"], ["name and id"], []]);
  });

  test("totals are exact to 10,000 and say when they are not", async () => {
    const realm = await iam.realm();
    const fill = (count: number) =>
      sql`insert into audit_events (realm_id, event_id, ts, category, type, actor, actor_id, outcome)
        select ${realm.name}, gen_random_uuid(), n, 'AUTHN', 'LOGOUT', 'many', 'many-id', 'SUCCESS' from generate_series(1, ${count}::integer) n`.execute(
        iam.core.db,
      );
    const requested = async (filter: string) => {
      const { body, headers } = await realm.asMaster().get(`/events?size=1&${filter}`);
      return [body.total, headers["x-total-estimated"]];
    };
    await fill(10_000);
    for (const filter of ["type=LOGOUT", "actor=many", "actor=many-id"])
      expect([filter, ...(await requested(filter))]).toEqual([filter, 10_000, undefined]);
    await fill(1);
    for (const filter of ["type=LOGOUT", "actor=many", "actor=many-id"]) {
      const [total, estimated] = await requested(filter);
      expect([filter, total > 10_000, estimated]).toEqual([filter, true, "true"]);
    }
  });

  test("shows no other realm's events", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    await record(two.name, draft("secret of two"));
    const admin = await one.admin();
    expect((await admin.get("/events?resourceType=things")).body.items).toEqual([]);
    expect((await admin.browser.get(`/admin/realms/${two.name}/events`)).status).toBe(401);
  });
});

describe("the trail", () => {
  const tamper = (statement: string) => inTransaction(iam.core.db, (tx) => sql.raw(statement).execute(tx));
  const lifted = (purpose: string, statement: string) =>
    inTransaction(iam.core.db, async (tx) => {
      await sql`select set_config('gatehouse.maintenance', ${purpose}, true)`.execute(tx);
      await sql.raw(statement).execute(tx);
    });

  test("cannot be changed, deleted or emptied by SQL", async () => {
    const realm = await iam.realm();
    await record(realm.name, draft("stays"));
    const before = await realm.events();
    for (const statement of [
      `update audit_events set actor = 'nobody' where realm_id = '${realm.name}'`,
      `delete from audit_events where realm_id = '${realm.name}'`,
      "truncate audit_events",
      "truncate audit_events cascade",
    ])
      await expect(tamper(statement)).rejects.toThrow("audit events cannot be changed or deleted");
    for (const purpose of ["", "on", "ERASURE", "erasure ", "retention,erasure"])
      await expect(lifted(purpose, `delete from audit_events where realm_id = '${realm.name}'`)).rejects.toThrow("cannot be changed");
    expect(await realm.events()).toEqual(before);
  });

  test.each(["erasure", "retention", "realm-delete"])("yields to maintenance of kind %s, in that transaction only", async (purpose) => {
    const realm = await iam.realm();
    await record(realm.name, draft("one"), draft("two"));
    await lifted(purpose, `update audit_events set actor = 'erased:1' where realm_id = '${realm.name}' and detail = 'one'`);
    await lifted(purpose, `delete from audit_events where realm_id = '${realm.name}' and detail = 'two'`);
    expect((await realm.events("resourceType=things")).map(({ actor, detail }) => [actor, detail])).toEqual([["erased:1", "one"]]);
    await expect(tamper(`delete from audit_events where realm_id = '${realm.name}'`)).rejects.toThrow("cannot be changed");
  });

  test("holds an event if, and only if, its write was committed", async () => {
    const realm = await iam.realm();
    const before = (await realm.events()).length;
    const lines = iam.output.length;
    const failing = iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
      ctx.audit(draft("never"));
      await sql`insert into metric_hours values (${realm.name}, 0, 'x', '', 1)`.execute(ctx.tx);
      throw new Error("the write fails after all");
    });
    await expect(failing).rejects.toThrow("the write fails after all");
    // And the other way round: an event that cannot be stored undoes its write.
    const unstorable = iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
      await sql`insert into metric_hours values (${realm.name}, 0, 'x', '', 1)`.execute(ctx.tx);
      ctx.audit({ ...draft("never"), type: null as never });
    });
    await expect(unstorable).rejects.toThrow();
    const { rows } = await sql`select 1 from metric_hours where realm_id = ${realm.name} and metric = 'x'`.execute(iam.core.db);
    expect(rows).toEqual([]);
    expect(await realm.events()).toHaveLength(before);
    expect(iam.output.slice(lines).filter((line) => line.includes('"never"'))).toEqual([]);
  });

  onPostgres("goes to standard output as it is stored: the same events, one JSON line each, without a secret", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user("printed");
    const browser = iam.browser();
    await browser.signIn(realm.name, username, password);
    await browser.trySignIn(realm.name, 'quote " and \n newline', "not-my-password");
    const admin = await realm.as("manage-users");
    await admin.delete(`/users/${userId}`);
    await (await realm.as()).post("/users", { username: "x" });
    expect((await realm.asMaster().post("/keys/rotate")).status).toBe(201);

    const stored = await realm.events();
    const lines = iam.output.flatMap((chunk) => chunk.split("\n")).filter(Boolean);
    const parsed = lines.map((line) => JSON.parse(line));
    const printed = parsed.filter(({ kind, realm: name }) => kind === "audit" && name === realm.name);
    const byId = (a: Item, b: Item) => (a.id < b.id ? -1 : 1);
    expect(printed.toSorted(byId)).toEqual(stored.toSorted(byId));
    expect(stored.length).toBeGreaterThan(8);

    const all = lines.join("\n");
    const secrets = [password, "not-my-password", realm.adminPassword, ...browser.cookies.values(), ...admin.browser.cookies.values()];
    for (const secret of secrets.filter((text) => text !== "")) expect(all).not.toContain(secret);
    expect(all).not.toMatch(/\$argon2|PRIVATE KEY|password":"/);
  });
});
