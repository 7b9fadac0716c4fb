import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appKey } from "../../src/testing/device.ts";
import { noBrowser, personIn } from "./browser.ts";
import {
  type Account,
  heading,
  loginOf,
  look,
  lookAtWaiting,
  PASSWORD,
  press,
  type Stage,
  scan,
  setStage,
  signedIn,
  signOut,
  step,
  sub,
  typeCode,
  typePassword,
} from "./signing-in.ts";
import { must } from "./visitor.ts";

const NEW_PASSWORD = "another password for journeys";

describe.skipIf(noBrowser)("signing in with a mail or a phone, in a browser (needs Chromium):", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.close());

  const linkTo = async (address: string, part: string): Promise<string> => {
    const found = async () => (await stage.mail.linksTo(address)).findLast((link) => link.includes(part)) ?? "";
    await expect.poll(found).toContain(part);
    return found();
  };

  test("without a password: a link that works where one began, or a code", async () => {
    const ways = [step("magic-link", "ALTERNATIVE"), step("email-otp", "ALTERNATIVE")];
    const realm = await stage.newRealm("mail", undefined, [step("username"), sub("ways", ways)]);
    const { email } = await stage.newUser(realm, "ada");
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();
    await page.goto(stage.url + loginOf(realm));
    await page.getByLabel("Username or email").fill("ada");
    await press(page, "Next");
    await heading(page, "Check your email");
    await lookAtWaiting(ada, page, "link-waiting");
    const link = await linkTo(email, "/login/link");

    const visitor = await personIn(stage.browser, { locale: "en-GB" });
    const elsewhere = await visitor.tab();
    await elsewhere.goto(link);
    await heading(elsewhere, "Did you ask for this link?");
    await look(elsewhere, "link-elsewhere");

    const opened = await ada.tab();
    await opened.goto(link);
    await heading(opened, /^Sign in to/);
    await look(opened, "link-opened");
    await press(opened, "Sign in");
    await heading(opened, "It’s you");
    await look(opened, "link-confirmed");
    // The waiting page continues by itself.
    await signedIn(page);
    await opened.goto(link);
    await heading(opened, "This link no longer works");
    await look(opened, "link-gone");

    // Opened elsewhere, another one shows a code to type here.
    await signOut(ada, realm);
    await page.goto(stage.url + loginOf(realm));
    await page.getByLabel("Username or email").fill("ada");
    await press(page, "Next");
    await heading(page, "Check your email");
    const isNew = async () => (await linkTo(email, "/login/link")) !== link;
    await expect.poll(isNew).toBe(true);
    await elsewhere.goto(await linkTo(email, "/login/link"));
    await press(elsewhere, "Get a code");
    await heading(elsewhere, "Enter this code where you started");
    await look(elsewhere, "link-elsewhere-code");
    await page.locator("#code").waitFor();
    await look(page, "link-code");
    await typeCode(page, (await elsewhere.locator(".gh-number").textContent())!);
    await signedIn(page);
    await visitor.close();

    await signOut(ada, realm);
    await page.goto(stage.url + loginOf(realm));
    await page.getByLabel("Username or email").fill("ada");
    await press(page, "Next");
    await press(page, "Get a code by email");
    await page.locator("#code").waitFor();
    await look(page, "email-code");
    await typeCode(page, (await stage.mail.latestTo(email)).code);
    await signedIn(page);
    await ada.close();
  });

  test("an account of one's own, and another password for it once that is forgotten", async () => {
    const realm = await stage.newRealm("own", { registration: { enabled: true } });
    const email = "grace@example.com";
    const grace = await personIn(stage.browser, { locale: "en-GB" });
    const page = await grace.tab();
    await page.goto(stage.url + loginOf(realm));
    await look(page, "with-registration");
    await page.getByRole("link", { name: "Create an account" }).click();
    await heading(page, /^Create an account/);
    await look(page, "registration");
    await page.getByLabel("Username", { exact: true }).fill("grace");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("First name").fill("Grace");
    await page.getByLabel("Last name").fill("Hopper");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Create my account");
    await heading(page, "Confirm your email address");
    await look(page, "registration-mailed");
    await typeCode(page, (await stage.mail.latestTo(email)).code);
    await signedIn(page);

    await signOut(grace, realm);
    await page.goto(stage.url + loginOf(realm));
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await heading(page, "Forgot your password?");
    await look(page, "forgotten");
    await page.getByLabel("Username or email").fill(email);
    await press(page, "Next");
    await heading(page, "Check your email");
    await look(page, "forgotten-mailed");
    const link = await linkTo(email, "/reset-password/");
    await page.goto(link);
    await heading(page, "Choose a new password");
    await look(page, "forgotten-link");
    await press(page, "Continue");
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await press(page, "Save");
    await signedIn(page);
    await page.goto(link);
    await heading(page, "This link no longer works");
    await look(page, "forgotten-link-gone");

    await signOut(grace, realm);
    await page.goto(stage.url + loginOf(realm));
    await typePassword(page, "grace", NEW_PASSWORD);
    await signedIn(page);
    await grace.close();
  });

  /** By the way an app takes. */
  async function enrollPhone({ realm, userId }: Account) {
    const credential = { type: "enrollment-token" };
    const { token } = must(await stage.admin.post(`/admin/realms/${realm}/users/${userId}/credentials`, credential), 201);
    const [app, key] = [stage.server.visitor(), appKey()];
    const headers = { authorization: `Bearer ${token}` };
    const start = must(await app.post(`/realms/${realm}/device/enroll/start`, undefined, { headers }), 200);
    const proof = key.jws({ typ: "gatehouse-enroll+jwt" }, { aud: start.audience, challenge: start.challenge });
    must(await app.post(`/realms/${realm}/device/enroll`, { key: key.jwk, proof, name: "Ada's phone" }, { headers }), 201);
  }
  const numberOn = async (page: Page) => (await page.locator(".gh-number").first().textContent())!.trim();

  test("a phone gets the request, and its owner types the number that the screen shows; or denies the sign-in", async () => {
    const realm = await stage.newRealm("push");
    const account = await stage.newUser(realm, "ada");
    const phone = await personIn(stage.browser, { locale: "en-GB" });
    const onPhone = await phone.tab();
    // Signed in before there is a second factor: later a password alone would not do.
    await onPhone.goto(stage.url + loginOf(realm));
    await typePassword(onPhone, "ada");
    await signedIn(onPhone);
    await enrollPhone(account);

    const screen = await personIn(stage.browser, { locale: "en-GB" });
    const page = await screen.tab();
    const ask = async () => {
      await page.goto(stage.url + loginOf(realm));
      await typePassword(page, "ada");
      await heading(page, "Look at your phone");
      await onPhone.goto(`${stage.url}/realms/${realm}/push`);
      await heading(onPhone, "Are you signing in?");
    };
    await ask();
    await lookAtWaiting(screen, page, "push-waiting");
    await look(onPhone, "push-asked");
    await onPhone.locator("#number").fill("0");
    await press(onPhone, "Yes, it’s me");
    await onPhone.locator("[role=alert]").waitFor();
    await look(onPhone, "push-wrong-number");
    await onPhone.locator("#number").fill(await numberOn(page));
    await press(onPhone, "Yes, it’s me");
    await heading(onPhone, "Approved");
    await look(onPhone, "push-approved");
    await signedIn(page);

    await signOut(screen, realm);
    await ask();
    await press(onPhone, "No, it’s not me");
    await heading(onPhone, "The sign-in was stopped");
    await look(onPhone, "push-denied-on-phone");
    await heading(page, "The sign-in was denied");
    await look(page, "push-denied");
    await Promise.all([phone.close(), screen.close()]);
  });

  test("a picture on the screen, that a phone which is signed in reads and confirms", async () => {
    const realm = await stage.newRealm("picture", undefined, [
      step("cookie", "ALTERNATIVE"),
      step("username-password", "ALTERNATIVE"),
      step("qr", "ALTERNATIVE"),
    ]);
    await stage.newUser(realm, "ada");
    const screen = await personIn(stage.browser, { locale: "en-GB" });
    const page = await screen.tab();
    await page.goto(stage.url + loginOf(realm));
    await look(page, "with-other-ways");
    await press(page, "Sign in with a QR code");
    await heading(page, "Scan this code with your phone");
    await lookAtWaiting(screen, page, "qr-waiting");
    const address = await scan(page.locator("svg.gh-qr"));

    const phone = await personIn(stage.browser, { locale: "en-GB" });
    const onPhone = await phone.tab();
    await onPhone.goto(address);
    await typePassword(onPhone, "ada");
    await heading(onPhone, "Sign in on the other screen?");
    expect(await numberOn(onPhone)).toBe(await numberOn(page));
    await look(onPhone, "qr-asked");
    await press(onPhone, "Yes, sign me in there");
    await heading(onPhone, "Confirmed");
    await look(onPhone, "qr-confirmed");
    await signedIn(page);
    await Promise.all([phone.close(), screen.close()]);
  });
});
