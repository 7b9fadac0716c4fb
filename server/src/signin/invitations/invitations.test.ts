import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";

let iam: SharedHarness;
let mail: Mailing;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
});
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

const PASSWORD = "a quiet and long sentence";
let people = 0;
const newAddress = () => `invited${people++}@example.com`;

/** Creates an organization and a user invited to it, with the path of the link in the mail. */
async function invited({ email = newAddress(), role = "member", organization = {} as object } = {}) {
  const realm = await iam.realm();
  await mail.enable(realm);
  const admin = await realm.as("manage-organizations", "view-users");
  const { organizationId } = (await admin.post("/organizations", { name: "Acme", displayName: "Acme Ltd", ...organization })).body;
  const invitation = await admin.post(`/organizations/${organizationId}/invitations`, { email, role });
  expect(invitation.status, invitation.text).toBe(201);
  const path = new URL((await mail.linksTo(email)).at(-1)!).pathname;
  return { realm, admin, email, organizationId, path, invitationId: invitation.body.invitationId as string };
}
type Invited = Awaited<ReturnType<typeof invited>>;

const membersOf = async ({ realm, organizationId }: Invited) =>
  (await realm.asMaster().get(`/organizations/${organizationId}/members`)).body as { username: string; role: string; userId: string }[];

async function openPage(browser: Browser, path: string): Promise<Answer> {
  return browser.get(path, { headers: { "accept-language": "en" } });
}
const post = (browser: Browser, path: string, form: Record<string, string> = {}) =>
  browser.request("POST", path, { csrf: false, form: { _csrf: browser.cookies.get("XSRF-TOKEN") ?? "", ...form } });
const createAccount = (browser: Browser, path: string, form: Record<string, string> = {}) =>
  post(browser, `${path}/account`, { username: "grace", password: PASSWORD, passwordAgain: PASSWORD, ...form });

