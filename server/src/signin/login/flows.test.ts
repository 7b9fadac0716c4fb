import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, followed, formOf, isSignedIn, masked } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const step = (authenticator: string, config = {}, requirement = "REQUIRED") => ({ authenticator, requirement, config });
const byName = [step("username"), step("password")];
/** Asks for the password once more if the condition holds. */
const moreWhen = (condition: string, config = {}) => [
  step("username-password"),
  { alias: "more", requirement: "CONDITIONAL", steps: [step(condition, config), step("password")] },
];

async function realmWith(steps: object[]): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  const saved = await realm.asMaster().put("/flow", { displayName: "Sign in", steps });
  if (saved.status !== 200) throw new Error(saved.text);
  return realm;
}

const open = (browser: Browser, realm: RealmUnderTest) => browser.get(`/realms/${realm.name}/login`);
const named = async (browser: Browser, realm: RealmUnderTest, username: string): Promise<Answer> =>
  followed(browser, await answerPage(browser, realm.name, await open(browser, realm), { username }));

describe("a flow of two pages", () => {
  test("asks for the name, then for the password, and does not reveal who exists", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const pages = [];
    for (const username of [user.username, "nobody-at-all"]) {
      const browser = iam.browser();
      const page = await named(browser, realm, username);
      const wrong = await answerPage(browser, realm.name, page, { password: "not the password" });
      pages.push([page.status, masked(page.text, username), wrong.status, masked(wrong.text, username)]);
    }
    expect(pages[0]).toEqual(pages[1]);
    expect(pages[0]![2]).toBe(401);
    const browser = iam.browser();
    const done = await answerPage(browser, realm.name, await named(browser, realm, user.username), { password: user.password });
    expect(isSignedIn(done, realm.name)).toBe(true);
  });

  test("cannot be skipped, answered from another browser, or replayed", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const first = await open(browser, realm);
    const skipped = await answerPage(browser, realm.name, first, { step: "1", username: user.username, password: user.password });
    expect([skipped.status, isSignedIn(skipped, realm.name)]).toEqual([303, false]);
    const chosen = await answerPage(browser, realm.name, first, { choose: "1" });
    expect((await followed(browser, chosen)).text, "a way that is not open cannot be chosen").not.toContain('name="password"');

    const page = await named(browser, realm, user.username);
    const otherBrowser = iam.browser();
    await open(otherBrowser, realm);
    const form = { ...formOf(page), _csrf: otherBrowser.cookies.get("XSRF-TOKEN")!, password: user.password };
    expect((await otherBrowser.request("POST", `/realms/${realm.name}/login`, { form, csrf: false })).status).toBe(400);

    const done = await answerPage(browser, realm.name, page, { password: user.password });
    expect(isSignedIn(done, realm.name)).toBe(true);
    const again = await answerPage(browser, realm.name, page, { password: user.password });
    expect([again.status, isSignedIn(again, realm.name)]).toEqual([303, false]);
    expect(await realm.events("type=LOGIN_SUCCESS")).toHaveLength(1);
  });

  test("two answers at once sign in once, and neither gets an error", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const page = await named(browser, realm, user.username);
    const answers = await Promise.all([1, 2].map(() => answerPage(browser, realm.name, page, { password: user.password })));
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(await realm.events("type=LOGIN_SUCCESS")).toHaveLength(1);
    expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(0);
  });

  test("ends for a user who is disabled midway", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const page = await named(browser, realm, user.username);
    const { body } = await realm.asMaster().get(`/users/${user.userId}`);
    await realm.asMaster().put(`/users/${user.userId}`, { ...body, enabled: false });
    expect((await answerPage(browser, realm.name, page, { password: user.password })).status).toBe(401);
  });

  test("begins again when the flow has changed, and when the user asks for it", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const page = await named(browser, realm, user.username);
    const restarted = await followed(browser, await answerPage(browser, realm.name, page, { restart: "true" }));
    expect(restarted.text).not.toContain('name="password"');
    const second = await named(browser, realm, user.username);
    await realm.asMaster().put("/flow", { displayName: "Sign in", steps: [step("username-password")] });
    const old = await followed(browser, await answerPage(browser, realm.name, second, { password: user.password }));
    expect(old.text).toContain('name="username"');
    expect(isSignedIn(await answerPage(browser, realm.name, old, user), realm.name)).toBe(true);
  });

  test("expires after half an hour, with a link to begin again", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const page = await named(browser, realm, user.username);
    clock.advance(HOUR);
    const late = await answerPage(browser, realm.name, page, { password: user.password });
    expect(late.status).toBe(400);
    expect(late.text).toContain(`href="/realms/${realm.name}/login"`);
  });

  test("a user who answers while another is signed in replaces that session", async () => {
    const realm = await realmWith([step("cookie", {}, "ALTERNATIVE"), step("username-password", {}, "ALTERNATIVE")]);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    const tab = await open(browser, realm);
    await browser.signIn(realm.name, ada.username, ada.password);
    expect(isSignedIn(await answerPage(browser, realm.name, tab, bob), realm.name)).toBe(true);
    expect((await browser.get(`/realms/${realm.name}/login`)).text).toContain(bob.username);
  });

  test.runIf(testDatabase() === "postgres")("goes on at another node", async () => {
    const realm = await realmWith(byName);
    const user = await realm.user();
    const browser = iam.browser();
    const page = await named(browser, realm, user.username);
    const node = await iam.secondNode();
    expect(
      isSignedIn(await answerPage(browser.elsewhere(node.server.app), realm.name, page, { password: user.password }), realm.name),
    ).toBe(true);
  });
});

