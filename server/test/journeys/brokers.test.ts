import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser, type Person, personIn } from "./browser.ts";
import { heading, loginOf, look, PASSWORD, press, type Stage, setStage, signedIn, signOut, typePassword } from "./signing-in.ts";
import { must } from "./visitor.ts";

const HERE = { locale: "en-GB" } as const;

describe.skipIf(noBrowser)("signing in at another realm, in a browser (needs Chromium):", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
    await stage.newRealm("upstream", { displayName: "Acme accounts" });
    await stage.newUser("upstream", "ada");
  });
  afterAll(() => stage?.close());

  /** A realm whose people sign in at `upstream`, each with its own client there. */
  async function newRealm(
    name: string,
    { config = {}, settings = {}, client: asks = {} }: { config?: object; settings?: object; client?: object } = {},
  ) {
    await stage.newRealm(name, { displayName: "Wholesale", ...settings });
    const provider = async (alias: string, displayName: string, more: object) => {
      const redirectUris = [`${stage.url}/realms/${name}/broker/${alias}/endpoint`];
      const client = { clientId: `${name}-${alias}`, name: "Wholesale", publicClient: true, redirectUris, ...asks };
      must(await stage.admin.post("/admin/realms/upstream/clients", client), 201);
      const shared = { issuer: `${stage.url}/realms/upstream`, clientId: `${name}-${alias}`, clientAuthMethod: "none", trustEmail: true };
      const body = { alias, protocol: "oidc", displayName, config: { ...shared, ...more } };
      must(await stage.admin.post(`/admin/realms/${name}/identity-providers`, body), 201);
    };
    await provider("acme", "Acme", config);
    return { name, provider };
  }

  const open = (page: Page, realm: string) => page.goto(stage.url + loginOf(realm));
  const atUpstream = async (page: Page) => {
    await heading(page, "Sign in to Acme accounts");
    expect(new URL(page.url()).pathname).toContain("/realms/upstream/");
  };
  const atHome = (page: Page) => heading(page, "Sign in to Wholesale");
  const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name });
  const profile = async (page: Page) => {
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Lovelace");
    await page.locator("#gh-step button.gh-button--primary").click();
  };
  const newPerson = async (): Promise<{ person: Person; page: Page }> => {
    const person = await personIn(stage.browser, HERE);
    return { person, page: await person.tab() };
  };

  test("by a button, there and back, as a new user; the button is remembered; and with two tabs", async () => {
    const { name: realm, provider } = await newRealm("shop");
    for (const [alias, displayName] of [
      ["google", "Google"],
      ["github", "GitHub"],
      ["microsoft", "Microsoft"],
      ["gitlab", "GitLab"],
      ["linkedin", "LinkedIn"],
      ["facebook", "Facebook"],
    ]) {
      const body = { alias, protocol: alias, displayName, config: { clientId: "x", clientSecret: "y", order: 200 } };
      must(await stage.admin.post(`/admin/realms/${realm}/identity-providers`, body), 201);
    }
    await provider("other", "A partner with rather a long name of several words", { order: 300 });
    const { person, page } = await newPerson();
    await open(page, realm);
    await link(page, "Continue with Acme").click();
    await atUpstream(page);
    await typePassword(page, "ada");
    await heading(page, "Complete your profile");
    await look(page, "first-profile");
    await profile(page);
    await signedIn(page);

    await signOut(person, realm);
    await open(page, realm);
    await page.getByText("Last used").waitFor();
    await look(page, "last-used");
    // The session there is enough.
    await link(page, /^Continue with Acme/).click();
    await signedIn(page);

    // Begun in two tabs: the second to return finds a session.
    await signOut(person, realm);
    await person.context.clearCookies({ name: "gh_upstream" });
    const second = await person.tab();
    for (const tab of [page, second]) {
      await open(tab, realm);
      await link(tab, /^Continue with Acme/).click();
      await atUpstream(tab);
    }
    await typePassword(second, "ada");
    await signedIn(second);
    await typePassword(page, "ada");
    await signedIn(page);
    await person.close();
  });

  test("an account with the same address is linked once its owner has shown that it is theirs, or left alone", async () => {
    const { name: realm } = await newRealm("linked", { config: { trustEmail: false } });
    await stage.newUser("upstream", "grace");
    for (const name of ["ada", "grace"]) await stage.newUser(realm, name);
    const { person, page } = await newPerson();
    await open(page, realm);
    await link(page, "Continue with Acme").click();
    await typePassword(page, "ada");
    await heading(page, "Enter your password");
    await look(page, "link-proof");
    await press(page, "Don’t link");
    await atHome(page);
    await page.getByText("Nothing was linked").waitFor();
    await look(page, "link-declined");
    await link(page, /^Continue with Acme/).click();
    await heading(page, "Enter your password");
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]").waitFor();
    await look(page, "link-proof-wrong");
    await press(page, "Continue with a new account");
    await heading(page, "Continue with a new account");
    await look(page, "new-account");
    await press(page, "Use your password");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await signedIn(page);
    expect(await page.locator(".gh-account, .gh-account-name").first().textContent()).toContain("ada");
    await signOut(person, realm);
    await open(page, realm);
    await link(page, /^Continue with Acme/).click();
    await signedIn(page);

    // From the account: what came back is shown before it is linked.
    const account = `${stage.url}/realms/${realm}/account/linked-accounts/acme`;
    const csrf = (await person.context.cookies()).find(({ name }) => name === "XSRF-TOKEN")!.value;
    const headers = { "x-xsrf-token": csrf };
    expect((await person.context.request.delete(account, { headers })).status()).toBe(204);
    const begun = await person.context.request.post(account, { headers, data: {} });
    await page.goto((await begun.json()).url);
    await heading(page, "Link an account");
    await look(page, "link-confirm");
    await press(page, "Link the accounts");
    await signedIn(page);
    await person.close();

    // Without scripts: declined, and then with an account of their own.
    const bare = await personIn(stage.browser, { ...HERE, javaScriptEnabled: false });
    const tab = await bare.tab();
    await open(tab, realm);
    await link(tab, "Continue with Acme").click();
    await typePassword(tab, "grace");
    await heading(tab, "Enter your password");
    await press(tab, "Don’t link");
    await atHome(tab);
    await link(tab, /^Continue with Acme/).click();
    await press(tab, "Continue with a new account");
    await press(tab, "Create my account");
    await heading(tab, "Complete your profile");
    await profile(tab);
    await signedIn(tab);
    expect(await tab.locator(".gh-account, .gh-account-name").first().textContent()).toContain("grace-2");
    await bare.close();
  });

  test("by the domain of an address, name first, with the keyboard; the back button and another way lead to the password", async () => {
    const { name: realm } = await newRealm("home", { config: { hideOnLogin: true }, settings: { identifierFirst: true } });
    const organization = { name: "Acme", identityProvider: "acme", domains: [{ domain: "example.com", verified: true }] };
    const { organizationId } = must(await stage.admin.post(`/admin/realms/${realm}/organizations`, organization), 201);
    await stage.newUser(realm, "ada");
    const { person, page } = await newPerson();
    await open(page, realm);
    await look(page, "identifier-first");
    // With the keyboard alone.
    expect(await page.locator(":focus").getAttribute("id")).toBe("username");
    await page.keyboard.type("ada@example.com");
    await page.keyboard.press("Enter");
    await atUpstream(page);
    expect(await page.getByLabel("Username or email").inputValue()).toBe("ada@example.com");

    // Back: the page before, and no loop. The same address then asks first.
    await page.goBack();
    await atHome(page);
    await page.getByLabel("Username or email").fill("ada@example.com");
    await press(page, "Next");
    await heading(page, "Sign in at Acme");
    await look(page, "departure");
    await press(page, "Try another way");
    await atHome(page);
    expect(await page.getByLabel("Username or email").inputValue()).toBe("ada@example.com");
    await press(page, "Next");
    await heading(page, "Enter your password");
    await page.locator("input[type=password]:focus").waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await signedIn(page);
    await person.close();

    // The whole way, and the account is linked and a member.
    const { person: grace, page: other } = await newPerson();
    await open(other, realm);
    await other.getByLabel("Username or email").fill("ada@example.com");
    await press(other, "Next");
    await atUpstream(other);
    await typePassword(other, "ada");
    await heading(other, "Enter your password");
    await other.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await other.keyboard.press("Enter");
    await signedIn(other);
    const members = must(await stage.admin.get(`/admin/realms/${realm}/organizations/${organizationId}/members`), 200);
    expect(members).toMatchObject([{ username: "ada", role: "member" }]);
    await grace.close();
  });

  test("without scripts, by the address on the page of name and password; cancelled there, and a provider that does not answer", async () => {
    const { name: realm } = await newRealm("by-domain", { config: { domains: ["example.com"] }, client: { consentRequired: true } });
    await stage.newUser(realm, "ada");
    const unreachable = { issuer: "http://127.0.0.1:9", clientId: "x", clientAuthMethod: "none", order: 1 };
    const body = { alias: "unreachable", protocol: "oidc", displayName: "Elsewhere", config: unreachable };
    must(await stage.admin.post(`/admin/realms/${realm}/identity-providers`, body), 201);
    const bare = await personIn(stage.browser, { ...HERE, javaScriptEnabled: false });
    const page = await bare.tab();
    await open(page, realm);
    await typePassword(page, "ada@example.com", "not looked at");
    await atUpstream(page);
    await bare.close();

    const { person, page: tab } = await newPerson();
    await open(tab, realm);
    await link(tab, /^Continue with Acme/).click();
    await atUpstream(tab);
    await typePassword(tab, "ada");
    await press(tab, "Deny");
    await atHome(tab);
    await tab.getByText("You cancelled signing in there").waitFor();
    await look(tab, "provider-cancelled");
    await link(tab, "Continue with Elsewhere").click();
    await tab.locator("[role=alert]").waitFor();
    await look(tab, "provider-unreachable");
    await tab.getByText("Not answering right now").waitFor();
    await typePassword(tab, "ada");
    await signedIn(tab);
    await person.close();
  });
});
