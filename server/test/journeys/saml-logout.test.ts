import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser, type Person, personIn } from "./browser.ts";
import { type SmallProvider, type SmallProviderOptions, startSmallProvider } from "./saml/small-provider.ts";
import { heading, look, press, type Stage, setStage, typePassword } from "./signing-in.ts";
import { html, type Site, startSite } from "./site.ts";
import { must } from "./visitor.ts";

const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe.skipIf(noBrowser)("SAML applications in a browser (needs Chromium):", () => {
  let stage: Stage;
  const sites: Site[] = [];
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(async () => {
    for (const site of sites) await site.close();
    await stage?.close();
  });

  const issuerOf = (realm: string) => `${stage.url}/realms/${realm}`;
  const provider = async (realm: string, name: string, more: Partial<SmallProviderOptions> = {}): Promise<SmallProvider> => {
    const made = await startSmallProvider({ admin: stage.admin, issuer: issuerOf(realm), name, ...more });
    sites.push(made);
    return made;
  };

  /** Two service providers, one by each binding, and an OIDC client that is notified by a frame. */
  async function applications(realm: string) {
    await stage.newRealm(realm);
    await stage.newUser(realm, "ada");
    const library = await provider(realm, "Library");
    const archive = await provider(realm, "Archive", { binding: "post" });
    const notified: string[] = [];
    const shop = await startSite(({ url }) => {
      const { pathname, search } = new URL(url);
      if (pathname === "/out") notified.push(search);
      return html("<h1>In at Shop</h1>");
    });
    sites.push(shop);
    const client = {
      ...{ clientId: "shop", name: "Shop", publicClient: true, redirectUris: [`${shop.url}/cb`] },
      frontchannelLogoutUri: `${shop.url}/out`,
    };
    must(await stage.admin.post(`/admin/realms/${realm}/clients`, client), 201);
    const request = { client_id: "shop", redirect_uri: `${shop.url}/cb`, response_type: "code", scope: "openid" };
    const query = new URLSearchParams({ ...request, code_challenge: CHALLENGE, code_challenge_method: "S256" });
    return { library, archive, notified, authorize: `${issuerOf(realm)}/authorize?${query}` };
  }

  /** One sign-in, and three applications that know of it. `goOn`: where no script sends the forms. */
  async function enterAll(page: Page, { library, archive, authorize }: Awaited<ReturnType<typeof applications>>, goOn = false) {
    await page.goto(`${library.url}/login`);
    await typePassword(page, "ada");
    if (goOn) await press(page, "Continue");
    await heading(page, "In at Library");
    await page.goto(`${archive.url}/login`);
    if (goOn) {
      await press(page, "Go on");
      await press(page, "Continue");
    }
    await heading(page, "In at Archive");
    await page.goto(authorize);
    await heading(page, "In at Shop");
  }

  const unanswered = (page: Page) => page.getByRole("listitem").filter({ hasText: /^Archive didn’t answer/ });

  /** The pages that go on by themselves stay, to be looked at. */
  const hold = ({ context }: Person) =>
    context.route(/\/assets\/(?:hop|signing-out)\.js/, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));

  test("signing out at one goes through all of them, and none of them has a session left: neither by going back nor in another tab", async () => {
    const all = await applications("everywhere");
    const { library, archive, notified } = all;
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();
    await enterAll(page, all);
    const another = await ada.tab();
    await another.goto(`${library.url}/login`);
    await heading(another, "In at Library");

    await page.goto(`${library.url}/logout`);
    await heading(page, "Out of Library: Success");
    expect([archive.asked, library.asked, notified.length]).toEqual([1, 0, 1]);

    await page.goBack();
    await expect.poll(() => page.url()).not.toContain("/slo/answer");
    await page.goto(`${archive.url}/login`);
    await heading(page, /^Sign in/);
    // The other tab asks for what has happened already.
    await another.goto(`${library.url}/logout`);
    await heading(another, "Out of Library: Success");
    expect(archive.asked).toBe(1);
    await ada.close();
  });

  test("one that never answers is passed over and named, and the logout is partial", async () => {
    const all = await applications("silent");
    const { library, archive, notified } = all;
    archive.isSilent = true;
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();
    await enterAll(page, all);
    await page.goto(`${library.url}/logout`, { waitUntil: "commit" });
    await unanswered(page).waitFor();
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/^Archive didn’t answer/), "Shop"]);
    expect(notified).toHaveLength(1);
    await look(page, "saml-logout-unanswered");
    const shown = page.url();

    // The same page in another tab does not ask again by itself.
    const another = await ada.tab();
    await another.goto(shown);
    await unanswered(another).waitFor();
    expect(archive.asked).toBe(1);
    await another.getByRole("link", { name: "Continue" }).click();
    await heading(another, "Out of Library: Success, PartialLogout");

    // Asked once more, it answers.
    archive.isSilent = false;
    await page.getByRole("link", { name: "Try again" }).click();
    await heading(page, "Out of Library: Success");
    await page.goBack();
    // In the other tab, because the page before continues by itself.
    await another.goto(`${archive.url}/login`);
    await heading(another, /^Sign in/);
    await ada.close();
  });

  test("without scripts, by buttons", async () => {
    const all = await applications("buttons");
    const { library, archive } = all;
    const ada = await personIn(stage.browser, { locale: "en-GB", javaScriptEnabled: false });
    const page = await ada.tab();
    await enterAll(page, all, true);
    await page.goto(`${library.url}/logout`);
    await press(page, "Sign out of Archive");
    await press(page, "Go on");
    await page.getByText("signed out", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Continue" }).click();
    await heading(page, "Out of Library: Success");

    // One that never answers: back, and on without it.
    archive.isSilent = true;
    await enterAll(page, all, true);
    await page.goto(`${library.url}/logout`);
    await page.getByRole("link", { name: "Skip this application" }).click();
    await unanswered(page).waitFor();
    await page.getByRole("link", { name: "Continue" }).click();
    await heading(page, "Out of Library: Success, PartialLogout");
    expect(archive.asked).toBe(1);
    await ada.close();
  });

  test("every page can be used and looks right: on the way to an application, out of it, and where it goes no further", async () => {
    const all = await applications("pages");
    const { library, archive } = all;
    const realm = "pages";
    const journal = await provider(realm, "Journal", { options: { consentRequired: true } });
    must(await stage.admin.post(`/admin/realms/${realm}/roles`, { name: "staff" }), 201);
    const vault = await provider(realm, "Vault", { options: { idpInitiatedSsoEnabled: true, allowedRoles: ["staff"] } });
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    await hold(ada);
    const page = await ada.tab();
    await page.goto(`${library.url}/login`);
    await typePassword(page, "ada");
    await heading(page, "Continue to your application");
    await look(page, "saml-post-form");
    await press(page, "Continue");
    await heading(page, "In at Library");
    await page.goto(`${journal.url}/login`);
    await heading(page, "Allow access to your account?");
    await look(page, "saml-consent");
    await page.goto(`${issuerOf(realm)}/saml/idp/start/${encodeURIComponent(vault.entityId)}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look(page, "saml-no-access");
    await page.goto(`${issuerOf(realm)}/saml/idp/sso?SAMLRequest=rubbish`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look(page, "saml-refused");
    await page.goto(`${archive.url}/login`);
    await press(page, "Continue");
    await heading(page, "In at Archive");
    await page.goto(`${archive.url}/logout`);
    await page.getByRole("link", { name: "Sign out of Library" }).waitFor();
    await look(page, "saml-logout-asking");
    await page.getByRole("link", { name: "Sign out of Library" }).click();
    // The answer to one that takes it by POST.
    await heading(page, "Continue to your application");
    await look(page, "saml-logout-answer");
    await press(page, "Continue");
    await heading(page, "Out of Archive: Success");
    await ada.close();
  });
});
