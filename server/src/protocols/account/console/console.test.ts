import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { allowMessages } from "../../../testing/outbox.ts";
import { signInWithPasskey, userWithPasskey } from "../../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty, walk } from "../../../testing/relying-party.ts";
import { answerPage, followed } from "../../../testing/step-pages.ts";
import { giveTotp } from "../../../testing/totp.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const at = (realm: RealmUnderTest, path = "") => `/realms/${realm.name}/account/${path}`;
const PAGES = [
  ...["", "pages/profile", "pages/profile/contact", "pages/password", "pages/security", "pages/security/passkey", "pages/security/app"],
  ...["pages/security/recovery-codes", "pages/security/phone", "pages/sessions", "pages/applications", "pages/linked-accounts"],
  ...["pages/organizations", "pages/activity", "pages/data", "pages/preferences"],
];

async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { ...user, browser };
}

/** Sends the form of a page with typed values. `from` is the page with the form. */
async function send(browser: Browser, url: string, typed: Record<string, string> = {}, from = url): Promise<Answer> {
  const shown = await browser.get(from);
  const csrf = /name="_csrf" value="([^"]*)"/.exec(shown.text)?.[1] ?? "";
  return browser.request("POST", url, { form: { _csrf: csrf, ...typed }, csrf: false });
}
const leadsTo = ({ status, headers }: Answer) => [status, headers.location];
const problemAt = (page: Answer, field: string) =>
  [page.status, new RegExp(`id="${field}-error">([^<]*)`).exec(page.text)?.[1]?.replaceAll("&#39;", "'")] as const;

test("every page is there for its user, in every language, and leads others to the sign-in and back", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  for (const path of PAGES) {
    const page = await ada.browser.get(at(realm, path));
    expect([path, page.status, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
      ...[path, 200, "text/html; charset=utf-8", "no-store"],
    ]);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'nonce-/);
    expect(page.text.match(/<h1/g), path).toHaveLength(1);
    expect(page.text, path).not.toMatch(/undefined|\[object|href="\/"/);
    const anonymous = await iam.browser().get(at(realm, path));
    expect([anonymous.status, anonymous.headers.location]).toEqual([303, expect.stringMatching(/\/login\?interaction=/)]);
  }
  expect((await ada.browser.get(at(realm).slice(0, -1))).headers.location).toBe(at(realm));
  expect((await ada.browser.get(at(realm, "profile"), { headers: { accept: "text/html" } })).body, "the API stays one").toMatchObject({
    username: ada.username,
  });
});

const WRITES = [
  ...["profile", "profile/contact", "password", "security/passkey", "security/app", "security/recovery-codes", "security/phone"],
  ...["security/remove", "security/rename", "security/browsers/forget", "sessions/end", "sessions/end-others", "applications/remove"],
  ...["applications/agents/attest", "applications/agents/suspend"],
  ...["applications/shares", "applications/unshare", "applications/requests/allow", "applications/requests/refuse"],
  ...["linked-accounts/link", "linked-accounts/unlink", "organizations/join", "data/delete", "preferences"],
];
/** The forms that require recent authentication, as in the account API. */
const RECENT = [
  ...["profile/contact", "password", "security/passkey", "security/app", "security/recovery-codes", "security/phone", "security/remove"],
  ...["linked-accounts/link", "linked-accounts/unlink", "data/delete"],
];

test("a form without the token of this session does nothing, and what asks for recent authentication asks for it and leads back", async () => {
  const realm = await iam.realm();
  const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
  const foreign = bob.browser.cookies.get("XSRF-TOKEN")!;
  for (const path of WRITES)
    for (const form of [{}, { _csrf: foreign }]) {
      const refused = await ada.browser.request("POST", at(realm, `pages/${path}`), { form, csrf: false });
      expect([path, refused.status]).toEqual([path, 403]);
    }
  clock.advance(11 * MINUTE);
  for (const path of RECENT) {
    const url = at(realm, `pages/${path}?id=1`);
    const stepUp = [303, `/realms/${realm.name}/login/step-up?${new URLSearchParams({ return_to: url })}`];
    expect(leadsTo(await ada.browser.get(url))).toEqual(stepUp);
    expect(leadsTo(await send(ada.browser, url, {}, at(realm, "pages/preferences")))).toEqual(stepUp);
  }
  for (const path of WRITES.filter((each) => !RECENT.includes(each))) {
    const answer = await send(ada.browser, at(realm, `pages/${path}`), {}, at(realm, "pages/preferences"));
    expect([path, String(answer.headers.location ?? "").includes("step-up")]).toEqual([path, false]);
  }
});