describe("a person without an account", () => {
  test("follows the link, creates one, is a member and signed in, with a verified address", async () => {
    const situation = await invited({ role: "owner" });
    const { realm, admin, email, path } = situation;
    const browser = iam.browser();
    const page = await openPage(browser, path);
    expect(page.status).toBe(200);
    for (const text of [admin.username, "Acme Ltd", email, "owner", 'name="password"', `action="${path}/account"`])
      expect(page.text).toContain(text);
    expect(page.text).not.toContain("<script>");
    expect(String(page.headers["content-security-policy"])).toContain("form-action 'self'");

    const created = await createAccount(browser, path);
    expect(created).toMatchObject({ status: 303, headers: { location: path } });
    expect((await openPage(browser, path)).text).toContain("You’re now a member of");
    const [member] = await membersOf(situation);
    expect(member).toMatchObject({ username: "grace", email, role: "owner" });
    const user = (await admin.get(`/users/${member!.userId}`)).body;
    expect(user).toMatchObject({ email, emailVerified: true, enabled: true, roles: ["user"] });
    await iam.browser().signIn(realm.name, email, PASSWORD);
    // The new user is signed in, but is no administrator.
    expect((await browser.get(`/admin/realms/${realm.name}/organizations`)).status).toBe(403);
    const types = (await realm.events(`actor=${member!.userId}`)).map(({ type }) => type);
    expect(types).toContain("REGISTER");
    expect(types).toContain("LOGIN_SUCCESS");
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${situation.organizationId}`)).toEqual([
      expect.objectContaining({ detail: `invitations/${situation.invitationId} accepted` }),
    ]);
  });

  test("sees what is wrong with the form, and nothing happens", async () => {
    const situation = await invited();
    const { realm, path } = situation;
    await realm.user("taken");
    const browser = iam.browser();
    await openPage(browser, path);
    const answers = {
      "The passwords don’t match": [{ passwordAgain: "another" }, 400],
      "Choose another password": [{ password: "short", passwordAgain: "short" }, 400],
      "This username doesn’t work": [{ username: " grace" }, 400],
      "This username is taken": [{ username: "TAKEN" }, 409],
    } as const;
    for (const [title, [form, status]] of Object.entries(answers)) {
      const answer = await createAccount(browser, path, form);
      expect([answer.status, answer.text.includes(title)], title).toEqual([status, true]);
      expect(answer.text).not.toContain(PASSWORD);
    }
    for (const username of ["a\u202eb", "a\u0000b", "", "x".repeat(256)])
      expect((await createAccount(browser, path, { username })).status, JSON.stringify(username)).toBe(400);
    const email = { password: situation.email, passwordAgain: situation.email };
    expect((await createAccount(browser, path, email)).text).toContain("Choose another password");
    expect((await createAccount(browser, path, { password: "password1", passwordAgain: "password1" })).status, "a breached one").toBe(400);
    expect(await membersOf(situation)).toEqual([]);
    expect((await createAccount(browser, path)).status, "and then it works").toBe(303);
  });

  test("cannot be signed up by another site: the token is needed, and no JSON is accepted", async () => {
    const situation = await invited();
    const { path } = situation;
    const browser = iam.browser();
    expect((await createAccount(browser, path)).status).toBe(403);
    await openPage(browser, path);
    expect((await createAccount(browser, path, { _csrf: "made.up" })).status).toBe(403);
    expect((await browser.post(`${path}/account`, { username: "grace" })).status).toBe(415);
    expect(await membersOf(situation)).toEqual([]);
  });

  test("gets one account, however many concurrent forms are sent", async () => {
    const situation = await invited();
    const { realm, path } = situation;
    const browsers = [iam.browser(), iam.browser(), iam.browser()];
    for (const browser of browsers) await openPage(browser, path);
    const answers = await Promise.all(browsers.map((browser, i) => createAccount(browser, path, { username: `grace${i}` })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(303);
    expect(statuses.slice(1).every((status) => status === 410 || status === 409)).toBe(true);
    expect(await membersOf(situation)).toHaveLength(1);
    expect((await realm.asMaster().get("/users?search=grace")).body).toHaveLength(1);
    expect((await realm.asMaster().get(`/organizations/${situation.organizationId}`)).body.memberCount).toBe(1);
  });
});

describe("a person with an account", () => {
  async function withAccount(more: Parameters<typeof invited>[0] = {}) {
    const situation = await invited(more);
    const master = situation.realm.asMaster();
    const { userId } = (await master.post("/users", { username: "ada", email: situation.email })).body;
    await master.put(`/users/${userId}/password`, { newPassword: PASSWORD });
    return { ...situation, userId };
  }

  test("is led to the sign-in and back, and accepts with one button", async () => {
    const situation = await withAccount();
    const { realm, path } = situation;
    const browser = iam.browser();
    const page = await openPage(browser, path);
    const login = /href="([^"]+\/login[^"]+)"/.exec(page.text)![1]!.replaceAll("&amp;", "&");
    expect(login).toBe(`/realms/${realm.name}/login?return_to=${encodeURIComponent(path)}`);
    expect(page.text).not.toContain('name="password"');
    const signedIn = await browser.trySignIn(realm.name, "ada", PASSWORD, { return_to: path });
    expect(signedIn.headers.location).toBe(path);
    expect((await openPage(browser, path)).text).toContain("Accept the invitation");
    expect(await post(browser, path)).toMatchObject({ status: 303, headers: { location: path } });
    expect((await openPage(browser, path)).text).toContain("You’re now a member of");
    expect(await membersOf(situation)).toEqual([expect.objectContaining({ userId: situation.userId, role: "member" })]);
    // A second click changes nothing. For other users the link has been used.
    expect((await post(browser, path)).status).toBe(200);
    expect((await createAccount(browser, path, { username: "other" })).status).toBe(200);
    expect((await realm.asMaster().get("/users?search=other")).body).toEqual([]);
    const late = iam.browser();
    expect((await openPage(late, path)).status).toBe(410);
    expect((await createAccount(late, path, { username: "other" })).status).toBe(410);
  });

  test("accepts once, however many concurrent forms are sent, and causes one event", async () => {
    const situation = await withAccount();
    const { realm, path } = situation;
    const browsers = [iam.browser(), iam.browser()];
    for (const browser of browsers) {
      await browser.signIn(realm.name, "ada", PASSWORD);
      await openPage(browser, path);
    }
    const answers = await Promise.all([...browsers, ...browsers].map((browser) => post(browser, path)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${situation.organizationId}`)).toHaveLength(1);
    expect((await realm.asMaster().get(`/organizations/${situation.organizationId}`)).body.memberCount).toBe(1);
  });

  test("sees that another account is signed in, which cannot accept", async () => {
    const situation = await withAccount();
    const { realm, path } = situation;
    await realm.user("eve", PASSWORD);
    const browser = iam.browser();
    await browser.signIn(realm.name, "eve", PASSWORD);
    const page = await openPage(browser, path);
    expect(page.text).toContain("This invitation is for another account");
    expect(page.text).toContain(`action="/realms/${realm.name}/logout"`);
    expect(page.text).not.toContain("Accept the invitation");
    expect((await post(browser, path)).status).toBe(403);
    expect((await createAccount(browser, path)).status).toBe(403);
    expect(await membersOf(situation)).toEqual([]);
    expect((await post(browser, `/realms/${realm.name}/logout`)).status).toBe(303);
  });

  test("needs the token of the page, a session, and an invitation that is still open", async () => {
    const situation = await withAccount();
    const { realm, path } = situation;
    const browser = iam.browser();
    await openPage(browser, path);
    expect((await post(browser, path)).status).toBe(403); // no page of ours had a form
    await browser.signIn(realm.name, "ada", PASSWORD);
    expect((await post(browser, path, { _csrf: "" })).status).toBe(403);
    // The invitation is open when the page is shown, and expired when the button is pressed.
    await openPage(browser, path);
    const table = iam.core.db.updateTable("organization_invitations");
    await table.set({ expires_at: clock.now() }).where("realm_id", "=", realm.name).execute();
    expect((await post(browser, path)).status).toBe(410);
    expect(await membersOf(situation)).toEqual([]);
  });

  test("a user who became a member meanwhile keeps their role", async () => {
    const situation = await withAccount({ role: "owner" });
    const { realm, path, organizationId, userId } = situation;
    await realm.asMaster().put(`/organizations/${organizationId}/members/${userId}`, { role: "guest" });
    const browser = iam.browser();
    await browser.signIn(realm.name, "ada", PASSWORD);
    await openPage(browser, path);
    expect((await post(browser, path)).status).toBe(303);
    expect(await membersOf(situation)).toEqual([expect.objectContaining({ role: "guest" })]);
  });
});

