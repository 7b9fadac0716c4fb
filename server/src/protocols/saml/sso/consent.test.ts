import { afterAll, beforeAll, expect, test } from "vitest";
import { STATUS } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { serviceProvider, xmlIn } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  base = iam.config.baseUrl;
});
afterAll(() => iam?.close());

const options = { consentRequired: true, name: "Library" };

test("lists what the assertion contains, remembers the answer, and asks again when it contains more", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options });
  const user = await realm.user();
  const browser = iam.browser();
  const { sent, page } = await sp.signIn(browser, user, { forceAuthn: true });
  expect(page.text).toContain("Allow access to your account?");
  expect(page.text).toContain("Library");
  expect(page.text).toContain(`username (${user.username})`);
  expect(page.text).not.toContain("firstName");
  const kept = await iam.core.db.selectFrom("oidc_records").selectAll().where("realm_id", "=", realm.name).execute();
  expect(kept.map(({ model }) => model)).toEqual(["SamlConsent"]);
  for (const secret of [user.username, user.userId]) expect(JSON.stringify(kept), "what is asked waits sealed").not.toContain(secret);
  const { page: answered } = await submit(browser, base, page, { decision: "allow" });
  expect((await sp.accept(answered, sent.id)).attributes.map(({ name }) => name)).toContain("username");
  const key = `${realm.name}|${sp.entityId}`;
  expect(await realm.events("type=CONSENT_GRANTED")).toMatchObject([{ actor: user.username, resourceId: key }]);

  const again = await sp.signIn(browser, user);
  await sp.accept(again.page, again.sent.id);
  const account = `/realms/${realm.name}/account/gdpr/consents`;
  expect((await browser.get(account)).body).toMatchObject([{ clientId: key }]);

  // The assertion now has another attribute.
  const master = realm.asMaster();
  const person = (await master.get(`/users/${user.userId}`)).body;
  await master.put(`/users/${user.userId}`, { ...person, attributes: { ...person.attributes, firstName: "Ada" } });
  const more = await sp.signIn(browser, user);
  expect(more.page.text).toContain("firstName (Ada)");
  const allowed = await submit(browser, base, more.page, { decision: "allow" });
  await sp.accept(allowed.page, more.sent.id);

  expect((await browser.delete(`${account}/${encodeURIComponent(key)}`)).status).toBe(204);
  expect((await sp.signIn(browser, user)).page.text).toContain("Allow access to your account?");
});

test("answers RequestDenied where the user does not allow it, and NoPassive where no page may be shown", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options });
  const user = await realm.user();
  const browser = iam.browser();
  const { page } = await sp.signIn(browser, user);
  const { page: refused } = await submit(browser, base, page, { decision: "deny" });
  expect(xmlIn(refused)).toContain(STATUS.requestDenied);
  expect(xmlIn(refused)).not.toContain("Assertion ");
  expect(await realm.events("type=SAML_LOGIN")).toMatchObject([
    { outcome: "FAILURE", detail: expect.stringMatching(/^access_denied: the user did not allow it/) },
  ]);
  const passive = await sp.signIn(browser, user, { isPassive: true });
  expect(xmlIn(passive.page)).toContain(STATUS.noPassive);
});

test("the page works for its user, once, with the CSRF token of the browser", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options });
  const [ada, eve] = [await realm.user(), await realm.user()];
  const [hers, evils] = [iam.browser(), iam.browser()];
  const { page } = await sp.signIn(hers, ada);
  const action = /<form class="gh-form"[^>]* action="([^"]+)"/.exec(page.text)![1]!;
  const forged = await hers.request("POST", action, { form: { decision: "allow", _csrf: "made up" }, csrf: false });
  expect(forged.status).toBe(403);
  expect(await realm.events("type=CONSENT_GRANTED")).toEqual([]);

  // Eve is asked for her own consent, not for Ada's.
  await sp.signIn(evils, eve);
  const { page: asked } = await walk(evils, base, action);
  expect(asked.text).toContain(eve.username);
  expect(asked.text).not.toContain(ada.username);
  expect((await hers.get(action)).status).toBe(400);
});

test("ends with the service provider, and does not count for another one with the same entityId", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options });
  const user = await realm.user();
  const browser = iam.browser();
  const { page } = await sp.signIn(browser, user);
  await submit(browser, base, page, { decision: "allow" });
  expect((await realm.asMaster().delete(`/saml-clients/${encodeURIComponent(sp.entityId)}`)).status).toBe(204);
  const successor = await serviceProvider(iam, realm, { options });
  expect((await successor.signIn(browser, user)).page.text).toContain("Allow access to your account?");
});
