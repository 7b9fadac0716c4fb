import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser, personIn, takePicture } from "./browser.ts";
import {
  heading,
  loginOf,
  look,
  PASSWORD,
  press,
  type Stage,
  setStage,
  setUpApp,
  signedIn,
  signOut,
  step,
  typeCode,
  typePassword,
} from "./signing-in.ts";
import { html, type Site, startSite } from "./site.ts";
import { must } from "./visitor.ts";

const NEW_PASSWORD = "another password for journeys";

describe.skipIf(noBrowser)("signing in, step by step, in a browser (needs Chromium):", () => {
  let stage: Stage;
  let site: Site;
  const textMessages: { to: string; text: string }[] = [];
  beforeAll(async () => {
    const answer = async (request: Request) => {
      if (new URL(request.url).pathname !== "/sms") return html("<title>Shop</title><h1>Inside the shop</h1>");
      textMessages.push((await request.json()) as (typeof textMessages)[number]);
      return Response.json({ id: String(textMessages.length) });
    };
    [stage, site] = await Promise.all([setStage(), startSite(answer)]);
  });
  afterAll(async () => {
    await stage?.close();
    await site?.close();
  });

  /** The address to which an application sends its users, and its handling of the response. */
  async function application(realm: string, more: object = {}) {
    const redirect_uri = `${site.url}/callback`;
    const client = { clientId: "shop", name: "The Shop", publicClient: true, redirectUris: [redirect_uri], ...more };
    must(await stage.admin.post(`/admin/realms/${realm}/clients`, client), 201);
    const verifier = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      ...{ client_id: "shop", redirect_uri, response_type: "code", scope: "openid", state: "s" },
      ...{ code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" },
    });
    return {
      url: `${stage.url}/realms/${realm}/authorize?${query}`,
      async claimsOf(back: string) {
        const code = new URL(back).searchParams.get("code") ?? "";
        const form = { grant_type: "authorization_code", client_id: "shop", redirect_uri, code, code_verifier: verifier };
        const { id_token } = must(await stage.server.visitor().request("POST", `/realms/${realm}/token`, { form }), 200);
        return JSON.parse(Buffer.from(String(id_token).split(".")[1]!, "base64url").toString());
      },
    };
  }

  test("every required action, inside the code flow of an application; next time only password and code", async () => {
    const terms = { text: "Be kind to each other.\n\n".repeat(30), version: "1" };
    const realm = await stage.newRealm("flow", { terms, displayName: "Acme" });
    const requested = ["UPDATE_PASSWORD", "VERIFY_EMAIL", "CONFIGURE_TOTP", "UPDATE_PROFILE", "ACCEPT_TERMS"];
    const { email } = await stage.newUser(realm, "ada", requested);
    const shop = await application(realm);
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();

    await page.goto(shop.url);
    await heading(page, "Sign in to Acme");
    await look(page, "first-page-of-application");
    await typePassword(page, "ada", "not this one");
    await page.getByRole("alert").waitFor();
    await typePassword(page, "ada");

    await heading(page, "Choose a new password");
    await look(page, "new-password");
    const choose = async (password: string) => {
      await page.getByLabel("New password", { exact: true }).fill(password);
      await press(page, "Save");
    };
    await choose("short");
    await page.getByRole("alert").waitFor();
    await look(page, "new-password-refused");
    await choose(NEW_PASSWORD);

    await heading(page, "Confirm your email address");
    await look(page, "verify-email");
    await typeCode(page, (await stage.mail.latestTo(email)).code);
    const { app, recoveryCodes } = await setUpApp(page, (what) => look(page, what));
    expect(new Set(recoveryCodes).size).toBeGreaterThanOrEqual(8);

    await heading(page, "Complete your profile");
    await look(page, "profile");
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Lovelace");
    await press(page, "Save");
    await heading(page, "Terms of use");
    await look(page, "terms");
    await press(page, "I accept");
    await page.getByRole("heading", { name: "Inside the shop" }).waitFor();
    expect(await shop.claimsOf(page.url())).toMatchObject({ acr: "2", amr: expect.arrayContaining(["pwd", "otp"]) });

    await signOut(ada, realm);
    await page.goto(shop.url);
    await typePassword(page, "ada", NEW_PASSWORD);
    await heading(page, "Enter the 6-digit code");
    await look(page, "totp");
    await typeCode(page, "000000");
    await page.getByRole("alert").waitFor();
    await look(page, "totp-wrong");
    await typeCode(page, app.nextCode());
    await page.getByRole("heading", { name: "Inside the shop" }).waitFor();

    // The phone is lost.
    await signOut(ada, realm);
    await page.goto(shop.url);
    await typePassword(page, "ada", NEW_PASSWORD);
    await press(page, "Use a recovery code");
    await heading(page, "Enter a recovery code");
    await look(page, "recovery-code");
    await page.getByLabel(/Trust this browser/).check();
    await typeCode(page, recoveryCodes[3]!);
    await page.getByRole("heading", { name: "Inside the shop" }).waitFor();

    // This browser is trusted now; the terms that it accepted are kept, too.
    await signOut(ada, realm);
    await page.goto(shop.url);
    await typePassword(page, "ada", NEW_PASSWORD);
    await page.getByRole("heading", { name: "Inside the shop" }).waitFor();

    // The application asks for a second factor of somebody who has none.
    await stage.newUser(realm, "bob");
    await signOut(ada, realm);
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ["2"] } } });
    await page.goto(`${shop.url}&${new URLSearchParams({ claims })}`);
    await typePassword(page, "bob");
    await press(page, "Set up an authenticator app");
    await heading(page, "Set up an authenticator app");
    await look(page, "step-up-totp-set-up");
    await ada.close();
  });

  test("a code by text message; then a payment is signed with a fresh code of the app, and another one is not", async () => {
    const realm = await stage.newRealm("bank", { displayName: "Acme Bank" }, [step("username-password"), step("sms-otp")]);
    const at = `/admin/realms/${realm}`;
    const gateway = { channel: "SMS", driver: "http", config: { url: `${site.url.replace("localhost", "127.0.0.1")}/sms` } };
    must(await stage.admin.put(`${at}/messaging/providers`, gateway), 201);
    const { userId, email } = await stage.newUser(realm, "ada", ["CONFIGURE_TOTP"]);
    const attributes = { phoneNumber: "+31612345678" };
    must(await stage.admin.patch(`${at}/users/${userId}`, { email, emailVerified: true, attributes }), 200);
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const page = await ada.tab();
    await page.goto(stage.url + loginOf(realm));
    await typePassword(page, "ada");
    await heading(page, "Check your phone");
    await look(page, "sms-code");
    await expect.poll(() => textMessages.length).toBe(1);
    const [{ to, text }] = textMessages as [(typeof textMessages)[number]];
    expect(to).toBe("+31612345678");
    await typeCode(page, /\b\d{6}\b/.exec(text)![0]);
    const { app } = await setUpApp(page, async () => {});
    await signedIn(page);

    const client = { clientId: "till", name: "The Till", redirectUris: [], grantTypes: ["client_credentials"] };
    const { secret } = must(await stage.admin.post(`${at}/clients`, client), 201);
    const visitor = stage.server.visitor();
    const form = { grant_type: "client_credentials", client_id: "till", client_secret: secret };
    const { access_token } = must(await visitor.request("POST", `/realms/${realm}/token`, { form }), 200);
    const headers = { authorization: `Bearer ${access_token}` };
    const ask = async (summary: string) => {
      const body = { type: "payment", summary, payload: { summary }, userId };
      const transaction = must(await visitor.post(`/realms/${realm}/tx`, body, { headers }), 201);
      await page.goto(`${stage.url}/realms/${realm}/tx/${transaction.id}`);
      await heading(page, "Sign this?");
      return transaction;
    };
    const paid = await ask("Pay 20.00 euro to The Web Shop\nInvoice 2026-117");
    for (const words of ["Pay 20.00 euro to The Web Shop", "The Till", paid.payloadHash]) await page.getByText(words).waitFor();
    await look(page, "transaction");
    const sign = async (code: string) => {
      await page.getByLabel("Code from your authenticator app").fill(code);
      await press(page, /^Sign$/);
    };
    await sign("000000");
    await page.getByRole("alert").waitFor();
    await look(page, "transaction-wrong");
    await sign(app.nextCode());
    await heading(page, "Signed");
    await look(page, "transaction-signed");
    const consumed = must(await visitor.post(`/realms/${realm}/tx/${paid.id}/consume`, undefined, { headers }), 200);
    expect(consumed).toMatchObject({ status: "CONSUMED", payloadHash: paid.payloadHash });

    const unpaid = await ask("Pay 2,000.00 euro to another account");
    await press(page, "Don’t sign");
    await heading(page, "Not signed");
    await look(page, "transaction-declined");
    expect(must(await visitor.get(`/realms/${realm}/tx/${unpaid.id}`, { headers }), 200)).toMatchObject({ status: "DECLINED" });
    await ada.close();
  });

  test("with the keyboard alone: name, password, code, and the box that stands before the button", async () => {
    const realm = await stage.newRealm("keys");
    await stage.newUser(realm, "ada", ["CONFIGURE_TOTP"]);
    const ada = await personIn(stage.browser);
    const page = await ada.tab();
    const keys = page.keyboard;
    await page.goto(stage.url + loginOf(realm));
    await typePassword(page, "ada");
    const { app } = await setUpApp(page, async () => {});
    await signedIn(page);
    await signOut(ada, realm);

    // A busy browser gives the focus after the page has loaded.
    const focused = (name: string) => page.locator(`input[name=${name}]:focus`).waitFor();
    await page.goto(stage.url + loginOf(realm));
    await focused("username");
    await keys.type("ada");
    await keys.press("Tab");
    await keys.type(PASSWORD);
    await keys.press("Enter");
    await heading(page, "Enter the 6-digit code");
    await focused("code");
    await keys.press("Shift+Tab");
    await keys.press("Space");
    expect(await page.getByLabel(/Trust this browser/).isChecked()).toBe(true);
    await keys.press("Tab");
    await keys.type(app.nextCode());
    await signedIn(page);
    await ada.close();
  });

  test("without scripts: an app is set up and then used", async () => {
    const realm = await stage.newRealm("plain");
    await stage.newUser(realm, "ada", ["CONFIGURE_TOTP"]);
    const ada = await personIn(stage.browser, { javaScriptEnabled: false, viewport: { width: 360, height: 780 } });
    const page = await ada.tab();
    await page.goto(stage.url + loginOf(realm));
    await typePassword(page, "ada");
    const { app } = await setUpApp(page, (what) => takePicture(page, `sign-in-${what}-no-scripts`));
    await signedIn(page);
    await signOut(ada, realm);
    await page.goto(stage.url + loginOf(realm));
    await typePassword(page, "ada");
    await typeCode(page, app.nextCode(), { scripts: false });
    await signedIn(page);
    await ada.close();
  });

  test("the name first, then the password: wrong and right, another user, two tabs, back, and a page that is too old", async () => {
    const realm = await stage.newRealm("names", undefined, [step("username"), step("password")]);
    await stage.newUser(realm, "ada");
    const ada = await personIn(stage.browser, { locale: "en-GB" });
    const [page, other] = [await ada.tab(), await ada.tab()];
    const typeName = async (tab: typeof page, name: string) => {
      await tab.getByLabel("Username or email").fill(name);
      await press(tab, "Next");
      await heading(tab, "Enter your password");
    };
    const finish = async (tab: typeof page) => {
      await tab.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(tab, "Sign in");
    };
    await page.goto(stage.url + loginOf(realm));
    await look(page, "name");
    await typeName(page, "nobody");
    await press(page, "Not you?");
    await typeName(page, "ada");
    await look(page, "password");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await press(page, "Sign in");
    await page.getByRole("alert").waitFor();
    await look(page, "password-wrong");

    // Another sign-in begins in another tab; neither knows of the other.
    await other.goto(stage.url + loginOf(realm));
    await typeName(other, "ada");
    await finish(page);
    await signedIn(page);
    await finish(other);
    await signedIn(other);

    // The steps behind are behind: what the back button shows does no harm.
    await other.goBack();
    await signedIn(other);
    await signOut(ada, realm);
    await page.goto(stage.url + loginOf(realm));
    await typeName(page, "ada");
    await page.goBack();
    await typeName(page, "ada");
    await finish(page);
    await signedIn(page);

    await page.goto(`${stage.url}/realms/${realm}/login?interaction=018f0000-0000-7000-8000-000000000000`);
    await heading(page, "This page was open for too long");
    await look(page, "expired");
    await page.getByRole("link", { name: "Sign in again" }).click();
    await signedIn(page);
    await ada.close();
  });

  test("a page weighs less than 20 kB, and nothing of it comes from elsewhere", async () => {
    const realm = await stage.newRealm("light");
    await stage.newUser(realm, "ada", ["CONFIGURE_TOTP"]);
    const ada = await personIn(stage.browser);
    const page = await ada.tab();
    const bodies: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      expect(response.url().startsWith(`${stage.url}/`) || response.url().startsWith("data:")).toBe(true);
      if (response.status() === 200 && !response.url().startsWith("data:")) bodies.push(response.body());
    });
    const weigh = async (what: string, go: () => Promise<unknown>) => {
      bodies.length = 0;
      await go();
      await page.waitForLoadState("networkidle");
      const parts = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
      return { what, weight: parts.reduce((sum, part) => sum + part, 0), parts: parts.length };
    };
    const first = await weigh("sign-in page", () => page.goto(stage.url + loginOf(realm)));
    // Document, style sheet, and the scripts for forms and passkeys.
    expect(first.parts).toBe(4);
    expect(first.weight).toBeLessThan(20_000);
    await typePassword(page, "ada");
    await heading(page, "Set up an authenticator app");
    const style = gzipSync((await stage.server.visitor().get(`/realms/${realm}/theme.css`)).text).length;
    expect(gzipSync(await page.content()).length + style).toBeLessThan(20_000);
    await ada.close();
  });
});
