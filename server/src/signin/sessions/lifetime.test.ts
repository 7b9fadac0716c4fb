import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, followed } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock and end the sharedHarness's own session.
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const cookieOf = ({ headers }: Answer, name: string) => [headers["set-cookie"] ?? []].flat().find((line) => line.startsWith(`${name}=`));
const isSignedIn = async (browser: Browser, realm: RealmUnderTest) =>
  (await browser.get(`/realms/${realm.name}/logout`)).text.includes('name="_csrf"');

describe("the session", () => {
  test("never adopts an existing cookie value", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const planted = "A".repeat(43);
    browser.cookies.set(`gh_${realm.name}`, planted);
    await browser.signIn(realm.name, "admin", realm.adminPassword);
    expect(browser.cookies.get(`gh_${realm.name}`)).not.toBe(planted);
    const thief = iam.browser();
    thief.cookies.set(`gh_${realm.name}`, planted);
    expect(await isSignedIn(thief, realm)).toBe(false);
  });

  test("keeps its id and changes its cookie when the same person signs in again; another person ends it", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    const sessions = async () => (await realm.asMaster().get("/sessions?sort=createdAt")).body;
    await browser.signIn(realm.name, ada.username, ada.password);
    const first = browser.cookies.get(`gh_${realm.name}`)!;
    const [before] = await sessions();
    await browser.signIn(realm.name, ada.username, ada.password);
    expect(browser.cookies.get(`gh_${realm.name}`)).not.toBe(first);
    expect(await sessions()).toMatchObject([{ id: before.id, createdAt: before.createdAt }]);
    const old = iam.browser();
    old.cookies.set(`gh_${realm.name}`, first);
    expect(await isSignedIn(old, realm)).toBe(false);
    expect(await isSignedIn(browser, realm)).toBe(true);

    await browser.signIn(realm.name, bob.username, bob.password);
    const [after, ...more] = await sessions();
    expect([after.username, more]).toEqual([bob.username, []]);
    expect(after.id).not.toBe(before.id);
  });

  test("of an impersonation does not become the user's own", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const browser = iam.browser();
    await browser.signIn(realm.name, ada.username, ada.password);
    await iam.core.db.updateTable("sessions").set({ impersonator: "admin" }).where("realm_id", "=", realm.name).execute();
    await browser.signIn(realm.name, ada.username, ada.password);
    expect((await realm.asMaster().get("/sessions")).body).toMatchObject([{ username: ada.username, impersonator: null }]);
  });

  test("is stored in the database as a hash only", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const token = admin.browser.cookies.get(`gh_${realm.name}`)!;
    const rows = await iam.core.db.selectFrom("sessions").selectAll().where("realm_id", "=", realm.name).execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.map((row) => row.token_hash)).toContain(sha256(token));
  });

  test("works in a realm that is named like one of our cookies", async () => {
    const boss = (await iam.realm()).asMaster().browser;
    for (const name of ["pre", "lang"]) {
      expect((await boss.post("/admin/realms", { realm: name, adminPassword: "a password for tests" })).status).toBe(201);
      const browser = iam.browser();
      await browser.signIn(name, "admin", "a password for tests");
      await browser.get(`/realms/${name}/login?lang=nl`);
      expect((await browser.get(`/admin/realms/${name}/users`)).status).toBe(200);
    }
  });

  test("ends after half an hour without use, and continues with it", async () => {
    const realm = await iam.realm();
    const { browser } = await realm.admin();
    for (let times = 0; times < 3; times++) {
      clock.advance(28 * MINUTE);
      expect(await isSignedIn(browser, realm)).toBe(true);
    }
    clock.advance(30 * MINUTE + SECOND);
    expect(await isSignedIn(browser, realm)).toBe(false);
  });

  test("with an idle time of a minute outlives that minute while it is used", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { sessions: { idleMinutes: 1 } });
    const { browser } = await realm.admin();
    for (let times = 0; times < 6; times++) {
      clock.advance(40 * SECOND);
      expect([times, await isSignedIn(browser, realm)]).toEqual([times, true]);
    }
    clock.advance(MINUTE + SECOND);
    expect(await isSignedIn(browser, realm)).toBe(false);
  });

  test("ends after ten hours, used or not", async () => {
    const realm = await iam.realm();
    const { browser } = await realm.admin();
    for (let minutes = 0; minutes < 595; minutes += 28) {
      expect([minutes, await isSignedIn(browser, realm)]).toEqual([minutes, true]);
      clock.advance(28 * MINUTE);
    }
    clock.reset();
    clock.advance(10 * HOUR + MINUTE);
    expect(await isSignedIn(browser, realm)).toBe(false);
  });

  test("kept on request lasts thirty days, used or not, where the realm allows it", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const answer = await browser.trySignIn(realm.name, "admin", realm.adminPassword, { rememberMe: "on" });
    expect(cookieOf(answer, `gh_${realm.name}`)).toContain(`Max-Age=${(30 * DAY) / SECOND}`);
    clock.advance(15 * DAY);
    expect(await isSignedIn(browser, realm)).toBe(true);
    clock.advance(15 * DAY - MINUTE);
    expect(await isSignedIn(browser, realm)).toBe(true);
    clock.advance(2 * MINUTE);
    expect(await isSignedIn(browser, realm)).toBe(false);

    clock.reset();
    await realm.asMaster().put("/settings", { sessions: { rememberMe: false } });
    const other = iam.browser();
    const refused = await other.trySignIn(realm.name, "admin", realm.adminPassword, { rememberMe: "on" });
    expect(cookieOf(refused, `gh_${realm.name}`)).not.toContain("Max-Age");
    clock.advance(HOUR);
    expect(await isSignedIn(other, realm)).toBe(false);
  });

  test("that exists gets shorter with the lifetimes of the realm, and none gets longer", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const [kept, usual] = [iam.browser(), iam.browser()];
    const limit = async (sessions: object) => expect((await realm.asMaster().patch("/settings", { sessions })).status).toBe(200);
    const signedIn = () => Promise.all([kept, usual].map((browser) => isSignedIn(browser, realm)));
    const begin = async () => {
      expect((await kept.trySignIn(realm.name, ada.username, ada.password, { rememberMe: "on" })).status).toBe(303);
      await usual.signIn(realm.name, ada.username, ada.password);
    };
    await begin();
    clock.advance(25 * MINUTE);
    await limit({ rememberMe: false });
    expect(await signedIn()).toEqual([true, true]);
    clock.advance(31 * MINUTE);
    expect(await signedIn()).toEqual([false, false]);

    await limit({ rememberMe: true });
    await begin();
    clock.advance(20 * MINUTE);
    await limit({ idleMinutes: 15 });
    expect(await signedIn()).toEqual([true, false]);
    clock.advance(DAY);
    await limit({ rememberDays: 1 });
    expect(await signedIn()).toEqual([false, false]);

    await limit({ idleMinutes: 600 });
    await begin();
    clock.advance(HOUR + MINUTE);
    await limit({ absoluteHours: 1 });
    expect(await signedIn()).toEqual([true, false]);
  });

  test("is not made longer or shorter by an action that proves nothing", async () => {
    for (const kept of [{}, { rememberMe: "on" }]) {
      const realm = await iam.realm();
      const { userId, username, password } = await realm.user();
      const browser = iam.browser();
      await browser.trySignIn(realm.name, username, password, kept);
      const columns = ["auth_time", "absolute_expiry", "remembered"] as const;
      const session = () => iam.core.db.selectFrom("sessions").select(columns).where("user_id", "=", userId).executeTakeFirstOrThrow();
      const before = await session();
      clock.advance(5 * MINUTE);
      expect((await realm.asMaster().put(`/users/${userId}/required-actions`, ["UPDATE_PROFILE"])).status).toBe(200);
      const page = await followed(browser, await browser.get(`/realms/${realm.name}/login`));
      const done = await answerPage(browser, realm.name, page, { firstName: "Ada", lastName: "Lovelace" });
      expect(done.status).toBe(303);
      expect(await session()).toEqual(before);
      const maxAge = cookieOf(done, `gh_${realm.name}`)?.match(/Max-Age=(\d+)/)?.[1];
      expect(maxAge === undefined).toBe(!before.remembered);
      // The cookie lives no longer than the session, which has used up five minutes.
      if (maxAge) expect(Number(maxAge)).toBeLessThanOrEqual((30 * DAY - 5 * MINUTE) / SECOND);
      clock.reset();
    }
  });
});

