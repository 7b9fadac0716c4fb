import { afterAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { serviceProvider } from "../../testing/service-provider.ts";

const iam: SharedHarness = await sharedHarness();
afterAll(() => iam.close());
const base = iam.config.baseUrl;
const backIn = (text: string) => /href="([^"]+)">Back to the application</.exec(text)?.[1];

test("the error page of an application leads back to the application's home page, or to its registered site", async () => {
  const realm = await iam.realm();
  const wrong = { redirect_uri: "https://evil.example/cb" };
  const party = await relyingParty(iam, realm);
  const answer = await iam.browser().get(party.url(wrong));
  expect([answer.status, backIn(answer.text)]).toEqual([400, "https://app.example/"]);
  expect(answer.text).not.toContain('evil.example/"');
  const homely = await relyingParty(iam, realm, { clientId: "homely", clientUri: "https://shop.example/start" });
  expect(backIn((await iam.browser().get(homely.url(wrong))).text)).toBe("https://shop.example/start");
  const app = await relyingParty(iam, realm, {
    clientId: "app2",
    applicationType: "native",
    redirectUris: ["com.example.app:/cb", "http://127.0.0.1/cb"],
  });
  expect(backIn((await iam.browser().get(app.url(wrong))).text), "an app on a telephone has no site").toBeUndefined();
  const nobody = await iam.browser().get(party.url({ client_id: "nobody" }));
  expect([nobody.status, backIn(nobody.text)]).toEqual([400, undefined]);
  const logout = await iam.browser().get(`/realms/${realm.name}/logout?client_id=homely&post_logout_redirect_uri=https://evil.example/`);
  expect([logout.status, backIn(logout.text)]).toEqual([400, "https://shop.example/start"]);
});

test("Cancel on the sign-out page leads back: to the application that asked, or to the account", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  await relyingParty(iam, realm, { clientId: "shop", postLogoutRedirectUris: [CALLBACK] });
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const cancel = async (query: string) => {
    const { text } = await browser.get(`/realms/${realm.name}/logout${query}`);
    return /href="([^"]+)">Cancel</.exec(text)?.[1];
  };
  expect(await cancel("")).toBe(`/realms/${realm.name}/account/`);
  expect(await cancel(`?client_id=shop&post_logout_redirect_uri=${encodeURIComponent(CALLBACK)}`)).toBe("https://app.example/");
});

test("a SAML application is named by its display name, or by its site: never by its entity id", async () => {
  const realm = await iam.realm();
  const entityId = "https://sp.example/saml/metadata.xml";
  const path = `/saml-clients/${encodeURIComponent(entityId)}`;
  const sp = await serviceProvider(iam, realm, { entityId, options: { consentRequired: true } });
  for (const displayName of [null, "Payroll"]) {
    const { body, headers } = await realm.asMaster().get(path);
    const saved = await realm
      .asMaster()
      .put(path, { ...body, options: { ...body.options, name: displayName } }, { headers: { "if-match": String(headers.etag) } });
    expect(saved.status, saved.text).toBe(200);
    const user = await realm.user();
    const browser = iam.browser();
    const { page } = await walk(browser, base, (await sp.request()).url);
    const consent = await submit(browser, base, page, { username: user.username, password: user.password });
    const delivered = await submit(browser, base, consent.page, { decision: "allow" });
    const account = await browser.get(`/realms/${realm.name}/account/pages/applications`);
    for (const shown of [page, consent.page, delivered.page, account]) {
      const words = shown.text.replaceAll(/<[^>]+>/g, " ");
      expect(words).toContain(displayName ?? "sp.example");
      expect(words).not.toContain("metadata.xml");
    }
    const refused = await browser.get((await sp.request({ issueInstant: 0 })).url.slice(base.length));
    expect([refused.status, backIn(refused.text)]).toEqual([400, "https://sp.example/"]);
  }
});
