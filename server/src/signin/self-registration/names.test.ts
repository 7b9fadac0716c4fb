import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let mail: Mailing;
let base: string;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
  base = iam.config.baseUrl;
});
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

const PASSWORD = "a quiet and long sentence";
let people = 0;
const address = () => `ada${people++}@example.org`;
const alertOf = (page: Answer) => /id="gh-error"[^>]*>([\s\S]*?)<\/div>/.exec(page.text)?.[1] ?? "";
const statusOf = async (realm: RealmUnderTest, login: string, password: string) =>
  (await iam.browser().trySignIn(realm.name, login, password)).status;

async function open(registration: object = {}): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  await mail.enable(realm);
  const settings = { registration: { enabled: true, ...registration }, account: { changeUsername: true, changeEmail: true } };
  expect((await realm.asMaster().put("/settings", settings)).status).toBe(200);
  return realm;
}

async function register(realm: RealmUnderTest, form: { username?: string; email: string }, browser: Browser = iam.browser()) {
  const { page } = await walk(browser, base, `/realms/${realm.name}/register`);
  const more = { firstName: "Ada", lastName: "Lovelace", newPassword: PASSWORD, newPasswordAgain: PASSWORD };
  return { browser, ...(await submit(browser, base, page, { ...form, ...more })) };
}

/** Creates a user as administrators and directories do: the username has the form of an address, and the mail address is another. */
async function withUpn(realm: RealmUnderTest, upn: string) {
  const made = await realm.asMaster().post("/users", { username: upn, email: address() });
  expect(made.status, made.text).toBe(201);
  await realm.asMaster().put(`/users/${made.body.userId}/password`, { newPassword: PASSWORD });
  return made.body as { userId: string; username: string; email: string };
}

describe("a username in the form of a mail address", () => {
  test.each([{ verifyEmail: true }, { verifyEmail: false }])("is refused to people who register, with %j", async (registration) => {
    const realm = await open(registration);
    const known = address();
    await realm.asMaster().post("/users", { username: `u${people++}`, email: known });
    const answers: [number, string][] = [];
    for (const username of [known, address(), known.toUpperCase(), known.replace("@", "＠")]) {
      const { page } = await register(realm, { username, email: address() });
      answers.push([page.status, alertOf(page)]);
    }
    // The answer is the same for a taken address and a free one.
    expect(answers).toEqual(Array(4).fill([400, expect.stringContaining("has to be your own, confirmed address")]));
  });

  test("is accepted if it is the address that is about to be confirmed", async () => {
    const realm = await open();
    const own = address();
    const { browser, page } = await register(realm, { username: own, email: own });
    const { code } = await mail.latestTo(own);
    await submit(browser, base, page, { code: code! });
    expect(await statusOf(realm, own, PASSWORD)).toBe(303);
  });

  test("in a user's profile has to be their confirmed address", async () => {
    const realm = await open();
    const user = await realm.user();
    const [own, other] = [address(), address()];
    await realm.asMaster().patch(`/users/${user.userId}`, { email: own });
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    const path = `/realms/${realm.name}/account/profile`;
    const put = async (username: string) => browser.put(path, { ...(await browser.get(path)).body, username });
    for (const username of [own, other]) {
      const refused = await put(username);
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [expect.objectContaining({ field: "username", code: "users.not_own_address" })],
      ]);
    }
    const { body } = await realm.asMaster().get(`/users/${user.userId}`);
    await realm.asMaster().put(`/users/${user.userId}`, { ...body, emailVerified: true });
    expect((await put(other)).status).toBe(400);
    expect((await put(own)).status).toBe(200);
    expect((await put(`plain${people++}`)).status).toBe(200);
  });

  test("is accepted from an invited user only if it is the invited address", async () => {
    const realm = await open();
    const email = address();
    const admin = realm.asMaster();
    const { organizationId } = (await admin.post("/organizations", { name: "Acme" })).body;
    await admin.post(`/organizations/${organizationId}/invitations`, { email, role: "member" });
    const path = new URL((await mail.linksTo(email)).at(-1)!).pathname;
    const browser = iam.browser();
    await browser.get(path);
    const create = (username: string) => {
      const form = { username, password: PASSWORD, passwordAgain: PASSWORD, _csrf: browser.cookies.get("XSRF-TOKEN")! };
      return browser.request("POST", `${path}/account`, { form, csrf: false });
    };
    const refused = await create(address());
    expect([refused.status, alertOf(refused)]).toEqual([400, expect.stringContaining("has to be your own, confirmed address")]);
    expect((await create(email)).status).toBe(303);
  });

  test("can be given by an administrator", async () => {
    const realm = await open();
    const upn = address();
    await withUpn(realm, upn);
    expect(await statusOf(realm, upn, PASSWORD)).toBe(303);
    expect((await realm.asMaster().post("/users", { username: `u${people++}`, email: upn, emailVerified: true })).status).toBe(409);
  });
});

