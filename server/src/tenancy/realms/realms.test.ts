import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Browser } from "../../testing/browser.ts";
import { type Harness, harness, MASTER_PASSWORD, testDatabase } from "../../testing/harness.ts";

let iam: Harness;
let master: Browser;
beforeAll(async () => {
  iam = await harness();
  // Deleted realms are purged when a test says so.
  await iam.server.jobs.stop();
  master = iam.browser();
  await master.signIn("master", "admin", MASTER_PASSWORD);
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const PASSWORD = "a password for this realm";
let names = 0;
const freshName = () => `t${clock.now().toString(36)}-${names++}`;

describe("creating a realm", () => {
  test("answers with the record, seeds it, and records it in master's trail only", async () => {
    const name = freshName();
    const created = await master.post("/admin/realms", { realm: name, displayName: "Acme", adminPassword: PASSWORD });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ realm: name, realmId: name, displayName: "Acme", createdAt: expect.any(Number) });
    expect(created.headers.etag).toMatch(/^"\d+"$/);

    const at = (path: string) => master.get(`/admin/realms/${name}${path}`);
    const permissions = Object.fromEntries(
      (await at("/admin-roles")).body.map((role: { roleName: string; permissions: string[] }) => [role.roleName, role.permissions]),
    );
    expect(permissions).toEqual({ admin: ["realm-admin"], auditor: ["view-clients", "view-events", "view-users"], user: [] });
    expect((await at("/roles")).body.filter((role: { default: boolean }) => role.default)).toMatchObject([{ name: "user" }]);
    expect((await at("/users")).body).toMatchObject([{ username: "admin", enabled: true, roles: ["admin", "user"] }]);
    expect((await at("/keys")).body).toMatchObject([{ status: "ACTIVE", rotatedAt: null }]);
    expect((await at("/settings")).body.displayName).toBe("Acme");

    const recorded = await master.get(`/admin/realms/master/events?type=ADMIN_CREATE&resourceType=realms&resourceId=${name}`);
    expect(recorded.body.items).toMatchObject([{ actor: "admin", realm: "master", outcome: "SUCCESS" }]);
    expect((await at("/events?type=ADMIN_CREATE")).body.total).toBe(0);

    const browser = iam.browser();
    await browser.signIn(name, "admin", PASSWORD);
    expect((await browser.get(`/admin/realms/${name}/settings`)).status).toBe(200);
  });

  test("makes up a password when none is given, shows it once, and keeps it nowhere", async () => {
    const name = freshName();
    const created = await master.post("/admin/realms", { realm: name });
    const { adminPassword } = created.body;
    expect(adminPassword).toMatch(/^[\w-]{20,}$/);
    expect(created.headers["cache-control"]).toBe("no-store");
    await iam.browser().signIn(name, "admin", adminPassword);

    for (const path of [
      `/admin/realms/${name}`,
      "/admin/realms?size=1000",
      `/admin/realms/${name}/users`,
      `/admin/realms/master/events?size=500`,
    ])
      expect((await master.get(path)).text).not.toContain(adminPassword);
    expect(iam.output.join("")).not.toContain(adminPassword);
  });

  test.each([
    ["admin", "reserved"],
    ["realms", "reserved"],
    ["monitoring", "reserved"],
    ["console", "reserved"],
    ["v3", "reserved"],
    ["assets", "reserved"],
    ["../x", "pattern"],
    ["X", "pattern"],
    ["", "pattern"],
    ["-a", "pattern"],
    ["a_b", "pattern"],
    ["a.b", "pattern"],
    ["a b", "pattern"],
    ["a\n", "pattern"],
    ["münchen", "pattern"],
    ["ａ", "pattern"],
    ["a".repeat(64), "pattern"],
  ])("refuses the name %j", async (realm, code) => {
    const answer = await master.post("/admin/realms", { realm, adminPassword: PASSWORD });
    expect(answer).toMatchObject({ status: 400, body: { code: "request.invalid", errors: [{ field: "realm", code }] } });
  });

  test("takes a name of 63 characters, and of one", async () => {
    const long = `${freshName()}-`.padEnd(63, "x");
    for (const realm of [long, "q"]) expect((await master.post("/admin/realms", { realm, adminPassword: PASSWORD })).status).toBe(201);
    expect((await iam.browser().get(`/realms/${long}/jwks`)).status).toBe(200);
  });

  test.each([
    [{}, "realm"],
    [{ realm: 5 }, "realm"],
    [{ realm: "fine", displayName: "" }, "displayName"],
    [{ realm: "fine", displayName: "x".repeat(256) }, "displayName"],
    [{ realm: "fine", adminPassword: null }, "adminPassword"],
    [{ realm: "fine", adminPassword: "short" }, "adminPassword"],
    [{ realm: "fine", adminPassword: "password123" }, "adminPassword"],
    [{ realm: "fine", realmId: "fine" }, "realmId"],
    [{ realm: "fine", enabled: true }, "enabled"],
  ])("names the offending member of %j", async (body, field) => {
    expect(await master.post("/admin/realms", body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect((await master.get("/admin/realms/fine")).status).toBe(404);
  });

  test("two at once with one name: one 201, one 409", async () => {
    const realm = freshName();
    const answers = await Promise.all([1, 2].map(() => master.post("/admin/realms", { realm, adminPassword: PASSWORD })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("realms.name_taken");
    expect((await master.get(`/admin/realms/${realm}/users`)).body).toHaveLength(1);
    expect((await master.get(`/admin/realms/${realm}/keys`)).body).toHaveLength(1);
  });
});

describe("only realm-admin of master", () => {
  test("reaches the realms; a realm's own admin does not", async () => {
    const realm = await iam.realm();
    const own = (await realm.admin()).browser;
    const attempts = (browser: Browser) => [
      browser.get("/admin/realms"),
      browser.post("/admin/realms", { realm: freshName() }),
      browser.get(`/admin/realms/${realm.name}`),
      browser.put(`/admin/realms/${realm.name}`, { displayName: "mine" }),
      browser.delete(`/admin/realms/${realm.name}`),
    ];
    for (const attempt of attempts(own)) expect((await attempt).status).toBe(401);
    for (const attempt of attempts(iam.browser())) expect((await attempt).status).toBe(401);

    const username = `lesser-${freshName()}`;
    const { userId } = (await master.post("/admin/realms/master/users", { username })).body;
    await master.put(`/admin/realms/master/users/${userId}/password`, { newPassword: PASSWORD });
    const { roleId } = (await master.post("/admin/realms/master/roles", { name: username })).body;
    const all = (await master.get("/admin/realms/master/admin-roles/permissions")).body.map(({ key }: { key: string }) => key);
    const permissions = all.filter((key: string) => key !== "realm-admin");
    await master.put(`/admin/realms/master/admin-roles/${roleId}`, { permissions });
    await master.post(`/admin/realms/master/users/${userId}/roles`, { name: username });
    const lesser = iam.browser();
    await lesser.signIn("master", username, PASSWORD);
    for (const attempt of attempts(lesser)) expect((await attempt).status).toBe(403);
    expect((await master.get(`/admin/realms/${realm.name}`)).body.displayName).toBeNull();
  });
});

describe("reading and updating", () => {
  test("GET's answer is a valid PUT, and a stale If-Match is a 412", async () => {
    const { name } = await iam.realm();
    const path = `/admin/realms/${name}`;
    const read = await master.get(path);
    const same = await master.put(path, read.body, { headers: { "if-match": String(read.headers.etag) } });
    expect(same).toMatchObject({ status: 200, body: read.body });
    const changed = await master.put(
      path,
      { ...same.body, displayName: "Ünïcode & Söns" },
      { headers: { "if-match": String(same.headers.etag) } },
    );
    expect(changed).toMatchObject({ status: 200, body: { displayName: "Ünïcode & Söns" } });
    expect((await master.put(path, read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await master.delete(path, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await master.get(path)).body).toEqual(changed.body);
    expect((await master.put(path, {})).body.displayName).toBeNull();
  });

  test.each([
    ["realm", "other"],
    ["realmId", "other"],
    ["createdAt", 5],
    ["adminPassword", PASSWORD],
    ["version", 1],
  ])("refuses to change %s", async (field, value) => {
    const { name } = await iam.realm();
    const read = await master.get(`/admin/realms/${name}`);
    const answer = await master.put(`/admin/realms/${name}`, { ...read.body, [field]: value });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test.each(["nowhere", "%00", "..%2Fx", "%ED%A0%80", "A", "x".repeat(2000)])("a realm called %s is a 404 everywhere", async (name) => {
    for (const path of [`/admin/realms/${name}`, `/admin/realms/${name}/users`, `/realms/${name}/jwks`, `/realms/${name}/login`]) {
      const { status } = await master.get(path);
      // Invalid percent-encoding never reaches a route.
      expect(status, path).toBe(name === "%ED%A0%80" ? 400 : 404);
    }
  });
});

describe("the list", () => {
  const many = `many${clock.now().toString(36)}`;
  beforeAll(async () => {
    await sql`insert into realms (realm_id, created_at)
      select ${many}::text || '-' || lpad(i::text, 3, '0'), 1000 - i from generate_series(0, 249) i`.execute(iam.core.db);
    await sql`insert into realm_settings (realm_id, settings)
      select realm_id, case when realm_id like '%-007' then '{"displayName": "100%_Sure\\\\Inc"}'::jsonb else '{}'::jsonb end
      from realms where realm_id like ${`${many}-%`}`.execute(iam.core.db);
  });

  test("pages over 250 realms by Link, each once and in order", async () => {
    const seen: string[] = [];
    let url: string | undefined = `/admin/realms?search=${many}-&size=40`;
    while (url) {
      const page = await master.get(url);
      expect(page.headers["x-total-count"]).toBe("250");
      seen.push(...page.body.map(({ realm }: { realm: string }) => realm));
      url = /<([^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => `${many}-${String(i).padStart(3, "0")}`));
    const numbered = await master.get(`/admin/realms?search=${many}-&size=40&page=6`);
    expect(numbered.body.map(({ realm }: { realm: string }) => realm)).toEqual(seen.slice(240));
    expect((await master.get(`/admin/realms?search=${many}-`)).body).toHaveLength(100);
  });

  test("sorts, and searches by the start of name or display name, letter for letter", async () => {
    const first = async (query: string) => (await master.get(`/admin/realms?${query}`)).body.map(({ realm }: { realm: string }) => realm);
    expect(await first(`search=${many}&sort=createdAt&size=2`)).toEqual([`${many}-249`, `${many}-248`]);
    expect(await first(`search=${many}&sort=-realm&size=1`)).toEqual([`${many}-249`]);
    expect(await first(`search=${many.toUpperCase()}-01&size=50`)).toHaveLength(10);
    for (const text of ["100%_sure\\inc", "100%_S", "100"])
      expect(await first(`search=${encodeURIComponent(text)}`)).toEqual([`${many}-007`]);
    for (const text of ["%", "_", "\\", "100_", "00%"]) expect(await first(`search=${encodeURIComponent(text)}`)).toEqual([]);
    expect((await master.get("/admin/realms?sort=constructor")).status).toBe(400);
    expect((await master.get("/admin/realms?page=200&size=1000")).body.code).toBe("list.too_deep");
  });
});

describe("deleting a realm", () => {
  const rowsOf = async (realm: string) => {
    const { rows: tables } = await sql<{ table_name: string }>`
      select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'realm_id' and t.table_type = 'BASE TABLE' and c.table_schema = 'public'`.execute(iam.core.db);
    const counts: Record<string, number> = {};
    for (const { table_name } of tables) {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table_name)} where realm_id = ${realm}`.execute(
        iam.core.db,
      );
      if (rows[0]!.n > 0) counts[table_name] = rows[0]!.n;
    }
    return counts;
  };
  // Once: a purge that fails is due again after two seconds, so that a slow machine would never come to the end of what is due.
  const purge = async () => {
    clock.advance(MINUTE);
    await iam.server.jobs.runDue();
  };

  test("removes it at once, then every row of it, then frees the name for a clean start", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    await realm.user("ada");
    await iam.browser().trySignIn(realm.name, "ada", "wrong");
    await admin.post("/keys/rotate");
    await iam.core.metrics.flush(iam.core.db);
    const before = await rowsOf(realm.name);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        "audit_events",
        "credentials",
        "login_attempts",
        "login_names",
        "realm_keys",
        "realm_settings",
        "realm_versions",
        "role_permissions",
        "roles",
        "sessions",
        "user_roles",
        "users",
        "metric_hours",
      ]),
    );
    const neighbour = await iam.realm();
    const untouched = await rowsOf(neighbour.name);

    expect((await master.delete(`/admin/realms/${realm.name}`)).status).toBe(204);
    for (const path of [
      `/admin/realms/${realm.name}`,
      `/admin/realms/${realm.name}/users`,
      `/realms/${realm.name}/jwks`,
      `/realms/${realm.name}/login`,
    ]) {
      expect((await master.get(path)).status, path).toBe(404);
      expect((await admin.browser.get(path)).status, path).toBe(404);
    }
    expect((await iam.browser().trySignIn(realm.name, "admin", realm.adminPassword)).status).toBe(404);
    expect((await master.get(`/admin/realms?search=${realm.name}`)).body).toEqual([]);
    expect((await master.delete(`/admin/realms/${realm.name}`)).status).toBe(404);
    const again = await master.post("/admin/realms", { realm: realm.name, adminPassword: PASSWORD });
    expect(again).toMatchObject({ status: 409, body: { code: "realms.name_taken" } });

    await purge();
    expect(await rowsOf(realm.name)).toEqual({});
    expect(await rowsOf(neighbour.name)).toEqual(untouched);
    expect((await master.get(`/admin/realms/master/events?type=ADMIN_DELETE&resourceId=${realm.name}`)).body.items).toMatchObject([
      { resourceType: "realms", actor: "admin" },
    ]);

    expect((await master.post("/admin/realms", { realm: realm.name, adminPassword: PASSWORD })).status).toBe(201);
    expect((await master.get(`/admin/realms/${realm.name}/users`)).body).toHaveLength(1);
    expect((await master.get(`/admin/realms/${realm.name}/events`)).body.total).toBe(0);
    expect((await admin.get("/users")).status).toBe(401);
    expect((await iam.browser().trySignIn(realm.name, "admin", realm.adminPassword)).status).toBe(401);
  });

  test.runIf(testDatabase() === "postgres")(
    "goes on after a crash in the middle of the purge, and leaves a new realm of the name alone",
    async () => {
      const realm = await iam.realm();
      await realm.user("ada");
      await master.delete(`/admin/realms/${realm.name}`);
      const { db } = iam.core;
      await sql
        .raw(`create function refuse_purge() returns trigger language plpgsql as $$ begin raise exception 'the power went out'; end $$`)
        .execute(db);
      await sql.raw("create trigger refuse_purge before delete on users for each row execute function refuse_purge()").execute(db);
      try {
        await purge();
        const left = await rowsOf(realm.name);
        expect(left.users).toBe(2);
        expect(left.login_names, "what came before is gone already").toBeUndefined();
        expect((await master.post("/admin/realms", { realm: realm.name, adminPassword: PASSWORD })).status).toBe(409);
      } finally {
        await sql.raw("drop trigger refuse_purge on users").execute(db);
        await sql.raw("drop function refuse_purge()").execute(db);
      }
      await purge();
      expect(await rowsOf(realm.name)).toEqual({});

      await master.post("/admin/realms", { realm: realm.name, adminPassword: PASSWORD });
      await sql`insert into jobs (job_id, kind, payload, run_at, created_at)
      values (gen_random_uuid(), 'realms.purge', ${JSON.stringify({ realm: realm.name })}, 0, 0)`.execute(db);
      await purge();
      expect((await master.get(`/admin/realms/${realm.name}/users`)).body).toHaveLength(1);
    },
  );

  test("master cannot be deleted", async () => {
    expect(await master.delete("/admin/realms/master")).toMatchObject({ status: 409, body: { code: "realms.master" } });
    expect((await master.get("/admin/realms/master")).status).toBe(200);
  });

  test("two deletions at once: one 204, one 404", async () => {
    const { name } = await iam.realm();
    const answers = await Promise.all([1, 2].map(() => master.delete(`/admin/realms/${name}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  test("the trail stays append-only otherwise", async () => {
    const { name } = await iam.realm();
    await expect(sql`delete from audit_events where realm_id = ${name} or realm_id = 'master'`.execute(iam.core.db)).rejects.toThrow(
      "cannot be changed",
    );
    await expect(sql`truncate audit_events`.execute(iam.core.db)).rejects.toThrow("cannot be changed");
  });
});
