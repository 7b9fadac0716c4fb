import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoSidewaysScrolling, noBrowser, personIn } from "./browser.ts";
import { authenticatorApp, heading, look, PASSWORD, press, type Stage, setStage, typePassword } from "./signing-in.ts";
import { must } from "./visitor.ts";

const NEW_PASSWORD = "another password for journeys";

describe.skipIf(noBrowser)("the account console in a browser (needs Chromium):", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.close());

  const follow = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();
  /** The landing page, and as many activations from there as are counted by the caller. */
  const home = (page: Page, realm: string) => page.goto(`${stage.url}/realms/${realm}/account/`);
  const says = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

  test("people change a password, add factors, end a session and take access back, by visible names and without a detour", async () => {
    const { admin, url } = stage;
    const realm = await stage.newRealm("people");
    const settings = must(await admin.get(`/admin/realms/${realm}/settings`), 200);
    const named = { ...settings, displayName: "Acme", primaryColor: "#0f766e", account: { ...settings.account, erase: true } };
    must(await admin.put(`/admin/realms/${realm}/settings`, named), 200);
    const { username, userId } = await stage.newUser(realm, "ada");
    const shop = { clientId: "shop", name: "Web shop", consentRequired: true, redirectUris: [`${url}/livez`], clientUri: `${url}/livez` };
    must(await admin.post(`/admin/realms/${realm}/clients`, shop), 201);

    const ada = await personIn(stage.browser);
    const page = await ada.tab();
    await page.goto(`${url}/realms/${realm}/account/pages/sessions`);
    await typePassword(page, username);
    await heading(page, "Sessions");

    const other = await personIn(stage.browser, { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" });
    const elsewhere = await other.tab();
    await elsewhere.goto(`${url}/realms/${realm}/account/`);
    await typePassword(elsewhere, username);
    await heading(elsewhere, "Hello, ada");

    await home(page, realm);
    await look(page, "account-overview");
    await follow(page, "Review sessions");
    await look(page, "account-sessions");
    await press(page, "Sign out Firefox, Linux");
    await says(page, "That session is signed out.");
    await elsewhere.reload();
    await heading(elsewhere, "Sign in to Acme");
    await other.close();

    await home(page, realm);
    await follow(page, "Change password");
    await look(page, "account-password");
    await page.getByLabel("Current password", { exact: true }).fill("not this one");
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await press(page, "Change password");
    await page.getByText("That’s not your current password.").waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("current-password");
    await look(page, "account-password-wrong");
    await page.getByRole("button", { name: "Show: Current password" }).click();
    await page.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await press(page, "Change password");
    await says(page, "Your password is changed.");

    const devices = await ada.context.newCDPSession(page);
    await devices.send("WebAuthn.enable");
    await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await home(page, realm);
    await follow(page, "Make it safer");
    await look(page, "account-security");
    await follow(page, "Add a passkey");
    await look(page, "account-passkey");
    await page.getByLabel("Name of this passkey").fill("work laptop");
    await press(page, "Create a passkey");
    await heading(page, "Your recovery codes");
    await page.getByRole("button", { name: "Print" }).waitFor();
    await look(page, "account-codes");
    await follow(page, "I’ve saved them");
    await page.getByText("work laptop").waitFor();

    await follow(page, "Add an authenticator app");
    await look(page, "account-app");
    const key = (await page.locator(".gh-key").textContent())!;
    const app = authenticatorApp(key);
    await page.getByLabel("Name of this app").fill("my phone");
    // Its last digit sends it.
    await page.getByLabel("Code in the app").pressSequentially(app.nextCode());
    await says(page, "Your authenticator app is added.");
    await look(page, "account-security-full");
    const credentials = must(await admin.get(`/admin/realms/${realm}/users/${userId}/credentials`), 200);
    expect(credentials.map(({ type, label }: { type: string; label: string }) => [type, label])).toEqual(
      expect.arrayContaining([
        ["passkey", "work laptop"],
        ["totp", "my phone"],
      ]),
    );

    const asked = {
      ...{ response_type: "code", client_id: "shop", redirect_uri: `${url}/livez`, scope: "openid profile" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
    };
    await page.goto(`${url}/realms/${realm}/authorize?${new URLSearchParams(asked)}`);
    await press(page, "Allow");
    await page.waitForURL(/livez/);
    await home(page, realm);
    await page.getByRole("navigation").getByRole("link", { name: "Applications" }).click();
    await look(page, "account-applications");
    await follow(page, "Remove access: Web shop");
    await press(page, "Remove access");
    await says(page, "Its access is removed.");
    expect(must(await admin.get(`/admin/realms/${realm}/users/${userId}/gdpr/consents`), 200)).toEqual([]);

    for (const [name, seen] of [
      ["Profile", "profile"],
      ["Organizations", "organizations"],
      ["Activity", "activity"],
      ["Your data", "data"],
      ["Language and theme", "preferences"],
    ] as const) {
      await page.getByRole("navigation").getByRole("link", { name }).click();
      await heading(page, name);
      await look(page, `account-${seen}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByLabel("Dark").check();
    await page.getByLabel("Language").selectOption({ label: "Nederlands" });
    await press(page, "Save");
    await heading(page, "Taal en thema");
    expect(await page.evaluate(() => getComputedStyle((globalThis as never as { document: { body: never } }).document.body).color)).toBe(
      "rgb(242, 244, 248)",
    );
    await ada.close();
  });

  test("without scripts a password is changed, and the account deleted", async () => {
    const realm = "people";
    const { username } = await stage.newUser(realm, "bea");
    const bea = await personIn(stage.browser, { javaScriptEnabled: false });
    const page = await bea.tab();
    await home(page, realm);
    await typePassword(page, username);
    await follow(page, "Change password");
    await page.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await press(page, "Change password");
    await says(page, "Your password is changed.");
    // On a telephone, too, the present page is in sight in the navigation.
    await page.setViewportSize({ width: 360, height: 640 });
    for (const name of ["Sessions", "Activity", "Your data"]) {
      await follow(page, name);
      await heading(page, name);
      await expectNoSidewaysScrolling(page, `account-without-scripts-${name}`);
      const { x, width } = (await page.locator('.gh-nav [aria-current="page"]').boundingBox())!;
      expect([x >= 0, x + width <= 360], name).toEqual([true, true]);
    }
    await follow(page, "Delete my account");
    await page.getByLabel("Enter your username to confirm").fill(username);
    await press(page, "Delete my account");
    await heading(page, "Your account is deleted");
    await bea.close();
  });
});