describe("signing out", () => {
  test("ends the session, clears the cookie and is recorded", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    const browser = iam.browser();
    await browser.signIn(realm.name, username, password);
    const copy = iam.browser();
    copy.cookies.set(`gh_${realm.name}`, browser.cookies.get(`gh_${realm.name}`)!);
    const answer = await browser.request("POST", `/realms/${realm.name}/logout`, {
      form: { _csrf: browser.cookies.get("XSRF-TOKEN")! },
      csrf: false,
    });
    expect([answer.status, answer.headers.location]).toEqual([303, `/realms/${realm.name}/login?signed_out=1`]);
    expect(cookieOf(answer, `gh_${realm.name}`)).toMatch(/=; Max-Age=0; Path=\/|=; .*Expires=Thu, 01 Jan 1970/);
    expect(await isSignedIn(copy, realm)).toBe(false);
    expect(await realm.events("type=LOGOUT")).toMatchObject([{ actor: username, category: "AUTHN", outcome: "SUCCESS" }]);
    // The CSRF token of the ended session does not fit the next sign-in. The new one does.
    expect((await browser.trySignIn(realm.name, username, password)).status).toBe(303);
  });

  test("needs the CSRF token: another site cannot sign a user out", async () => {
    const realm = await iam.realm();
    const { browser } = await realm.admin();
    for (const form of [{}, { _csrf: "x.y" }])
      expect((await browser.request("POST", `/realms/${realm.name}/logout`, { form: form as never, csrf: false })).status).toBe(403);
    expect((await browser.request("POST", `/realms/${realm.name}/logout`, { csrf: false })).status).toBe(403);
    expect(await isSignedIn(browser, realm)).toBe(true);
    expect(await realm.events("type=LOGOUT")).toEqual([]);
  });

  test("without a session does no harm", async () => {
    const realm = await iam.realm();
    expect((await iam.browser().request("POST", `/realms/${realm.name}/logout`, { form: {} })).status).toBe(303);
    expect(await realm.events("type=LOGOUT")).toEqual([]);
  });
});
