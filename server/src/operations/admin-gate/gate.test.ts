import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, Browser } from "../../testing/browser.ts";
import { MASTER_PASSWORD, type SharedHarness, sharedHarness } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const NO_USER = "01900000-0000-7000-8000-000000000000";
const refusal = ({ status, body }: Answer) => [status, body?.code];
const writes = async (realm: string, outcome: "success" | "denied") => {
  const metric = await iam.core.metrics.registry.getSingleMetric("svc_admin_write_total")?.get();
  return (metric?.values ?? [])
    .filter(({ labels }) => labels.realm === realm && labels.outcome === outcome)
    .reduce((n, v) => n + v.value, 0);
};

describe("order of refusals", () => {
  test("each rule speaks before the next, whatever else is wrong", async () => {
    const realm = await iam.realm();
    const manager = await realm.as("manage-users", "view-users");
    const looker = await realm.as("view-users");
    const bad = { body: { nonsense: true } };
    const at = `/admin/realms/${realm.name}/users/${NO_USER}`;
    const taken = await manager.post("/users", { username: "taken" });
    const mine = await manager.post("/users", { username: "mine" });
    const stale = { "if-match": '"999"' };
    const state = { enabled: true, locked: false, roles: [] };

    const unknownRealm = await realm.anonymous().browser.put(`/admin/realms/nowhere/users/${NO_USER}`, bad.body, { csrf: false });
    expect(refusal(unknownRealm)).toEqual([404, "realms.not_found"]);
    expect(refusal(await realm.anonymous().browser.put(at, bad.body, { csrf: false }))).toEqual([401, "auth.no_session"]);
    expect(refusal(await looker.browser.put(at, bad.body, { csrf: false }))).toEqual([403, "auth.csrf"]);
    expect(refusal(await looker.browser.put(at, bad.body))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await manager.put(`/users/${NO_USER}`, bad.body, { headers: stale }))).toEqual([400, "request.invalid"]);
    expect(refusal(await manager.put(`/users/${NO_USER}`, { ...state, username: "taken" }, { headers: stale }))).toEqual([
      404,
      "users.not_found",
    ]);
    expect(refusal(await manager.put(`/users/${mine.body.userId}`, { ...state, username: "taken" }, { headers: stale }))).toEqual([
      412,
      "request.precondition_failed",
    ]);
    const current = { "if-match": String(mine.headers.etag) };
    expect(refusal(await manager.put(`/users/${mine.body.userId}`, { ...state, username: "TAKEN" }, { headers: current }))).toEqual([
      409,
      "users.login_name_taken",
    ]);
    expect(taken.status).toBe(201);
  });

  test("a body that cannot be read at all is looked at only after session, CSRF and permission", async () => {
    const realm = await iam.realm();
    const looker = await realm.as("view-users");
    const manager = await realm.as("manage-users");
    const broken = { headers: { "content-type": "application/json" } };
    expect((await realm.anonymous().post("/users", "{", broken)).status).toBe(401);
    expect(refusal(await looker.post("/users", "{", { ...broken, csrf: false }))).toEqual([403, "auth.csrf"]);
    expect(refusal(await looker.post("/users", "{", broken))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await manager.post("/users", "{", broken))).toEqual([400, "request.malformed"]);
  });

  test.each(["no-id", "%00", "..%2f..%2fmaster", `${NO_USER}x`, "1", "'"])("a malformed id (%s) is a 404", async (id) => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    expect((await admin.get(`/users/${id}`)).status).toBe(404);
    expect((await admin.delete(`/sessions/${id}`)).status).toBe(404);
  });

  test.each(["%00", "Master", "master%2f", "..", `${"x".repeat(64)}`])(
    "a realm that cannot be (%s) is a 404 for everybody",
    async (name) => {
      expect((await iam.browser().get(`/admin/realms/${name}/users`)).status).toBe(404);
      expect((await iam.browser().get(`/realms/${name}/login`)).status).toBe(404);
    },
  );

  test("an unroutable request is answered by a problem too", async () => {
    const answer = await iam.browser().get("/admin/realms/%ff/users");
    expect(answer).toMatchObject({ status: 400, body: { status: 400, requestId: expect.any(String) } });
    expect(answer.headers["content-type"]).toContain("application/problem+json");
  });
});