test("every form leads to a page that is there, after the sign-in that it needed first", async () => {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  await boss.patch("/settings", { account: { erase: true } });
  await boss.post("/identity-providers", { protocol: "github", alias: "github", config: { clientId: "a", clientSecret: "b" } });
  const known = { username: "linked", password: "a password that was imported" };
  const rows = [{ ...known, federatedIdentities: [{ provider: "github", subject: "s-1" }] }];
  expect((await boss.post("/users/import", rows)).body).toMatchObject({ created: 1 });
  const userId = (await boss.get("/users?search=linked")).body[0].userId as string;
  const ada = await userWithPasskey(iam, realm, { user: { ...known, userId } as never });
  const shop = await relyingParty(iam, realm, { clientId: "shop", firstParty: true });
  const { left } = await walk(ada.browser, iam.config.baseUrl, shop.url({ scope: "openid" }));
  expect((await shop.exchange(left)).status).toBe(200);

  const { id } = (await boss.post("/clients", { clientId: "photos", grantTypes: ["client_credentials"] })).body;
  await boss.put(`/clients/${id}/authz/settings`, { enabled: true });
  const album = { name: "Album", owner: userId, ownerManagedAccess: true };
  const { resourceId } = (await boss.post(`/clients/${id}/authz/resources`, album)).body;

  // Keys are in the address, because a page's form is sent to the page's own address.
  const keys: Readonly<Record<string, string>> = {
    "security/remove": `?type=passkey&id=${ada.credentialId}`,
    "security/rename": `?id=${ada.credentialId}`,
    "applications/remove": "?client=shop",
    "applications/shares": `?id=${resourceId}`,
    "applications/unshare": `?id=${resourceId}`,
    "linked-accounts/link": "?alias=github",
    "linked-accounts/unlink": "?alias=github",
  };
  const visitor = iam.browser();
  const asked: [path: string, signIn: string][] = [];
  for (const path of WRITES) {
    const page = `${at(realm, `pages/${path}`)}${keys[path] ?? ""}`;
    const shown = await ada.browser.get(page);
    const action =
      shown.status === 405 ? page : [...shown.text.matchAll(/action="([^"]*)"/g)].map(([, to]) => to!.replaceAll("&amp;", "&"));
    expect(action, path).toContain(page);
    const answer = await visitor.request("POST", page, { form: {}, csrf: false });
    expect([path, answer.status]).toEqual([path, 303]);
    asked.push([path, String(answer.headers.location)]);
  }
  expect((await signInWithPasskey(visitor, realm.name, ada.passkey)).status).toBe(303);
  for (const [path, signIn] of asked) {
    const back = String((await visitor.get(signIn)).headers.location);
    expect([path, back, (await visitor.get(back)).status]).toEqual([
      path,
      expect.stringContaining(`/account/pages/${path.split("/")[0]}`),
      200,
    ]);
  }
});

test("a password is changed on its page, and a refusal is shown under its field", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  const elsewhere = iam.browser();
  await elsewhere.signIn(realm.name, ada.username, ada.password);
  const url = at(realm, "pages/password");
  const newPassword = "another password for tests";
  const change = (typed: Record<string, string>) =>
    send(ada.browser, url, { currentPassword: ada.password, newPassword, newPasswordAgain: newPassword, ...typed });
  expect(problemAt(await change({ currentPassword: "not this one" }), "current-password")).toEqual([
    400,
    "That’s not your current password.",
  ]);
  expect(problemAt(await change({ newPasswordAgain: "other" }), "new-password")).toEqual([400, "The passwords don’t match."]);
  expect(problemAt(await change({ newPassword: "short", newPasswordAgain: "short" }), "new-password")[0]).toBe(400);
  const done = await change({});
  expect(leadsTo(done)).toEqual([303, `${at(realm, "pages/security")}?done=password`]);
  expect((await ada.browser.get(String(done.headers.location))).text).toContain("Your password is changed.");
  expect((await elsewhere.get(at(realm))).status, "other sessions end").toBe(303);
  await iam.browser().signIn(realm.name, ada.username, newPassword);
});

