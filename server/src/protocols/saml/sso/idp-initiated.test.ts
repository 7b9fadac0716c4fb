import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { postedBy, type ServiceProvider, serviceProvider } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
});
afterAll(() => iam?.close());

const startOf = ({ realm, entityId }: ServiceProvider, relayState?: string) =>
  `/realms/${realm.name}/saml/idp/start/${encodeURIComponent(entityId)}${relayState === undefined ? "" : `?${new URLSearchParams({ RelayState: relayState })}`}`;

test("a link starts at this server: the user signs in, and the service provider gets an unsolicited response", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options: { idpInitiatedSsoEnabled: true, defaultRelayState: "/home" } });
  const user = await realm.user();
  const browser = iam.browser();
  const { page } = await walk(browser, base, startOf(sp));
  const done = await submit(browser, base, page, { username: user.username, password: user.password });
  expect(postedBy(done.page).fields.RelayState).toBe("/home");
  await sp.accept(done.page, null);
  const again = await walk(browser, base, startOf(sp, "/home"));
  await sp.accept(again.page, null);
});

test("it is disabled unless the options or the realm enable it, and for unknown service providers", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const browser = iam.browser();
  expect((await browser.get(startOf(sp))).status).toBe(400);
  expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({ detail: expect.stringMatching(/^idp_initiated_off/) });
  expect((await browser.get(startOf({ ...sp, entityId: "https://unknown.example" }))).status).toBe(400);
  await realm.asMaster().patch("/settings", { saml: { idpInitiatedSsoEnabled: true } });
  expect((await browser.get(startOf(sp))).headers.location).toContain("/login?interaction=");
});

test("a RelayState of the link counts only where an administrator has allowed it: any site can link here", async () => {
  const realm = await iam.realm();
  const options = { idpInitiatedSsoEnabled: true };
  const open = await serviceProvider(iam, realm, { options });
  const named = await serviceProvider(iam, realm, {
    entityId: "https://named.example",
    options: { ...options, allowedRelayStates: ["https://app.example/"] },
  });
  const browser = iam.browser();
  await browser.signIn(realm.name, "admin", realm.adminPassword);
  expect((await browser.get(startOf(open, "https://evil.example"))).status).toBe(400);
  expect((await browser.get(startOf(named, "https://app.example/../..//evil.example"))).status).toBe(200);
  expect((await browser.get(startOf(named, "https://app.example.evil.example/"))).status).toBe(400);
  const { page } = await walk(browser, base, startOf(named, "https://app.example/deep?x=1"));
  expect(postedBy(page).fields.RelayState).toBe("https://app.example/deep?x=1");
});

test("users who may not use the application see a page that names it and their account, and can go on with another", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  await master.post("/roles", { name: "staff" });
  const member = await realm.user();
  await master.post(`/users/${member.userId}/roles`, { name: "staff" });
  const options = { ...{ idpInitiatedSsoEnabled: true, allowedRoles: ["staff"] }, name: "Wiki <1>", allowedRelayStates: ["/deep"] };
  const sp = await serviceProvider(iam, realm, { options });
  const browser = iam.browser();
  await browser.signIn(realm.name, "admin", realm.adminPassword);
  const answer = await browser.get(startOf(sp, "/deep?x=1&y"));
  expect([answer.status, answer.text.includes("SAMLResponse")]).toEqual([403, false]);
  for (const text of ["You can’t use this application", ">admin<", "Wiki &lt;1>"]) expect(answer.text).toContain(text);
  const denied = { outcome: "FAILURE", actor: "admin", resourceId: sp.entityId, detail: expect.stringMatching(/^access_denied/) };
  expect(await realm.events("type=SAML_LOGIN")).toMatchObject([denied]);

  const link = /id="other" href="([^"]+)"/.exec(answer.text)![1]!.replaceAll("&amp;", "&");
  const { page } = await walk(browser, base, link);
  expect(page.text).toContain('name="password"');
  const done = await submit(browser, base, page, { username: member.username, password: member.password });
  expect(postedBy(done.page).fields.RelayState).toBe("/deep?x=1&y");
  await sp.accept(done.page, null);
});
