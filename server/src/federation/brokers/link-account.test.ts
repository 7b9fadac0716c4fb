import { expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Browser } from "../../testing/browser.ts";
import type { SharedHarness } from "../../testing/harness.ts";
import { endpointOf, openidBroker } from "../../testing/openid-broker.ts";
import type { OpenidPeer } from "../../testing/openid-peer.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, leadsTo, relyingParty } from "../../testing/relying-party.ts";
import { answerPage, followed } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
const { brokered } = openidBroker((stage) => {
  ({ iam, peer } = stage);
});

async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { user, browser, account: `/realms/${realm.name}/account/linked-accounts` };
}

const pathOf = (url: string) => url.slice(iam.config.baseUrl.length);

/** From the address that the API gave, to the provider. */
async function leave(browser: Browser, url: string) {
  const answer = await followed(browser, await browser.get(pathOf(url)));
  expect(answer.status, answer.text).toBe(303);
  return new URL(String(answer.headers.location));
}
const back = (realm: RealmUnderTest, left: URL, claims: Record<string, unknown> = {}) =>
  endpointOf(realm, peer.signIn(left, { claims: { preferred_username: "ada", ...claims } }));

test("a signed-in user links an account after they have seen which one, and a second user cannot have it", async () => {
  const realm = await brokered();
  const { user, browser, account } = await signedIn(realm);
  const begun = await browser.request("POST", `${account}/corp`, { body: { returnTo: "/realms/x/done?a=1" } });
  expect(begun.status, begun.text).toBe(201);
  const left = await leave(browser, begun.body.url);
  const page = await browser.get(back(realm, left));
  expect([page.status, page.text.includes("ada"), page.text.includes(user.username)], page.text).toEqual([200, true, true]);
  expect((await browser.get(account)).body, "nothing is linked without their word").toEqual([]);

  const forged = await browser.request("POST", `/realms/${realm.name}/login`, {
    form: { interaction: /name="interaction" value="([^"]+)"/.exec(page.text)![1]!, step: "action:LINK_ACCOUNT", link: "yes" },
    csrf: false,
  });
  expect(forged.status, "without the CSRF token").toBe(403);

  const done = await answerPage(browser, realm.name, page, { link: "yes" });
  expect([done.status, done.headers.location], done.text).toEqual([303, "/realms/x/done?a=1"]);
  expect((await browser.get(account)).body).toMatchObject([{ alias: "corp", subject: "subject-1", username: "ada" }]);
  expect(await realm.events("type=LINK_ADDED")).toMatchObject([{ actor: user.username, detail: "corp" }]);
  expect((await browser.request("POST", `${account}/corp`, { body: {} })).status, "one account at each provider").toBe(409);

  const other = await signedIn(realm);
  const again = await other.browser.request("POST", `${other.account}/corp`, { body: {} });
  const taken = await other.browser.get(back(realm, await leave(other.browser, again.body.url)));
  expect([taken.status, taken.text.includes("already linked")], taken.text).toEqual([409, true]);
  expect((await other.browser.get(other.account)).body).toEqual([]);
  expect(await realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "FAILURE", detail: "corp: linked" }]);

  // A link of the same subject that was made meanwhile.
  const third = await signedIn(realm);
  const racing = await third.browser.request("POST", `${third.account}/corp`, { body: {} });
  const shown = await third.browser.get(back(realm, await leave(third.browser, racing.body.url), { sub: "subject-2" }));
  const rival = await signedIn(realm);
  const rivals = await rival.browser.request("POST", `${rival.account}/corp`, { body: {} });
  const faster = await rival.browser.get(back(realm, await leave(rival.browser, rivals.body.url), { sub: "subject-2" }));
  expect((await answerPage(rival.browser, realm.name, faster, { link: "yes" })).status).toBe(303);
  expect((await answerPage(third.browser, realm.name, shown, { link: "yes" })).status).toBe(409);
});

test("an address to link works once, and only in a browser of the user who requested it", async () => {
  const realm = await brokered();
  const [mallory, victim] = [await signedIn(realm), await signedIn(realm)];
  const { url } = (await mallory.browser.request("POST", `${mallory.account}/corp`, { body: {} })).body;
  expect((await victim.browser.get(pathOf(url))).status, "login CSRF: the victim would link their account to Mallory's").toBe(400);
  const anonymous = await iam.browser().get(pathOf(url));
  expect([anonymous.status, String(anonymous.headers.location).startsWith(`/realms/${realm.name}/login?return_to=`)]).toEqual([303, true]);
  const left = await leave(mallory.browser, url);
  expect((await mallory.browser.get(pathOf(url))).status, "it was opened before").toBe(400);
  // Mallory's response is opened in the victim's browser.
  expect((await victim.browser.get(back(realm, left))).status).toBe(400);
  expect((await victim.browser.get(victim.account)).body).toEqual([]);
  // Mallory's browser, in which another user has signed in since.
  const other = await realm.user();
  await mallory.browser.get(`/realms/${realm.name}/logout`);
  await mallory.browser.request("POST", `/realms/${realm.name}/logout`, { form: {} });
  await mallory.browser.signIn(realm.name, other.username, other.password);
  const late = await mallory.browser.get(back(realm, left));
  expect(late.status === 303 || late.status === 400, late.text).toBe(true);
  expect((await realm.asMaster().get(`/users/${other.userId}/linked-accounts`)).body).toEqual([]);
  expect((await realm.asMaster().get(`/users/${mallory.user.userId}/linked-accounts`)).body).toEqual([]);
});