test("a profile is changed member by member: others stay, and what the realm keeps fixed does too", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  const boss = realm.asMaster();
  const { body } = await boss.get(`/users/${ada.userId}`);
  await boss.put(`/users/${ada.userId}`, {
    ...body,
    attributes: { department: "R&D", zoneinfo: "Europe/Paris", nickname: ["one", "two"] },
  });
  const url = at(realm, "pages/profile");
  const nothing = { firstName: "Ada", nickname: "one", website: "" };
  expect(leadsTo(await send(ada.browser, url, nothing))).toEqual([303, `${url}?done=saved`]);
  const attributes = async () => (await boss.get(`/users/${ada.userId}`)).body.attributes;
  expect(await attributes()).toEqual({ department: "R&D", zoneinfo: "Europe/Paris", nickname: ["one", "two"], firstName: "Ada" });
  expect(problemAt(await send(ada.browser, url, { firstName: "\u0007" + "x".repeat(300) }), "first-name")).toEqual([
    ...[400, "Check what you entered"],
  ]);
  const both = { view: ["user", "admin"], edit: ["user", "admin"] };
  const declared = [
    { name: "pronouns", ...both, required: ["user"], displayName: { en: "Pronouns" }, group: "more" },
    { name: "grade", view: ["user", "admin"] },
    { name: "remote", ...both, type: "boolean", displayName: { en: "Works remotely" } },
  ];
  const userProfile = { attributes: declared, groups: [{ name: "more", displayName: { en: "More about you" } }] };
  await boss.patch("/settings", { userProfile });
  expect((await ada.browser.get(url)).text).toMatch(/More about you[\s\S]*Pronouns/);
  expect(problemAt(await send(ada.browser, url, { "attribute.pronouns": "" }), "attribute.pronouns")).toEqual([400, "Fill in: Pronouns."]);
  const sent = { "attribute.pronouns": "she", "attribute.grade": "10", "attribute.remote": "true" };
  expect(leadsTo(await send(ada.browser, url, sent))).toEqual([303, `${url}?done=saved`]);
  expect(await attributes()).toMatchObject({ pronouns: "she", remote: "true", department: "R&D" });
  expect(await attributes()).not.toHaveProperty("grade");
  await boss.patch("/settings", { userProfile: { attributes: [] } });
  const contact = at(realm, "pages/profile/contact");
  expect(problemAt(await send(ada.browser, contact, { email: "nowhere" }), "email")[0]).toBe(400);
  expect((await ada.browser.get(contact)).text).toMatch(/readonly[^>]*name="username"|name="username"[^>]*readonly/);
  await allowMessages(realm);
  await boss.patch("/settings", { messaging: { maxPerRecipient: 1 } });
  expect((await send(ada.browser, contact, { email: "busy@example.com" })).status).toBe(303);
  expect(problemAt(await send(ada.browser, contact, { email: "busy+again@example.com" }), "email")).toEqual([
    429,
    expect.stringContaining("sent several to this address"),
  ]);
  await send(ada.browser, contact, { username: "another", phoneNumber: "+31612345678" });
  expect((await boss.get(`/users/${ada.userId}`)).body).toMatchObject({
    username: ada.username,
    attributes: { phoneNumber: "+31612345678" },
  });
});

