import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { LOCALES } from "../../src/pages/index.ts";
import {
  expectAccessible,
  expectNoSidewaysScrolling,
  expectNothingBeyond,
  noBrowser,
  type Person,
  personIn,
  sharedBrowser,
  takePicture,
} from "./browser.ts";
import { PASSWORD, type ServerProcess, sharedServer } from "./process.ts";
import { must } from "./visitor.ts";

const LOGIN = "/realms/master/login";
/** After signing in, back to the page that says who one is. */
const RETURNING = `${LOGIN}?return_to=${encodeURIComponent(LOGIN)}`;
const DAY = 86_400;

describe.skipIf(noBrowser)("in a browser (needs Chromium):", () => {
  let server: ServerProcess;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([sharedServer(), sharedBrowser()]);
    url = `http://localhost:${server.port}`;
  });

  const fill = async (page: Page, username: string, password: string) => {
    await page.locator("#username").fill(username);
    await page.locator("#password").fill(password);
  };
  const submit = (page: Page) => page.locator('form.gh-form button[type="submit"]').click();
  const signIn = async (page: Page) => {
    await page.goto(url + RETURNING);
    await fill(page, "admin", PASSWORD);
    await submit(page);
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
  };
  const sessionCookie = async ({ context }: Person) => (await context.cookies()).find(({ name }) => name === "gh_master");
  const focused = (page: Page) => page.locator(":focus");

  test("signing in with the keyboard alone: a wrong password, then the right one, and to be kept signed in", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    await page.goto(url + RETURNING);
    expect(await page.title()).toBe("Sign in to master");
    await expectAccessible(page, "login");
    const keys = page.keyboard;

    expect(await focused(page).getAttribute("id")).toBe("username");
    await keys.type("admin");
    await keys.press("Tab");
    await keys.type("not this one");
    await keys.press("Enter");

    await page.locator("[role=alert]").waitFor();
    expect(await page.title()).toMatch(/^Error: .*Wrong username or password/);
    expect(await focused(page).getAttribute("id")).toBe("password");
    expect(await page.locator("#username").inputValue()).toBe("admin");
    expect(await page.locator("#password").inputValue()).toBe("");
    await expectAccessible(page, "login-wrong-password");

    await keys.type(PASSWORD);
    // Past the button that shows the password.
    await keys.press("Tab");
    await keys.press("Tab");
    await keys.press("Space");
    expect(await page.locator("[name=rememberMe]").isChecked()).toBe(true);
    await keys.press("Tab");
    await keys.press("Enter");
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(await page.locator(".gh-account").textContent()).toContain("admin");
    await expectAccessible(page, "signed-in");

    const lasts = (await sessionCookie(ada))!.expires - Date.now() / 1000;
    expect(Math.round(lasts / DAY)).toBe(30);
    await ada.close();
  });

  test("a form is sent once, however often it is pressed, and again when the page is shown anew", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    const sent: string[] = [];
    let isStopped = false;
    await page.route("**/login**", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent.push(route.request().postData()!);
      await new Promise((resolve) => setTimeout(resolve, 300));
      // The browser stays on the page after a 204, as when the request is stopped.
      return isStopped ? route.fulfill({ status: 204 }) : route.continue();
    });
    const pressTwice = async () => {
      const { x, y, width, height } = (await page.locator("#sign-in").boundingBox())!;
      for (let times = 0; times < 2; times++) {
        await page.mouse.click(x + width / 2, y + height / 2);
        await page.waitForTimeout(50);
      }
    };
    await page.goto(url + RETURNING);
    await fill(page, "admin", "not this one");
    await pressTwice();
    await page.locator("[role=alert]").waitFor();
    expect(sent).toHaveLength(1);

    isStopped = true;
    await page.locator("#password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(50);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(600);
    expect(sent).toHaveLength(2);
    isStopped = false;
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
    await pressTwice();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(sent).toHaveLength(3);
    await ada.close();
  });

  test("without scripts, a wrong password and the right one", async () => {
    const ada = await personIn(browser, { javaScriptEnabled: false });
    const page = await ada.tab();
    await page.goto(url + RETURNING);
    await fill(page, "admin", "not this one");
    await submit(page);
    await page.locator("[role=alert]").waitFor();
    expect(await page.title()).toMatch(/^Error: /);
    // axe is a script itself.
    await takePicture(page, "no-scripts-wrong-password");
    await fill(page, "admin", PASSWORD);
    await submit(page);
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    // Without "keep me signed in": the cookie ends with the browser.
    expect((await sessionCookie(ada))!.expires).toBe(-1);
    await ada.close();
  });

  test.each([
    { name: "phone-dark-dutch", width: 390, height: 844, colorScheme: "dark", locale: "nl-NL" },
    { name: "narrow-light-dutch", width: 320, height: 568, colorScheme: "light", locale: "nl-NL" },
    { name: "wide-dark-english", width: 1280, height: 800, colorScheme: "dark", locale: "en-GB" },
  ] as const)("$name: readable and whole, in the visitor's language", async ({ name, width, height, colorScheme, locale }) => {
    const ada = await personIn(browser, { viewport: { width, height }, colorScheme, locale });
    const page = await ada.tab();
    await page.goto(url + RETURNING);
    expect(await page.locator("html").getAttribute("lang")).toBe(locale.slice(0, 2));
    expect(await page.title()).toBe(locale === "nl-NL" ? "Inloggen bij master" : "Sign in to master");
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page, `login-${name}`);
    await fill(page, "admin", "niet dit");
    await submit(page);
    await page.locator("[role=alert]").waitFor();
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page, `login-wrong-password-${name}`);
    await fill(page, "admin", PASSWORD);
    await submit(page);
    await page.locator(".gh-account").waitFor();
    await expectAccessible(page, `signed-in-${name}`);
    await page.goto(`${url}/realms/master/logout`);
    await expectAccessible(page, `logout-${name}`);
    await ada.close();
  });

  test("a language chosen on the page is kept", async () => {
    const ada = await personIn(browser, { locale: "en-GB" });
    const page = await ada.tab();
    await page.goto(url + LOGIN);
    await page.locator(".gh-languages summary").click();
    await page.getByRole("link", { name: "Nederlands" }).click();
    await page.getByRole("heading", { name: "Inloggen bij master" }).waitFor();
    await page.goto(url + LOGIN);
    expect(await page.locator("html").getAttribute("lang")).toBe("nl");
    await ada.close();
  });

  test("two tabs: who signed in on one is known on the other, whose old form does no harm", async () => {
    const ada = await personIn(browser);
    const [first, second] = [await ada.tab(), await ada.tab()];
    await second.goto(url + RETURNING);
    await signIn(first);

    // The form of the second tab is from before: it is not taken, but its next try is.
    await fill(second, "admin", PASSWORD);
    await submit(second);
    await expect.poll(() => second.title()).toMatch(/Please try once more|You are signed in/);
    await expectAccessible(second, "second-tab");
    await second.goto(url + LOGIN);
    await second.getByRole("heading", { name: "You are signed in" }).waitFor();

    await submit(second); // Signs out: the only form of that page.
    await second.getByText("You are signed out.").waitFor();
    await first.reload();
    await first.locator("#username").waitFor();
    await ada.close();
  });

  test("after signing out, the back button shows nothing of what was", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    await signIn(page);
    await page.goto(`${url}/realms/master/logout`);
    await page.getByRole("heading", { name: "Sign out of master?" }).waitFor();
    await expectAccessible(page, "logout-question");
    await submit(page);
    await page.getByText("You are signed out.").waitFor();
    await expectAccessible(page, "signed-out");
    expect(await sessionCookie(ada)).toBeUndefined();

    for (let steps = 0; steps < 3; steps++) {
      await page.goBack().catch(() => null);
      expect(await page.locator("body").textContent()).not.toContain("Continue as");
      expect(await page.locator(".gh-account").count()).toBe(0);
    }
    await page.goto(`${url}/realms/master/logout`);
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await expectAccessible(page, "signed-out-already");
    await ada.close();
  });

  test("a page without its cookies asks once more, says so, and then signs in", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    await page.goto(url + RETURNING);
    await fill(page, "admin", PASSWORD);
    await ada.context.clearCookies();
    await submit(page);
    await page.locator("[role=alert]").waitFor();
    expect(await page.title()).toMatch(/^Error: .*Please try once more/);
    expect(await page.locator("#username").inputValue()).toBe("admin");
    await expectAccessible(page, "login-cookies-gone");
    await page.locator("#password").fill(PASSWORD);
    await submit(page);
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    await ada.close();
  });

  test("in every language the main pages fit into 320 pixels, and Arabic runs from the right", async () => {
    const ada = await personIn(browser, { viewport: { width: 320, height: 640 } });
    const page = await ada.tab();
    for (const locale of LOCALES) {
      await page.goto(`${url}${RETURNING}&lang=${locale}`);
      expect(await page.locator("html").getAttribute("dir")).toBe(locale === "ar" ? "rtl" : "ltr");
      await expectNothingBeyond(page, `320-${locale}-login`);
    }
    await page.goto(`${url}${LOGIN}?lang=en`);
    await signIn(page);
    for (const locale of LOCALES) {
      await page.goto(`${url}${LOGIN}?lang=${locale}`);
      await expectNothingBeyond(page, `320-${locale}-signed-in`);
      for (const name of ["", "pages/profile", "pages/security", "pages/sessions"]) {
        await page.goto(`${url}/realms/master/account/${name}`);
        expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        await expectNothingBeyond(page, `320-${locale}-account-${name.slice(6) || "overview"}`);
      }
    }
    await ada.close();
  });

  test("addresses that lead nowhere say so kindly", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    await page.goto(`${url}/realms/nowhere/login`);
    await page.getByRole("heading", { name: "There’s nothing here" }).waitFor();
    await expectAccessible(page, "unknown-realm");
    await ada.close();
  });

  test("a realm's own colours and words, in light and dark", async () => {
    const admin = await server.admin();
    must(await admin.post("/admin/realms", { realm: "branded" }), 201);
    const settings = must(await admin.get("/admin/realms/branded/settings"), 200);
    const branding = { displayName: "Rood & Co", primaryColor: "#ff0", backgroundColor: "#1b0b10", welcomeText: "Welcome <b>back</b>" };
    must(await admin.put("/admin/realms/branded/settings", { ...settings, ...branding }), 200);
    for (const colorScheme of ["light", "dark"] as const) {
      const ada = await personIn(browser, { colorScheme });
      const page = await ada.tab();
      await page.goto(`${url}/realms/branded/login`);
      await page.getByText("Welcome <b>back</b>").waitFor();
      await expectAccessible(page, `branded-${colorScheme}`);
      await ada.close();
    }
  });

  test("signed in without a wish where to go, one arrives at a page that exists", async () => {
    const ada = await personIn(browser);
    const page = await ada.tab();
    await page.goto(url + LOGIN);
    await fill(page, "admin", PASSWORD);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().isNavigationRequest() && response.ok()),
      submit(page),
    ]);
    expect(answer.headers()["content-type"]).toContain("text/html");
    await page.waitForLoadState("networkidle");
    await ada.close();
  });
});