describe("the session that counts", () => {
  test("a session of another realm is no session", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const admin = await one.admin();
    expect(refusal(await admin.browser.get(`/admin/realms/${two.name}/users`))).toEqual([401, "auth.no_session"]);
    // Nor does its cookie become one by another name.
    const thief = new Browser(iam.server.app);
    thief.cookies.set(`gh_${two.name}`, admin.browser.cookies.get(`gh_${one.name}`)!);
    thief.cookies.set("gh_master", admin.browser.cookies.get(`gh_${one.name}`)!);
    expect((await thief.get(`/admin/realms/${two.name}/users`)).status).toBe(401);
    expect((await thief.get("/admin/realms")).status).toBe(401);
  });

  test("a realm's administrator, however mighty, does not reach over all realms", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    for (const path of ["/admin/realms", `/admin/realms/${realm.name}`, "/admin/audit/config"])
      expect([path, (await admin.browser.get(path)).status]).toEqual([path, 401]);
  });

  test("master's administrator works in every realm and is named so", async () => {
    const realm = await iam.realm();
    expect((await realm.asMaster().post("/users", { username: "ada" })).status).toBe(201);
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0]).toMatchObject({ actor: "master/admin", realm: realm.name });
  });

  test("under their master permissions only", async () => {
    const realm = await iam.realm();
    const name = `helper-${realm.name}`;
    const helper = await iam.ofMaster(name, "view-users");

    expect((await helper.get(`/admin/realms/${realm.name}/users`)).status).toBe(200);
    expect(refusal(await helper.post(`/admin/realms/${realm.name}/users`, { username: "x" }))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await helper.get("/admin/realms"))).toEqual([403, "auth.forbidden"]);
    expect((await realm.events("type=ADMIN_DENIED"))[0]).toMatchObject({ actor: `master/${name}`, realm: realm.name });
  });

  test("the realm's own session comes first, master's where that holds no permission", async () => {
    const realm = await iam.realm();
    const plain = await realm.user();
    const looker = await realm.as("view-users");
    const both = iam.browser();
    await both.signIn("master", "admin", MASTER_PASSWORD);
    await both.signIn(realm.name, plain.username, plain.password);
    const users = `/admin/realms/${realm.name}/users`;
    await both.get(users);
    expect((await both.post(users, { username: "by-master" })).status).toBe(201);
    expect((await realm.events("type=ADMIN_CREATE&resourceType=users"))[0].actor).toBe("master/admin");

    both.cookies.set(`gh_${realm.name}`, looker.browser.cookies.get(`gh_${realm.name}`)!);
    await both.get(users);
    expect(refusal(await both.post(users, { username: "by-looker" }))).toEqual([403, "auth.forbidden"]);
  });

  test("an impersonated session does not get in, whatever its user may do", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    await iam.core.db.updateTable("sessions").set({ impersonator: "master/admin" }).where("realm_id", "=", realm.name).execute();
    expect(refusal(await admin.get("/users"))).toEqual([403, "auth.forbidden"]);
    expect((await admin.post("/users", { username: "x" })).status).toBe(403);
    expect((await realm.events("type=ADMIN_DENIED"))[0]).toMatchObject({ impersonator: "master/admin" });
  });

  test("a permission taken, a user disabled, locked or deleted counts on the very next request", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const roleOf = async (name: string) => (await boss.get(`/roles?search=${name}-role`)).body[0].roleId;

    const demoted = await realm.as("view-users");
    expect((await demoted.get("/users")).status).toBe(200);
    await boss.put(`/admin-roles/${await roleOf(demoted.username)}`, { permissions: ["view-events"] });
    expect((await demoted.get("/users")).status).toBe(403);
    expect((await demoted.get("/events")).status).toBe(200);

    for (const change of [{ enabled: false }, { locked: true }]) {
      const victim = await realm.as("view-users");
      const { body } = await boss.get(`/users/${victim.userId}`);
      expect((await boss.put(`/users/${victim.userId}`, { ...body, ...change })).status).toBe(200);
      expect((await victim.get("/users")).status).toBe(401);
      // Letting them in again does not bring the session back.
      await boss.put(`/users/${victim.userId}`, { ...body, enabled: true, locked: false });
      expect((await victim.get("/users")).status).toBe(401);
    }
    const removed = await realm.as("view-users");
    await boss.delete(`/users/${removed.userId}`);
    expect((await removed.get("/users")).status).toBe(401);
  });
});