test("sessions, and invitations to a confirmed address, are the user's own only", async () => {
  const realm = await iam.realm();
  const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
  const boss = realm.asMaster();
  const theirs = (await bob.browser.get(at(realm, "sessions"))).body[0].id;
  const url = at(realm, "pages/sessions");
  const elsewhere = iam.browser();
  await elsewhere.signIn(realm.name, ada.username, ada.password);
  expect((await send(ada.browser, `${url}/end`, { id: theirs }, url)).status).toBe(404);
  expect(leadsTo(await send(ada.browser, `${url}/end-others`, {}, url))).toEqual([303, `${url}?done=others`]);
  expect([(await bob.browser.get(url)).status, (await elsewhere.get(url)).status, (await ada.browser.get(url)).status]).toEqual([
    200, 303, 200,
  ]);

  const { organizationId } = (await boss.post("/organizations", { name: "Works", alias: "works" })).body;
  const invite = async (email: string) => {
    const sent = await boss.post(`/organizations/${organizationId}/invitations`, { email });
    expect(sent.status).toBe(201);
    return sent.body.invitationId as string;
  };
  const setEmail = async ({ userId }: typeof ada, email: string, emailVerified: boolean) => {
    const { body } = await boss.get(`/users/${userId}`);
    await boss.put(`/users/${userId}`, { ...body, email, emailVerified });
  };
  await allowMessages(realm);
  await setEmail(ada, "ada@works.example", true);
  await setEmail(bob, "bob@works.example", false);
  const [hers, his] = [await invite("ada@works.example"), await invite("bob@works.example")];
  const organizations = at(realm, "pages/organizations");
  expect((await bob.browser.get(organizations)).text, "an address alone proves nothing").not.toContain("Works");
  const join = ({ browser }: typeof ada, id: string) => send(browser, `${organizations}/join`, { id }, organizations);
  expect([(await join(bob, his)).status, (await join(ada, his)).status, (await join(bob, hers)).status]).toEqual([404, 404, 404]);
  expect((await ada.browser.get(organizations)).text).toContain("Join <bdi>Works</bdi>");
  expect((await join(ada, hers)).status).toBe(303);
  expect((await join(ada, hers)).status, "once").toBe(404);
  expect((await boss.get(`/organizations/${organizationId}/members`)).body).toMatchObject([{ username: ada.username }]);
});

test("an account is deleted by its user if the realm allows it, and by no administrator who acts as the user", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  const boss = realm.asMaster();
  const url = at(realm, "pages/data/delete");
  expect((await ada.browser.get(url)).status).toBe(403);
  const { body } = await boss.get("/settings");
  await boss.put("/settings", { ...body, account: { ...body.account, erase: true } });
  expect(problemAt(await send(ada.browser, url, { username: "other" }), "username")).toEqual([400, "That’s not your username."]);
  expect((await send(ada.browser, url, { username: ada.username })).text).toContain("Your account is deleted");
  expect((await boss.get(`/users/${ada.userId}`)).status).toBe(404);
  expect((await ada.browser.get(at(realm))).status).toBe(303);
});

test("an administrator who acts as the user sees what the account API shows them, and changes nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-users", "view-users");
  const user = await realm.user();
  const { body } = await admin.post(`/users/${user.userId}/impersonate`);
  await admin.browser.get(body.url.replace("http://localhost:8080", ""));
  const shown = ["", "pages/profile", "pages/sessions", "pages/applications", "pages/linked-accounts", "pages/organizations"];
  for (const path of PAGES) {
    const page = await admin.browser.get(at(realm, path));
    expect([path, page.status]).toEqual([path, [...shown, "pages/preferences"].includes(path) ? 200 : 403]);
    expect(page.text).toContain("You are acting as");
  }
  for (const path of WRITES) {
    const answer = await send(admin.browser, at(realm, `pages/${path}`), {}, at(realm, "pages/preferences"));
    expect([path, answer.status]).toEqual([path, 403]);
  }
});