describe("the owner of an address that is another user's username", () => {
  test("claims it by registering; the other keeps the username, and signs in by their own address", async () => {
    const realm = await open();
    const claimed = address();
    const upn = await withUpn(realm, claimed);
    const { browser, page } = await register(realm, { username: `u${people++}`, email: claimed });
    expect(await statusOf(realm, claimed, PASSWORD), "nothing is confirmed yet").toBe(303);
    const before = (await realm.asMaster().get(`/users?search=${claimed}`)).body;
    expect(before.map(({ userId }: { userId: string }) => userId)).toEqual([upn.userId]);
    const { code } = await mail.latestTo(claimed);
    await submit(browser, base, page, { code: code! });

    const [{ userId }] = (await realm.asMaster().get("/users?sort=-createdAt")).body;
    expect(userId).not.toBe(upn.userId);
    const entered = iam.browser();
    await entered.signIn(realm.name, claimed, PASSWORD);
    expect((await entered.get(`/realms/${realm.name}/account/profile`)).body.userId).toBe(userId);
    expect(await statusOf(realm, upn.email, PASSWORD)).toBe(303);
    const { body } = await realm.asMaster().get(`/users/${upn.userId}`);
    expect(body.username).toBe(claimed);
    expect(await realm.events(`type=PROFILE_CHANGED&resourceId=${upn.userId}`)).toMatchObject([
      { category: "SECURITY", detail: expect.stringContaining("sign-in by the username ended") },
    ]);
    // Lists find both users by it, and the other user can be changed as before.
    const found = (await realm.asMaster().get(`/users?search=${claimed}`)).body.map((user: { userId: string }) => user.userId);
    expect(found.toSorted()).toEqual([userId, upn.userId].toSorted());
    const saved = await realm.asMaster().put(`/users/${upn.userId}`, { ...body, attributes: { firstName: "Bob" } });
    expect([saved.status, saved.body.username]).toEqual([200, claimed]);
    // The mark of a name that does not count cannot be typed.
    expect(await statusOf(realm, `${claimed}\u0001${upn.userId}`, PASSWORD)).toBe(401);

    // Once the name is free, the next change restores it.
    await realm.asMaster().delete(`/users/${userId}`);
    expect(await statusOf(realm, claimed, PASSWORD)).toBe(401);
    await realm.asMaster().put(`/users/${upn.userId}`, { ...saved.body, attributes: {} });
    expect(await statusOf(realm, claimed, PASSWORD)).toBe(303);
  });

  test("claims it by confirming it in an account that they have", async () => {
    const realm = await open({ verifyEmail: false });
    const claimed = address();
    const upn = await withUpn(realm, claimed);
    const username = `u${people++}`;
    await register(realm, { username, email: claimed });
    const [{ userId }] = (await realm.asMaster().get(`/users?search=${username}`)).body;
    await realm.asMaster().put(`/users/${userId}/required-actions`, ["VERIFY_EMAIL"]);
    const browser = iam.browser();
    const requested = await walk(browser, base, await browser.trySignIn(realm.name, username, PASSWORD));
    const { code } = await mail.latestTo(claimed);
    await submit(browser, base, requested.page, { code: code! });
    expect((await realm.asMaster().get(`/users/${userId}`)).body.emailVerified).toBe(true);
    const entered = iam.browser();
    await entered.signIn(realm.name, claimed, PASSWORD);
    expect((await entered.get(`/realms/${realm.name}/account/profile`)).body.userId).toBe(userId);
    expect(upn.userId).not.toBe(userId);
  });
});

describe("registering without confirming", () => {
  test("does not reveal whether an address has an account, then or later; its owner gets a mail", async () => {
    const realm = await open({ verifyEmail: false });
    const [free, taken] = [address(), address()];
    const owner = await withUpn(realm, `owner${people++}`);
    await realm.asMaster().patch(`/users/${owner.userId}`, { email: taken, emailVerified: true });
    const seen = [];
    for (const email of [free, taken]) {
      const username = `u${people++}`;
      const { browser, page } = await register(realm, { username, email });
      const profile = (await browser.get(`/realms/${realm.name}/account/profile`)).body;
      const { userId: _, username: __, createdAt: ___, ...shown } = { ...profile, email: "ADDRESS" };
      seen.push([page.status, shown, await statusOf(realm, username, PASSWORD)]);
    }
    expect(seen[0]).toEqual(seen[1]);
    // Neither user signs in by an unconfirmed address.
    expect(await statusOf(realm, free, PASSWORD)).toBe(401);
    const entered = iam.browser();
    await entered.signIn(realm.name, taken, PASSWORD);
    expect((await entered.get(`/realms/${realm.name}/account/profile`)).body.userId).toBe(owner.userId);
    const answered = (email: string) => mail.subjectsTo(email).filter((subject) => subject?.includes("You already have an account at"));
    await expect.poll(() => answered(taken)).toHaveLength(1);
    expect(answered(free)).toEqual([]);
  });

  test("and confirming an address that another account has changes nothing", async () => {
    const realm = await open({ verifyEmail: false });
    const taken = address();
    const owner = await withUpn(realm, `owner${people++}`);
    await realm.asMaster().patch(`/users/${owner.userId}`, { email: taken, emailVerified: true });
    const username = `u${people++}`;
    await register(realm, { username, email: taken });
    const [{ userId }] = (await realm.asMaster().get(`/users?search=${username}`)).body;
    await realm.asMaster().put(`/users/${userId}/required-actions`, ["VERIFY_EMAIL"]);
    const browser = iam.browser();
    const requested = await walk(browser, base, await browser.trySignIn(realm.name, username, PASSWORD));
    const { code } = await mail.latestTo(taken);
    await submit(browser, base, requested.page, { code: code! });
    expect((await realm.asMaster().get(`/users/${userId}`)).body.emailVerified).toBe(false);
    expect((await realm.asMaster().get(`/users/${owner.userId}`)).body).toMatchObject({ email: taken, emailVerified: true });
  });

  test("an address as the username is always confirmed first", async () => {
    const realm = await open({ verifyEmail: false, emailAsUsername: true });
    const email = address();
    const { browser, page } = await register(realm, { email });
    expect((await realm.asMaster().get(`/users?search=${email}`)).body).toEqual([]);
    const { code } = await mail.latestTo(email);
    await submit(browser, base, page, { code: code! });
    expect(await statusOf(realm, email, PASSWORD)).toBe(303);
  });
});
