import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { enqueue } from "../../platform/jobs/index.ts";
import { Browser } from "../../testing/browser.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const scrape = async () => (await iam.browser().get("/monitoring/metrics")).text;
/** The lines of one realm, as `name{other labels}` → value. */
const seriesOf = async (realm: string) =>
  Object.fromEntries(
    (await scrape())
      .split("\n")
      .filter((line) => line.includes(`realm="${realm}"`))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")).replace(/realm="[^"]*",?/, ""), Number(line.slice(line.lastIndexOf(" ")))]),
  );
const flush = () => iam.core.metrics.flush(iam.core.db);

describe("GET /monitoring/metrics", () => {
  test("is in the text exposition format, with the process, the queue, the hasher and the pool", async () => {
    const answer = await iam.browser().get("/monitoring/metrics");
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      "# TYPE svc_login_total counter",
      "# TYPE svc_tokens_issued_total counter",
      "# TYPE svc_mfa_challenge_total counter",
      "# TYPE svc_admin_write_total counter",
      "# TYPE nodejs_eventloop_lag_seconds gauge",
      "svc_database_up 1",
      "svc_password_hashes_running 0",
      "svc_password_hashes_waiting 0",
      "svc_jobs_dead 0",
    ])
      expect(answer.text).toContain(`${line}\n`);
    expect(answer.text).toMatch(/\nsvc_jobs_oldest_waiting_seconds \d/);
    for (const state of ["", "_idle", "_waiting"])
      expect(answer.text.includes(`\nsvc_database_connections${state} `)).toBe(testDatabase() === "postgres");
  });

  test("the queue is counted, and looked at once in five seconds", async () => {
    clock.advance(10_000);
    const before = Number(/\nsvc_jobs_waiting (\d+)/.exec(await scrape())?.[1]);
    await inTransaction(iam.core.db, (tx) => enqueue(tx, { kind: "nobody.does.this", runAt: clock.now() - 90_000 }, clock.now()));
    expect(await scrape()).toContain(`\nsvc_jobs_waiting ${before}\n`);
    clock.advance(5_000);
    const after = await scrape();
    expect(Number(/\nsvc_jobs_waiting (\d+)/.exec(after)?.[1])).toBeGreaterThan(before);
    expect(Number(/\nsvc_jobs_oldest_waiting_seconds ([\d.]+)/.exec(after)?.[1])).toBeGreaterThanOrEqual(95);
  });

  test("a sign-in counts once, by outcome", async () => {
    const realm = await iam.realm();
    await realm.admin();
    expect((await iam.browser().trySignIn(realm.name, "admin", "wrong")).status).toBe(401);
    expect((await iam.browser().trySignIn(realm.name, "nobody", "wrong")).status).toBe(401);
    expect(await seriesOf(realm.name)).toEqual({ 'svc_login_total{outcome="success"}': 1, 'svc_login_total{outcome="failure"}': 2 });
  });

  test("an admin write counts once, by method and outcome; reads and other refusals do not", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { body: role } = await admin.post("/roles", { name: "clerk" });
    await admin.put(`/roles/${role.roleId}`, { ...role, description: "writes" });
    await admin.delete(`/roles/${role.roleId}`);
    await admin.get("/roles");
    expect((await admin.post("/roles", { name: "" })).status).toBe(400);
    expect((await admin.delete(`/roles/${role.roleId}`)).status).toBe(404);
    expect((await admin.post("/roles", { name: "admin" })).status).toBe(409);
    const writes = {
      'svc_admin_write_total{method="POST",outcome="success"}': 1,
      'svc_admin_write_total{method="PUT",outcome="success"}': 1,
      'svc_admin_write_total{method="DELETE",outcome="success"}': 1,
    };
    expect(await seriesOf(realm.name)).toEqual({ 'svc_login_total{outcome="success"}': 1, ...writes });

    expect((await realm.anonymous().post("/roles", { name: "x" })).status).toBe(401);
    expect((await admin.post("/roles", { name: "x" }, { csrf: false })).status).toBe(403);
    expect(await seriesOf(realm.name)).toMatchObject({ ...writes, 'svc_admin_write_total{method="POST",outcome="denied"}': 2 });
  });

  test("a write to a realm that does not exist makes no series", async () => {
    expect((await iam.browser().post("/admin/realms/no-such-realm/users", {})).status).toBe(404);
    expect(await scrape()).not.toContain("no-such-realm");
  });
});