describe("CSRF", () => {
  test("a write needs the header, the cookie, both equal, and made for this session", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    const { browser } = admin;
    const token = browser.cookies.get("XSRF-TOKEN")!;
    const other = (await realm.as("manage-users")).browser.cookies.get("XSRF-TOKEN")!;
    const outsider = iam.browser();
    await outsider.get(`/realms/${realm.name}/login`);
    const preLogin = outsider.cookies.get("XSRF-TOKEN")!;
    const [random] = token.split(".");
    const send = async (cookie: string | null, header: string | null) => {
      cookie === null ? browser.cookies.delete("XSRF-TOKEN") : browser.cookies.set("XSRF-TOKEN", cookie);
      const answer = await admin.post("/users", {}, { csrf: false, headers: header === null ? {} : { "x-xsrf-token": header } });
      return refusal(answer);
    };
    const refused = [403, "auth.csrf"];
    expect(await send(token, null)).toEqual(refused);
    expect(await send(token, "")).toEqual(refused);
    expect(await send(null, token)).toEqual(refused);
    expect(await send(token, other)).toEqual(refused);
    expect(await send(other, token)).toEqual(refused);
    expect(await send(other, other)).toEqual(refused);
    expect(await send(preLogin, preLogin)).toEqual(refused);
    expect(await send(`${random}.x`, `${random}.x`)).toEqual(refused);
    expect(await send(`${token}.`, `${token}.`)).toEqual(refused);
    expect(await send("a.a", "a.a")).toEqual(refused);
    expect(await send(token, token)).toEqual([400, "request.invalid"]);
  });

  test("the token of before signing in does not serve after it", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    await browser.get(`/realms/${realm.name}/login`);
    const before = browser.cookies.get("XSRF-TOKEN")!;
    await browser.signIn(realm.name, "admin", realm.adminPassword);
    expect(browser.cookies.get("XSRF-TOKEN")).not.toBe(before);
    browser.cookies.set("XSRF-TOKEN", before);
    expect(refusal(await browser.post(`/admin/realms/${realm.name}/users`, { username: "x" }))).toEqual([403, "auth.csrf"]);
  });

  test("a read sets a token that fits where the one it met does not, and leaves one that does", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    expect((await admin.get("/users")).headers["set-cookie"]).toBeUndefined();
    admin.browser.cookies.set("XSRF-TOKEN", "of.another");
    const answer = await admin.get("/users");
    expect(String(answer.headers["set-cookie"])).toMatch(/^XSRF-TOKEN=[^;]+; Path=\/; SameSite=Lax$/);
    expect((await admin.post("/users", { username: "x" })).status).toBe(201);
  });
});

describe("bearer tokens", () => {
  test("an unknown one is a 401 that says how to authenticate", async () => {
    const realm = await iam.realm();
    const answer = await realm.anonymous().get("/users", { headers: { authorization: "Bearer abc" } });
    expect(refusal(answer)).toEqual([401, "auth.bearer"]);
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    const none = await realm.anonymous().get("/users", { headers: { authorization: "Bearer" } });
    expect(refusal(none)).toEqual([401, "auth.bearer"]);
    expect((await realm.anonymous().get("/users")).headers["www-authenticate"]).toBe("Bearer");
  });

  test("together with a session cookie it is a 400; another scheme is not ours to judge", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("view-users");
    expect(refusal(await admin.get("/users", { headers: { authorization: "Bearer abc" } }))).toEqual([400, "auth.two_credentials"]);
    expect((await admin.get("/users", { headers: { authorization: "Basic YTpi" } })).status).toBe(200);
  });

  test("needs no CSRF token, and cannot do without a known realm", async () => {
    const realm = await iam.realm();
    const answer = await realm.anonymous().post("/users", {}, { headers: { authorization: "Bearer abc" } });
    expect(refusal(answer)).toEqual([401, "auth.bearer"]);
    expect((await iam.browser().get("/admin/realms/nowhere/users", { headers: { authorization: "Bearer abc" } })).status).toBe(404);
  });
});

