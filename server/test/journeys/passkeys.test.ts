import type { Browser, CDPSession, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, expectNoSidewaysScrolling, noBrowser, type Person, personIn, sharedBrowser } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const REALM = "passkeys";
const PASSWORD = "a password for journeys";
const LOGIN = `/realms/${REALM}/login`;
const RETURNING = `${LOGIN}?return_to=${encodeURIComponent(LOGIN)}`;

describe.skipIf(noBrowser)("passkeys in a browser (needs Chromium):", () => {
  let server: ServerProcess;
  let browser: Browser;
  let url: string;
  let admin: Visitor;

  beforeAll(async () => {
    [server, browser] = await Promise.all([sharedServer(), sharedBrowser()]);
    url = `http://localhost:${server.port}`;
    admin = await server.admin();
    must(await admin.post("/admin/realms", { realm: REALM }), 201);
  });

  /** Chromium's virtual authenticator, which answers immediately. */
  async function withDevice(page: Page) {
    const devices: CDPSession = await page.context().newCDPSession(page);
    await devices.send("WebAuthn.enable");
    const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return { devices, authenticatorId };
  }

  const users = `/admin/realms/${REALM}/users`;
  async function newUser(name: string, actions = ["CONFIGURE_PASSKEY"]) {
    const { userId } = must(await admin.post(users, { username: name }), 201);
    must(await admin.put(`${users}/${userId}/password`, { newPassword: PASSWORD }), 204);
    must(await admin.put(`${users}/${userId}/required-actions`, actions), 200);
    return { name, userId };
  }

  async function withPassword(page: Page, name: string) {
    await page.goto(url + RETURNING);
    await page.locator("#username").fill(name);
    await page.locator("#password").fill(PASSWORD);
    await page.locator("#gh-step button[type=submit]").click();
  }

  const signedIn = (page: Page) => page.getByRole("heading", { name: "You are signed in" }).waitFor();
  const signOut = (person: Person) => person.context.clearCookies({ name: `gh_${REALM}` });

  test("set up on request, then used by the button alone, as a second factor, and refused without user verification", async () => {
    const { name, userId } = await newUser("ada");
    const ada = await personIn(browser);
    const page = await ada.tab();
    const { devices, authenticatorId } = await withDevice(page);
    await withPassword(page, name);
    await page.getByRole("heading", { name: "Set up a passkey" }).waitFor();
    await expectAccessible(page, "passkey-set-up");
    await page.getByLabel("Name of this passkey").fill("work laptop");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("button", { name: "I’ve saved them" }).click();
    await signedIn(page);
    const credentials = must(await admin.get(`${users}/${userId}/credentials`), 200);
    expect(credentials.map(({ type, label }: { type: string; label: string | null }) => [type, label])).toContainEqual([
      "passkey",
      "work laptop",
    ]);

    await signOut(ada);
    // The suggestions beside the name would answer at once: first without presence, so that the button is what is tested.
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
    await page.goto(url + RETURNING);
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    expect(await button.count(), "once, not also among other ways").toBe(1);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page, "login-with-passkey");
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: true });
    // Pressed again while the answer is on its way, it is not sent a second time, which would be an answer to a question that is used.
    let sent = 0;
    await page.route("**/login*", async (route) => {
      if (route.request().method() === "POST") {
        sent++;
        await new Promise((resolve) => setTimeout(resolve, 1500));
      }
      await route.continue();
    });
    await page.evaluate(`setTimeout(() => document.querySelector("[data-passkey=get] [data-start]").click(), 800)`);
    await button.click();
    await signedIn(page);
    expect(sent).toBe(1);
    await page.unroute("**/login*");
    expect(await page.locator(".gh-account").textContent()).toContain(name);

    await signOut(ada);
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
    await withPassword(page, name);
    await page.getByRole("heading", { name: "Use your passkey" }).waitFor();
    await expectAccessible(page, "passkey-second-factor");
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: true });
    await page.getByLabel(/Trust this browser/).check();
    await page.getByRole("button", { name: "Continue with your passkey" }).click();
    await signedIn(page);

    // Trusted from now on.
    await signOut(ada);
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
    await withPassword(page, name);
    await signedIn(page);

    await signOut(ada);
    await devices.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.goto(url + RETURNING);
    await devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: true });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("status").filter({ hasText: "You can try again" }).waitFor();
    await expectAccessible(page, "passkey-refused-by-device");
    await ada.close();
  });

  test("taken from the suggestions of the field for the name; a copy of it is found and turned off", async () => {
    const { name } = await newUser("bob");
    const bob = await personIn(browser);
    const page = await bob.tab();
    const { devices, authenticatorId } = await withDevice(page);
    await withPassword(page, name);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("button", { name: "I’ve saved them" }).click();
    await signedIn(page);
    const { credentials } = await devices.send("WebAuthn.getCredentials", { authenticatorId });
    await signOut(bob);
    // The pretended device takes the suggestion as soon as the page makes it.
    await page.goto(url + RETURNING);
    await signedIn(page);

    // As it was before: a cloned passkey.
    await signOut(bob);
    await devices.send("WebAuthn.clearCredentials", { authenticatorId });
    await devices.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credentials[0]!, signCount: 0 } });
    await page.goto(url + RETURNING);
    await page.getByText("This passkey was turned off").waitFor();
    await expectAccessible(page, "passkey-copied");
    await bob.close();
  });

  test("without scripts a passkey is offered nowhere, and name and password do", async () => {
    const { name } = await newUser("carol", []);
    const carol = await personIn(browser, { javaScriptEnabled: false, viewport: { width: 360, height: 640 }, colorScheme: "dark" });
    const page = await carol.tab();
    await page.goto(url + RETURNING);
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "passkey" }).count()).toBe(0);
    expect(await page.getByRole("region", { name: "Try another way" }).count()).toBe(0);
    await expectNoSidewaysScrolling(page, "login-without-scripts");
    await page.locator("#username").fill(name);
    await page.locator("#password").fill(PASSWORD);
    await page.locator("#gh-step button[type=submit]").click();
    await signedIn(page);
    await carol.close();
  });

  test("the script offers the way to a browser that knows no passkeys as well, and its page says so", async () => {
    const dora = await personIn(browser);
    await dora.context.addInitScript("delete globalThis.PublicKeyCredential");
    const page = await dora.tab();
    await page.goto(url + RETURNING);
    await page.getByRole("region", { name: "Try another way" }).getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("This browser can’t use passkeys.").waitFor();
    await dora.close();
  });
});