describe("GET /admin/metrics/summary", () => {
  const summary = async (query = "") => {
    await flush();
    const answer = await (await iam.realm()).asMaster().browser.get(`/admin/metrics/summary${query}`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const ofRealm = async (realm: RealmUnderTest) => (await summary(`?search=${realm.name}`)).realms[0];

  onPostgres("adds up logins, tokens, challenges and writes, and counts sessions, users and waiting jobs", async () => {
    const before = (await summary()).total;
    const realm = await iam.realm();
    const admin = await realm.admin();
    await iam.browser().trySignIn(realm.name, "admin", "wrong");
    await admin.post("/users", { username: "ada" });
    await realm.anonymous().post("/users", { username: "ada" });
    iam.core.metrics.tokens(realm.name, 3);
    iam.core.metrics.mfaChallenge(realm.name);
    await inTransaction(iam.core.db, (tx) => enqueue(tx, { kind: "nobody.does.this", realm: realm.name, runAt: clock.now() }, clock.now()));

    const counted = {
      logins: { success: 1, failure: 1 },
      tokens: 3,
      mfaChallenges: 1,
      adminWrites: { success: 1, denied: 1 },
    };
    expect(await ofRealm(realm)).toEqual({
      realm: realm.name,
      lastHour: counted,
      lastDay: counted,
      lastWeek: counted,
      activeSessions: 1,
      users: 2,
      queueDepth: 1,
    });
    const { total, generatedAt } = await summary();
    expect(total.lastWeek.tokens - before.lastWeek.tokens).toBe(3);
    expect(total.lastHour.logins.failure - before.lastHour.logins.failure).toBe(1);
    expect(total.users).toBeGreaterThanOrEqual(before.users + 2);
    expect(total.activeSessions).toBeGreaterThan(before.activeSessions);
    expect(total.queueDepth).toBeGreaterThan(0);
    expect(Math.abs(clock.now() - generatedAt)).toBeLessThan(MINUTE);
  });

  test("unstored counts of a deleted realm are dropped, so that a new realm of its name starts at zero", async () => {
    const realm = await iam.realm();
    const stored = () => iam.core.db.selectFrom("metric_hours").selectAll().where("realm_id", "=", realm.name).execute();
    await flush();
    await realm.admin();
    // Not always nothing: the server stores every ten seconds, and these may be up.
    const before = await stored();
    await realm.asMaster().delete("");
    await flush();
    expect(await stored()).toEqual(before);
  });

  test("the list is paged, searched and sorted as others are", async () => {
    const realms = [await iam.realm(), await iam.realm(), await iam.realm()];
    const names = realms.map(({ name }) => name);
    const { browser } = realms[0]!.asMaster();
    const common = names[0]!.slice(0, 4);
    const first = await browser.get(`/admin/metrics/summary?size=1&search=${common}&sort=-createdAt`);
    expect(first.body.realms.map(({ realm }: { realm: string }) => realm)).toEqual([names[2]]);
    expect(Number(first.headers["x-total-count"])).toBeGreaterThanOrEqual(3);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1];
    expect((await browser.get(next!)).body.realms.map(({ realm }: { realm: string }) => realm)).toEqual([names[1]]);
    expect((await browser.get("/admin/metrics/summary?search=no-such")).body).toMatchObject({ realms: [], total: { lastWeek: {} } });
    expect((await browser.get("/admin/metrics/summary?size=0")).status).toBe(400);
    expect((await browser.get("/admin/metrics/summary?sort=colour")).status).toBe(400);
  });

  onPostgres("needs view-events in master: not that of another realm, nor another permission of master", async () => {
    const realm = await iam.realm();
    const { browser: master } = realm.asMaster();
    const holder = async (role: string) => {
      const username = `${role}-${realm.name}`;
      const { userId } = (await master.post("/admin/realms/master/users", { username })).body;
      await master.put(`/admin/realms/master/users/${userId}/password`, { newPassword: "a password for tests" });
      const assigned = await master.post(`/admin/realms/master/users/${userId}/roles`, { name: role });
      expect(assigned.status).toBe(200);
      const browser = iam.browser();
      await browser.signIn("master", username, "a password for tests");
      return browser;
    };
    const { roleId } = (await master.post("/admin/realms/master/roles", { name: `clerk-${realm.name}` })).body;
    await master.put(`/admin/realms/master/admin-roles/${roleId}`, { permissions: ["view-users", "manage-events"] });

    const status = async (browser: Browser) => (await browser.get("/admin/metrics/summary")).status;
    expect(await status(await holder("auditor"))).toBe(200);
    expect(await status(await holder(`clerk-${realm.name}`))).toBe(403);
    expect(await status(await holder("user"))).toBe(403);
    expect(await status((await realm.as("view-events")).browser)).toBe(401);
    expect(await status((await realm.admin()).browser)).toBe(401);
    expect(await status(iam.browser())).toBe(401);
  });

  test.runIf(testDatabase() === "postgres")("adds up all nodes, also when they store at the same moment", async () => {
    const other = await iam.secondNode();
    const realm = await iam.realm();
    for (const node of [iam, other]) {
      await new Browser(node.server.app).signIn(realm.name, "admin", realm.adminPassword);
      await new Browser(node.server.app).trySignIn(realm.name, "admin", "wrong");
    }
    await Promise.all([iam, other].map(({ core }) => core.metrics.flush(core.db)));
    const found = await ofRealm(realm);
    expect(found).toMatchObject({ lastHour: { logins: { success: 2, failure: 2 } }, activeSessions: 2 });
    // Each node shows its own to Prometheus.
    expect(await seriesOf(realm.name)).toMatchObject({ 'svc_login_total{outcome="success"}': 1 });
  });

  test("counts that could not be stored are stored the next time", async () => {
    const realm = await iam.realm();
    await realm.admin();
    const aborted = iam.core.db.transaction().execute(async (tx) => {
      await expect(sql`select 1 / 0`.execute(tx)).rejects.toThrow("division");
      await iam.core.metrics.flush(tx);
    });
    await expect(aborted).rejects.toThrow("aborted");
    expect((await ofRealm(realm)).lastHour.logins.success).toBe(1);
  });
});