describe("the trace of a refusal", () => {
  test("ADMIN_DENIED and the metric for a write refused by 403, the metric alone for 401, nothing for the rest", async () => {
    const realm = await iam.realm();
    const looker = await realm.as("view-users");
    const manager = await realm.as("manage-users", "view-users");
    const { body: user } = await manager.post("/users", { username: "ada" });
    const events = (await realm.events()).length;
    const succeeded = await writes(realm.name, "success");
    const denied = () => writes(realm.name, "denied");
    const denials = async () => (await realm.events("type=ADMIN_DENIED")).length;
    const before = await denied();

    await looker.get("/events");
    await realm.anonymous().get("/users");
    expect([await denied(), await denials()]).toEqual([before, 0]);

    await realm.anonymous().post("/users", { username: "x" });
    expect([await denied(), await denials()]).toEqual([before + 1, 0]);

    await looker.delete(`/users/${user.userId}`);
    await looker.post("/users", { username: "x" }, { csrf: false });
    expect([await denied(), await denials()]).toEqual([before + 3, 2]);
    const [csrf, forbidden] = await realm.events("type=ADMIN_DENIED");
    expect(csrf).toMatchObject({
      resourceType: "users",
      resourceId: null,
      detail: "POST auth.csrf",
      category: "ADMIN",
      outcome: "FAILURE",
    });
    expect(forbidden).toMatchObject({
      actor: looker.username,
      resourceType: "users",
      resourceId: user.userId,
      detail: "DELETE auth.forbidden",
    });

    expect((await manager.post("/users", {})).status).toBe(400);
    expect((await manager.delete(`/users/${NO_USER}`)).status).toBe(404);
    expect((await manager.delete(`/users/${user.userId}`, { headers: { "if-match": '"99"' } })).status).toBe(412);
    expect((await manager.post("/users", { username: "ADA" })).status).toBe(409);
    expect([await denied(), await denials(), await writes(realm.name, "success")]).toEqual([before + 3, 2, succeeded]);
    expect((await realm.events()).length).toBe(events + 2);
  });

  test("a write refused inside its transaction, by the escalation rule, is recorded too", async () => {
    const realm = await iam.realm();
    const manager = await realm.as("manage-users");
    const admin = await realm.admin();
    expect((await manager.put(`/users/${admin.userId}/password`, { newPassword: "another password" })).status).toBe(403);
    expect(await realm.events("type=ADMIN_DENIED")).toMatchObject([
      { actor: manager.username, resourceType: "users", resourceId: admin.userId, detail: "PUT permissions.escalation" },
    ]);
    expect(await realm.events(`type=PASSWORD_RESET&actor=${manager.username}`)).toEqual([]);
  });

  test("a realm refused to a helper of master is named in master's trail", async () => {
    const realm = await iam.realm();
    const name = `nobody-${realm.name}`;
    const helper = await iam.ofMaster(name);
    expect((await helper.delete(`/admin/realms/${realm.name}`)).status).toBe(403);
    const { items } = (await realm.asMaster().browser.get(`/admin/realms/master/events?type=ADMIN_DENIED&actor=${name}`)).body;
    expect(items).toMatchObject([{ resourceType: "realms", resourceId: realm.name, detail: "DELETE auth.forbidden", realm: "master" }]);
  });

  test("answers of the admin API are not cached", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("view-users");
    expect((await admin.get("/users")).headers["cache-control"]).toBe("no-store");
  });

  test("forms and plain text, which any page can send, are refused with 415", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users");
    expect((await admin.browser.request("POST", `/admin/realms/${realm.name}/users`, { form: { username: "x" } })).status).toBe(415);
    expect((await admin.post("/users", '{"username":"x"}', { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });
});