test("browsers are redirected to their account, also from unknown pages; nothing in a realm redirects out of it", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  const html = { headers: { accept: "text/html,application/xhtml+xml" } };
  const [home, login] = [at(realm), `/realms/${realm.name}/login`];
  const bob = await realm.user();
  expect(leadsTo(await iam.browser().trySignIn(realm.name, bob.username, bob.password)), "a sign-in for nothing else").toEqual([303, home]);
  for (const path of [`/realms/${realm.name}`, `/realms/${realm.name}/`]) {
    expect(leadsTo(await ada.browser.get(path))).toEqual([303, home]);
    expect(leadsTo(await iam.browser().get(path))).toEqual([303, login]);
  }
  const missing = await ada.browser.get(`/realms/${realm.name}/nothing/here`, html);
  expect([missing.status, missing.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  expect(missing.text).toContain(`href="${home}"`);
  const programs = await ada.browser.get(`/realms/${realm.name}/nothing/here`, { headers: { accept: "application/json" } });
  expect([programs.status, programs.body.code]).toEqual([404, "request.not_found"]);
  for (const path of ["/nothing/here", "/realms/nowhere/nothing"]) expect((await iam.browser().get(path, html)).text).toContain("<h1");
  for (const path of [
    login,
    `/realms/${realm.name}/logout`,
    `/realms/${realm.name}/account-password/done`,
    home,
    at(realm, "pages/security"),
  ]) {
    const { status, text } = await ada.browser.get(path);
    expect([path, status, /href="\/(?:realms\/master[^"]*)?"/.exec(text)?.[0]]).toEqual([path, 200, undefined]);
    expect(text).toContain(`href="${home}`);
  }
});

test("agents that people answer for are on the page of their applications: confirmed or stopped there, by their owner alone", async () => {
  const realm = await iam.realm();
  const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
  const url = at(realm, "pages/applications");
  expect((await ada.browser.get(url)).text, "nobody is told about agents who has none").not.toContain("Agents you answer for");
  const boss = realm.asMaster();
  await boss.post("/clients", { clientId: "bot", publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] });
  const made = await boss.post("/agents", { name: "Invoice <bot>", clientId: "bot", ownerUserId: ada.userId });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body;
  expect((await ada.browser.get(url)).text).toContain("Not started yet");
  expect((await boss.post(`/agents/${id}/activate`, {})).status).toBe(200);
  const shown = await ada.browser.get(url);
  expect(shown.text).toContain('aria-label="Still needed: Invoice &lt;bot>"');
  clock.advance(MINUTE);
  for (const act of ["attest", "suspend"])
    expect((await send(bob.browser, `${url}/agents/${act}`, { id }, url)).status, "another's").toBe(404);
  const before = (await boss.get(`/agents/${id}`)).body;
  expect(leadsTo(await send(ada.browser, `${url}/agents/attest`, { id }, url))).toEqual([303, `${url}?done=attested`]);
  expect((await boss.get(`/agents/${id}`)).body.reviewDueAt).toBeGreaterThan(before.reviewDueAt);
  expect(leadsTo(await send(ada.browser, `${url}/agents/suspend`, { id }, url))).toEqual([303, `${url}?done=suspended`]);
  expect((await boss.get(`/agents/${id}`)).body.status).toBe("SUSPENDED");
  const stopped = await ada.browser.get(`${url}?done=suspended`);
  for (const words of ["The agent is stopped.", "Stopped</span>"]) expect(stopped.text).toContain(words);
  expect(stopped.text).not.toContain("Still needed");
});

test("people with a second factor and no recovery codes read on their security page that they should get some", async () => {
  const realm = await iam.realm();
  const ada = await signedIn(realm);
  const url = at(realm, "pages/security");
  const hint = "You have a second step but no recovery codes.";
  expect((await ada.browser.get(url)).text).not.toContain(hint);
  const code = await giveTotp(iam, realm.name, ada.userId);
  const browser = iam.browser();
  const second = await followed(browser, await browser.trySignIn(realm.name, ada.username, ada.password));
  await answerPage(browser, realm.name, second, { code: code() });
  expect((await browser.get(url)).text).toContain(hint);
});

test("the name of the realm and its words reach every part of a page", async () => {
  const realm = await iam.realm();
  const texts = { en: { languageChoice: "Tongue", termsTitle: "House rules" } };
  expect((await realm.asMaster().patch("/settings", { texts, terms: { url: "https://acme.example/terms" } })).status).toBe(200);
  const ada = await signedIn(realm);
  for (const page of [await ada.browser.get(at(realm)), await iam.browser().get(`/realms/${realm.name}/login`)])
    for (const words of ["Tongue: ", ">House rules<"]) expect(page.text).toContain(words);
  const missing = await iam.browser().get(`/realms/${realm.name}/nothing?a=1`, { headers: { accept: "text/html" } });
  expect([missing.status, missing.text.includes(`href="/realms/${realm.name}/nothing?a=1&amp;lang=de"`)]).toEqual([404, true]);
});

test("the page that removes the last second factor says that the password alone is left", async () => {
  const realm = await iam.realm();
  const ada = await userWithPasskey(iam, realm);
  const page = async () => (await ada.browser.get(at(realm, `pages/security/remove?type=passkey&id=${ada.credentialId}`))).text;
  expect(await page()).toContain("Your password alone will protect your account then.");
  await giveTotp(iam, realm.name, ada.userId);
  const beside = await page();
  expect(beside).toContain("Remove");
  expect(beside).not.toContain("Your password alone");
});