describe("conditions", () => {
  const isAskedMore = async (realm: RealmUnderTest, user: { username: string; password: string }) =>
    !isSignedIn(await iam.browser().trySignIn(realm.name, user.username, user.password), realm.name);
  /** Tells whether the condition holds for a user, and whether its negation does. */
  async function verdict(condition: string, config: (realm: RealmUnderTest, userId: string) => Promise<object>) {
    const realm = await iam.realm();
    const user = await realm.user();
    const given = await config(realm, user.userId);
    const verdicts = [];
    for (const more of [{}, { negate: true }]) {
      const saved = await realm.asMaster().put("/flow", { displayName: "Sign in", steps: moreWhen(condition, { ...given, ...more }) });
      expect([saved.status, saved.body]).toMatchObject([200, {}]);
      verdicts.push(await isAskedMore(realm, user));
    }
    return verdicts;
  }

  test("on a role follow it to another name", async () => {
    const realm = await iam.realm();
    const [user, master] = [await realm.user(), realm.asMaster()];
    const { roleId } = (await master.post("/roles", { name: "staff" })).body;
    await master.post("/roles", { name: "other" });
    await master.post(`/users/${user.userId}/roles`, { name: "staff" });
    const steps = moreWhen("condition-role", { roles: ["other", "Staff"] });
    expect((await master.put("/flow", { displayName: "Sign in", steps })).status).toBe(200);
    expect(await isAskedMore(realm, user)).toBe(true);
    expect((await master.patch(`/roles/${roleId}`, { name: "crew" })).status).toBe(200);
    expect(await isAskedMore(realm, user)).toBe(true);
    const { body } = await master.get("/flow");
    expect(JSON.stringify(body.steps)).toContain('"roles":["other","crew"]');
    await master.post("/roles", { name: "staff" });
    const other = await realm.user();
    await master.post(`/users/${other.userId}/roles`, { name: "staff" });
    expect(await isAskedMore(realm, other), "another role of the former name").toBe(false);
  });

  test("on the user: role, group, attribute, credential", async () => {
    expect(
      await verdict("condition-role", async (realm, userId) => {
        for (const name of ["staff", "other"]) await realm.asMaster().post("/roles", { name });
        await realm.asMaster().post(`/users/${userId}/roles`, { name: "staff" });
        return { roles: ["other", "staff"] };
      }),
    ).toEqual([true, false]);
    expect(await verdict("condition-role", async () => ({ roles: ["admin"] }))).toEqual([false, true]);
    expect(
      await verdict("condition-group", async (realm, userId) => {
        const { groupId } = (await realm.asMaster().post("/groups", { name: "top" })).body;
        const below = (await realm.asMaster().post("/groups", { name: "below", parentId: groupId })).body.groupId;
        await realm.asMaster().put(`/groups/${below}/members/${userId}`);
        return { groups: [groupId] };
      }),
    ).toEqual([true, false]);
    expect(
      await verdict("condition-attribute", async (realm, userId) => {
        const { body } = await realm.asMaster().get(`/users/${userId}`);
        await realm.asMaster().put(`/users/${userId}`, { ...body, attributes: { team: ["red", "blue"] } });
        return { name: "team", value: "blue" };
      }),
    ).toEqual([true, false]);
    expect(await verdict("condition-credential", async () => ({ types: ["totp"] }))).toEqual([false, true]);
    expect(await verdict("condition-credential", async () => ({ types: ["password"] }))).toEqual([true, false]);
  });

  test("on the request: client, network, level, device", async () => {
    expect(await verdict("condition-client", async () => ({ clientIds: ["shop"] }))).toEqual([false, true]);
    expect(await verdict("condition-network", async () => ({ networks: ["203.0.113.0/24"] }))).toEqual([true, false]);
    expect(await verdict("condition-network", async () => ({ networks: ["198.51.100.0/24", "2001:db8::/32"] }))).toEqual([false, true]);
    expect(await verdict("condition-acr", async () => ({ acr: "2" }))).toEqual([false, true]);
    expect(await verdict("condition-unknown-device", async () => ({}))).toEqual([true, false]);
  });
});