test("linking asks for recent authentication, a CSRF token, an enabled provider that links, and an address of ours", async () => {
  const realm = await brokered();
  const { browser, account } = await signedIn(realm);
  expect((await browser.request("POST", `${account}/corp`, { body: {}, csrf: false })).status).toBe(403);
  expect((await browser.request("POST", `${account}/nothing`, { body: {} })).status).toBe(404);
  for (const returnTo of ["https://evil.example", "//evil.example", "/\\evil.example", ""]) {
    const refused = await browser.request("POST", `${account}/corp`, { body: { returnTo } });
    expect([returnTo, refused.status, refused.text.includes("returnTo")]).toEqual([returnTo, 400, true]);
  }
  const { url } = (await browser.request("POST", `${account}/corp`, { body: {} })).body;
  clock.advance(11 * MINUTE);
  const stale = await browser.request("POST", `${account}/corp`, { body: {} });
  expect([stale.status, stale.body.code]).toEqual([403, "auth.recent_authentication_required"]);
  const requested = await followed(browser, await followed(browser, await browser.get(pathOf(url))));
  expect(requested.text, "the browser has to sign in again as well").toContain('name="password"');

  const boss = realm.asMaster();
  const { body: provider } = await boss.get("/identity-providers/corp");
  await boss.put("/identity-providers/corp", { ...provider, config: { ...provider.config, provisioning: "deny" } });
  const fresh = await signedIn(realm);
  expect(await fresh.browser.request("POST", `${fresh.account}/corp`, { body: {} })).toMatchObject({ status: 409 });
  await boss.put("/identity-providers/corp", { ...provider, enabled: false });
  expect(await fresh.browser.request("POST", `${fresh.account}/corp`, { body: {} })).toMatchObject({ status: 404 });
});

test("a provider that is disabled meanwhile links no account; a user who cancels goes back where they came from", async () => {
  const realm = await brokered();
  const { browser, account } = await signedIn(realm);
  const begin = async () => (await browser.request("POST", `${account}/corp`, { body: { returnTo: "/realms/x/done" } })).body.url;
  const first = await browser.get(back(realm, await leave(browser, await begin())));
  expect(await answerPage(browser, realm.name, first, { link: "no" })).toMatchObject({
    status: 303,
    headers: { location: "/realms/x/done" },
  });

  const left = await leave(browser, await begin());
  const page = await browser.get(back(realm, await leave(browser, await begin())));
  const boss = realm.asMaster();
  const { body: provider } = await boss.get("/identity-providers/corp");
  await boss.put("/identity-providers/corp", { ...provider, enabled: false });
  expect((await browser.get(back(realm, left))).status).toBe(400);
  expect((await answerPage(browser, realm.name, page, { link: "yes" })).status).toBe(400);
  expect((await browser.get(account)).body).toEqual([]);
});

test("an application links with the scope account, and gets the response at its own redirect URI; never for an administrator", async () => {
  const realm = await brokered();
  const party = await relyingParty(iam, realm, { scopes: ["openid", "account"] });
  const bearer = async (browser: Browser, user: { username: string; password: string }) => ({
    authorization: `Bearer ${(await party.signIn(browser, user, { scope: "openid account" })).body.access_token}`,
  });
  const user = await realm.user();
  const browser = iam.browser();
  const headers = await bearer(browser, user);
  const account = `/realms/${realm.name}/account/linked-accounts`;
  const begun = await iam.browser().request("POST", `${account}/corp`, { body: { returnTo: CALLBACK }, headers, csrf: false });
  expect(begun.status, begun.text).toBe(201);
  const page = await browser.get(back(realm, await leave(browser, begun.body.url)));
  expect(page.headers["content-security-policy"]).toContain("form-action 'self';");
  const done = await answerPage(browser, realm.name, page, { link: "yes" });
  expect([done.status, leadsTo(done)]).toEqual([200, CALLBACK]);

  const admin = await realm.user();
  await realm.asMaster().post(`/users/${admin.userId}/roles`, { name: "admin" });
  const asAdmin = await bearer(iam.browser(), admin);
  const refused = await iam.browser().request("POST", `${account}/corp`, { body: {}, headers: asAdmin, csrf: false });
  expect(refused.status, refused.text).toBe(403);
});