describe("a link that does not work", () => {
  test("is distinguished: expired 410, withdrawn, invented or of another realm 404; nothing can be done with it", async () => {
    const expired = await invited();
    const early = iam.browser();
    await openPage(early, expired.path);
    await iam.core.db
      .updateTable("organization_invitations")
      .set({ expires_at: clock.now() })
      .where("realm_id", "=", expired.realm.name)
      .execute();
    const late = await openPage(iam.browser(), expired.path);
    expect([late.status, late.text.includes("has expired")]).toEqual([410, true]);
    expect((await createAccount(early, expired.path)).status).toBe(410);
    expect(await membersOf(expired)).toEqual([]);

    const withdrawn = await invited();
    const browser = iam.browser();
    await openPage(browser, withdrawn.path);
    await withdrawn.admin.delete(`/organizations/${withdrawn.organizationId}/invitations/${withdrawn.invitationId}`);
    expect((await createAccount(browser, withdrawn.path)).status).toBe(404);
    expect((await withdrawn.realm.asMaster().get("/users?search=grace")).body).toEqual([]);

    const disabled = await invited();
    await disabled.admin.put(`/organizations/${disabled.organizationId}`, { name: "Acme", enabled: false });
    expect((await openPage(iam.browser(), disabled.path)).status).toBe(404);

    const elsewhere = (await iam.realm()).name;
    const token = disabled.path.split("/").at(-1)!;
    const strange = ["a".repeat(43), "short", "..%2f..%2flogin", "a%00b", "x".repeat(3000), "%F0%9F%92%A9"];
    for (const path of [...strange.map((text) => `/realms/${elsewhere}/invitations/${text}`), `/realms/${elsewhere}/invitations/${token}`])
      expect([404, 414], path.slice(0, 80)).toContain((await openPage(iam.browser(), path)).status);
    const unknown = await openPage(iam.browser(), `/realms/${elsewhere}/invitations/${"a".repeat(43)}`);
    expect(unknown.text).toContain("This invitation isn’t valid");
    expect((await openPage(iam.browser(), `/realms/no-such-realm/invitations/${token}`)).status).toBe(404);
  });

  test("cannot be tried without limit", async () => {
    const { path } = await invited();
    const browser = iam.browser();
    await openPage(browser, path);
    const statuses = [];
    for (let i = 0; i < 31; i++) statuses.push((await createAccount(browser, path, { passwordAgain: "no" })).status);
    expect([statuses[29], statuses[30]]).toEqual([400, 429]);
  });
});

test("the pages speak Dutch, and a name cannot rearrange or mark up their text", async () => {
  const { path, realm } = await invited({ organization: { name: '<b>Acme</b> & "שלום"', alias: "acme", displayName: null } });
  const browser = iam.browser();
  const page = await browser.get(`${path}?lang=nl`);
  expect(page.text).toContain("nodigt je uit om lid te worden van");
  expect(page.text).toContain('<bdi class="gh-account">&lt;b>Acme&lt;/b> &amp; &quot;שלום&quot;</bdi>');
  expect((await openPage(browser, path)).text).toContain('lang="nl"');
  expect((await openPage(iam.browser(), `/realms/${realm.name}/invitations/${"a".repeat(43)}`)).text).toContain('lang="en"');
});
