// An identity provider that others made, as it is, and a realm that signs in by it; its configuration is that of docs/identity-providers.md.
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeIdentity } from "../../src/testing/saml-peers.ts";
import { simpleSamlPhp } from "../peers/index.mjs";
import { noBrowser, personIn, sharedBrowser } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { type IdentityProviderPeer, startIdentityProvider } from "./saml/simplesamlphp-identity-provider.ts";
import { formOf, type Page, WebBrowser } from "./saml/web-browser.ts";
import { must, type Visitor } from "./visitor.ts";

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
const ADA = { username: "ada", password: "a password for a first try" };
const NAME = "with-corporate-accounts";
const REALM = `/admin/realms/${NAME}`;
const PROVIDER = `${REALM}/identity-providers/corporate`;

describe.skipIf(!simpleSamlPhp() && !inCI)("by SimpleSAMLphp as the identity provider (needs it):", () => {
  let server: ServerProcess;
  let admin: Visitor;
  let issuer: string;
  let peer: IdentityProviderPeer;
  const broker = () => `${issuer}/broker/corporate`;

  beforeAll(async () => {
    server = await sharedServer();
    issuer = `http://localhost:${server.port}/realms/${NAME}`;
    admin = await server.admin();
    must(await admin.post("/admin/realms", { realm: NAME }), 201);
    peer = await startIdentityProvider(async (metadataUrl) => {
      const body = { alias: "corporate", protocol: "saml", displayName: "Corporate account", config: { metadataUrl } };
      must(await admin.post(`${REALM}/identity-providers`, body), 201);
      return `${broker()}/metadata`;
    });
  });

  const changed = new Set<string>();
  const configure = async (config: Readonly<Record<string, unknown>>) => {
    // A secret is kept until the next one: null does not take it away. Its certificate stays with it.
    for (const key of Object.keys(config)) if (!key.startsWith("spDecryption")) changed.add(key);
    must(await admin.patch(PROVIDER, { config }), 200);
  };
  afterEach(async () => {
    peer.set({});
    await configure(Object.fromEntries([...changed].map((key) => [key, null])));
    changed.clear();
  });
  const users = async () =>
    (must(await admin.get(`${REALM}/users`), 200) as { userId: string; username: string }[]).filter(({ username }) => username !== "admin");
  const events = async (query: string) => must(await admin.get(`${REALM}/events?${query}`), 200).items as { detail: string }[];

  /** The errors, as either side reports them. */
  const describePage = ({ status, url, text }: Page) =>
    [`${status} ${url}`, text, peer.log().slice(-3_000), server.out().split("\n").slice(-5).join("\n")].join("\n");
  const isAsked = (page: Page) =>
    page.url.startsWith(new URL(peer.entityId).origin) && formOf(page, ({ fields }) => "password" in fields) !== undefined;
  const profile = (browser: WebBrowser) => browser.goto(`${issuer}/account/profile`);
  const leave = (browser: WebBrowser) => browser.goto(`${broker()}/login`);

  /** By the link of the sign-in page; the password is typed where the page asks for it. */
  async function signIn(browser = new WebBrowser(issuer), { asked = true } = {}): Promise<WebBrowser> {
    const there = await leave(browser);
    expect(isAsked(there), describePage(there)).toBe(asked);
    await isIn(browser, await browser.signIn(there, ADA.username, ADA.password));
    return browser;
  }
  async function isIn(browser: WebBrowser, page: Page): Promise<void> {
    const { status, body } = await profile(browser);
    expect([status, body?.username], describePage(page)).toEqual([200, ADA.username]);
  }
  const decoded = (browser: WebBrowser) => Buffer.from(browser.last("SAMLResponse")!.fields.SAMLResponse!, "base64").toString("utf8");

  test("its metadata is read from its address", async () => {
    const { ok, checks } = must(await admin.post(`${PROVIDER}/test`, {}), 200);
    expect(ok, JSON.stringify(checks)).toBe(true);
  });

  test("signs in by a signed request over Redirect: as a new user who is linked, and then as the same", async () => {
    const browser = await signIn();
    const [sent, answered] = browser.messages;
    expect(sent).toMatchObject({ fields: { SAMLRequest: expect.any(String), Signature: expect.any(String), SigAlg: expect.any(String) } });
    expect(answered).toMatchObject({ to: `${broker()}/endpoint`, fields: { SAMLResponse: expect.any(String) } });
    const [user, ...others] = await users();
    expect(others).toEqual([]);
    expect(user).toMatchObject({ username: "ada", email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Lovelace" } });
    expect(must(await admin.get(`${REALM}/users/${user!.userId}/linked-accounts`), 200)).toMatchObject([{ alias: "corporate" }]);
    expect(await events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", detail: "corporate" }]);
    await signIn();
    expect(await users()).toMatchObject([{ userId: user!.userId }]);

    await configure({ signAuthnRequests: false });
    const refused = await leave(new WebBrowser(issuer));
    expect(refused.text, "it verifies our signatures").toContain("no signature found on message");
  });

  test("signs in by a signed request over POST, and again where a new authentication is requested", async () => {
    await configure({ authnRequestBinding: "post", forceAuthn: true });
    const browser = await signIn();
    expect(browser.messages[0]!.fields).toEqual({ SAMLRequest: expect.any(String), RelayState: expect.any(String) });
    await signIn(browser, { asked: true });
  });

  test("decrypts the assertion and its NameID; what is not encrypted, or only by AES-CBC, is refused unless it may be", async () => {
    const { privateKey, pem } = await makeIdentity();
    const spDecryptionPrivateKey = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    await configure({ spDecryptionPrivateKey, spDecryptionCertificate: pem, wantAssertionsEncrypted: true, allowCbc: true });
    await peer.refresh();
    const refusals = async () => (await events("type=BROKER_LOGIN&outcome=FAILURE")).map(({ detail }) => detail);
    const browser = new WebBrowser(issuer);
    const clear = await browser.signIn(await leave(browser), ADA.username, ADA.password);
    expect([clear.status, await refusals()], describePage(clear)).toEqual([400, ["corporate: unencrypted"]]);
    peer.set({ "assertion.encryption": true, "nameid.encryption": true });
    await signIn(browser, { asked: false });
    expect(decoded(browser)).toContain("EncryptedAssertion");
    expect(decoded(browser)).not.toContain("ada@example.com");
    // Its LogoutRequest names the user by an EncryptedID, too.
    await browser.goto(peer.logout);
    expect((await profile(browser)).status).toBe(401);
    await configure({ allowCbc: null });
    const cbc = await browser.signIn(await leave(browser), ADA.username, ADA.password);
    expect([cbc.status, (await refusals())[0]], describePage(cbc)).toEqual([400, "corporate: encryption_algorithm"]);
  });

  test("signs in with the answer by artifact", async () => {
    await configure({ responseBinding: "artifact" });
    const browser = await signIn();
    expect(browser.last("SAMLart")).toMatchObject({ to: `${broker()}/endpoint` });
    expect(browser.last("SAMLResponse")).toBeUndefined();
  });

  test("a sign-in begins there, where it may", async () => {
    const browser = new WebBrowser(issuer);
    const start = peer.start(broker(), `/realms/${NAME}/account/profile`);
    expect((await browser.signIn(await browser.goto(start), ADA.username, ADA.password)).status).toBe(400);
    await configure({ allowIdpInitiated: true });
    const page = await browser.goto(start);
    expect([page.url, page.body?.username], describePage(page)).toEqual([`${issuer}/account/profile`, ADA.username]);
  });

  test("a logout here ends the session there, too", async () => {
    const browser = await signIn();
    const asked = await browser.goto(`${issuer}/logout`);
    const page = await browser.submit(formOf(asked, ({ action }) => action.includes("/logout"))!);
    expect(browser.last("SAMLRequest")!.to, describePage(page)).toContain("/SingleLogoutService.php");
    expect(browser.last("SAMLResponse"), describePage(page)).toMatchObject({
      to: `${broker()}/slo`,
      fields: { Signature: expect.any(String) },
    });
    expect([page.status, new URL(page.url).pathname], describePage(page)).toEqual([200, `/realms/${NAME}/login`]);
    expect((await profile(browser)).status).toBe(401);
    expect(isAsked(await leave(browser))).toBe(true);
  });

  test("a logout there ends the session here, and no other", async () => {
    const [browser, other] = [await signIn(), await signIn()];
    const page = await browser.goto(peer.logout);
    expect(page.text, describePage(page)).toContain("<h1>Outside</h1>");
    expect(browser.last("SAMLRequest")).toMatchObject({ to: `${broker()}/slo`, fields: { Signature: expect.any(String) } });
    expect(browser.last("SAMLResponse")!.to).toContain("/SingleLogoutService.php");
    expect([(await profile(browser)).status, (await profile(other)).status]).toEqual([401, 200]);
    expect(isAsked(await leave(browser))).toBe(true);
    peer.set({ "sign.logout": false });
    expect([(await other.goto(peer.logout)).status, (await profile(other)).status], "not signed").toEqual([400, 200]);
  });

  test("after the realm's key was rotated it goes on with the new metadata", async () => {
    must(await admin.post(`${REALM}/keys/rotate`, {}), 201);
    expect(isAsked(await leave(new WebBrowser(issuer))), "it does not know the new key").toBe(false);
    await peer.refresh();
    await signIn();
  });

  // Cookies of sites, and what pages may post to, are the browser's affair.
  test.skipIf(noBrowser)("signs in and out in Chromium (needs it)", async () => {
    await configure({ authnRequestBinding: "post" });
    const person = await personIn(await sharedBrowser(), { locale: "en-GB" });
    const tab = await person.tab();
    await tab.goto(`${issuer}/login`);
    await tab.getByRole("link", { name: "Continue with Corporate account" }).click();
    await tab.waitForURL(`${new URL(peer.entityId).origin}/**`);
    await tab.locator("#username").fill(ADA.username);
    await tab.locator("#password").fill(ADA.password);
    await tab.keyboard.press("Enter");
    await tab.waitForURL(`${issuer}/account/**`);
    await tab.goto(`${issuer}/logout`);
    await tab.getByRole("button", { name: "Sign out" }).click();
    await tab.waitForURL(`${issuer}/login?signed_out=1`);
    await tab.goto(`${broker()}/login`);
    await tab.waitForURL(`${new URL(peer.entityId).origin}/**`);
    await tab.locator("#password").waitFor();
    await person.close();
  });
});
