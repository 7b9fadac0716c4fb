import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMail } from "../../src/testing/mail-parts.ts";
import type { Identity } from "../../src/testing/private-authority.ts";
import { type SmtpPeer, smtpPeer } from "../../src/testing/smtp-peer.ts";
import { examine, noBrowser, personIn, sharedBrowser, takePicture, takeSession } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { must, type Visitor } from "./visitor.ts";

const NAME = "guests";
const REALM = `/admin/realms/${NAME}`;
const PASSWORD_OF_GRACE = "a password for journeys";

describe.skipIf(noBrowser)("people in a browser (needs Chromium):", () => {
  let server: ServerProcess;
  let browser: Browser;
  let mails: SmtpPeer;
  let admin: Visitor;
  let url: string;
  let organization: string;

  beforeAll(async () => {
    [server, browser, mails] = await Promise.all([
      sharedServer(),
      sharedBrowser(),
      smtpPeer({ security: "none", identity: {} as Identity }),
    ]);
    url = `http://localhost:${server.port}`;
    admin = await server.admin();
    must(await admin.post("/admin/realms", { realm: NAME, displayName: "Demo" }), 201);
    const config = { host: "127.0.0.1", port: mails.port, security: "none" };
    must(
      await admin.put(`${REALM}/messaging/providers`, { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config }),
      201,
    );
    organization = `${REALM}/organizations/${must(await admin.post(`${REALM}/organizations`, { name: "Acme & Sons" }), 201).organizationId}`;
  });
  afterAll(() => mails?.close());

  /** The link of the last mail to this address. */
  const invite = async (email: string, role = "member"): Promise<string> => {
    const before = mails.mails.length;
    must(await admin.post(`${organization}/invitations`, { email, role }), 201);
    await expect.poll(() => mails.mails.length).toBeGreaterThan(before);
    return /http:\/\/\S+/.exec(readMail(mails.mails.at(-1)!.raw).text ?? "")![0];
  };
  const submit = (page: Page) => page.locator('main form.gh-form button[type="submit"]').click();

  test("an invitation: a new account without scripts, then every way in which it can end", async () => {
    const first = await invite("grace@example.com");
    const guest = await personIn(browser, { javaScriptEnabled: false });
    const form = await guest.tab();
    await form.goto(first);
    expect(await form.locator("#username").inputValue()).toBe("grace");
    const choose = async (password: string) => {
      await form.locator("#password").fill(password);
      await submit(form);
    };
    await choose("grace");
    await form.locator("[role=alert], [aria-invalid=true]").first().waitFor();
    await choose(PASSWORD_OF_GRACE);
    await form.getByRole("heading", { name: "You’ve joined" }).waitFor();
    await takePicture(form, "no-scripts-invitation-joined");
    await guest.close();
    expect(must(await admin.get(`${organization}/members`), 200)).toMatchObject([{ username: "grace", role: "member" }]);

    const ada = await personIn(browser, { locale: "en-GB" });
    const page = await ada.tab();
    await page.goto(first);
    await examine(page, "invitation-used");
    await page.goto(`${url}/realms/${NAME}/invitations/nobody-gave-this`);
    await examine(page, "invitation-unknown");
    const link = await invite("ada@example.com", "owner");
    await page.goto(link);
    await examine(page, "invitation-create");
    await page.locator("#username").fill("grace");
    await page.locator("#password").fill(PASSWORD_OF_GRACE);
    await submit(page);
    await page.locator("[role=alert]").waitFor();
    await examine(page, "invitation-username-taken");

    // Meanwhile she gets an account by other means: now the page leads to the sign-in, and back.
    const { userId } = must(await admin.post(`${REALM}/users`, { username: "ada", email: "ada@example.com" }), 201);
    must(await admin.put(`${REALM}/users/${userId}/password`, { newPassword: PASSWORD_OF_GRACE }), 204);
    await page.goto(link);
    await examine(page, "invitation-sign-in");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.locator("#password").waitFor();
    await page.locator("#username").fill("grace");
    await page.locator("#password").fill(PASSWORD_OF_GRACE);
    await submit(page);
    await page.waitForURL(link);
    await examine(page, "invitation-other");
    await submit(page);
    await page.waitForURL(/signed_out/);
    await page.waitForLoadState();
    await page.goto(link);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.locator("#username").fill("ada");
    await page.locator("#password").fill(PASSWORD_OF_GRACE);
    await submit(page);
    await page.waitForURL(link);
    await examine(page, "invitation-accept");
    await submit(page);
    await page.getByRole("heading", { name: "You’ve joined" }).waitFor();
    await examine(page, "invitation-joined");
    await ada.close();
  });

  test("impersonation: a page that asks, a banner that stays, and the return to the own session", async () => {
    const { userId } = must(await admin.post(`${REALM}/users`, { username: "user.with.a.rather.long.name@some-company.example" }), 201);
    const ask = async () => must(await admin.post(`${REALM}/users/${userId}/impersonate`), 200).url as string;

    /** A browser in which the administrator who asks is signed in. */
    const administrator = async (options: Parameters<typeof personIn>[1]) => {
      const person = await personIn(browser, options);
      await takeSession(person.context, admin, url);
      return person;
    };

    const elsewhere = await personIn(browser, { locale: "nl-NL", javaScriptEnabled: false });
    const refused = await elsewhere.tab();
    await refused.goto(await ask());
    await takePicture(refused, "no-scripts-impersonation-elsewhere");
    expect(await refused.locator(".gh-banner, form.gh-form").count()).toBe(0);
    await elsewhere.close();

    const careful = await administrator({ locale: "nl-NL", extraHTTPHeaders: { purpose: "prefetch" } });
    const requested = await careful.tab();
    await requested.goto(await ask());
    await examine(requested, "impersonation-asked");
    await careful.close();

    const boss = await administrator({ locale: "en-GB" });
    const page = await boss.tab();
    // Another one: each works for a minute, and looking at pages takes its time.
    const link = await ask();
    await page.goto(link);
    await page.locator(".gh-banner").waitFor();
    await examine(page, "impersonation-banner");
    for (const path of [`/realms/${NAME}/logout`, `/realms/${NAME}/invitations/none`, link.slice(url.length)]) {
      await page.goto(url + path);
      expect([path, await page.locator(".gh-banner").count()]).toEqual([path, 1]);
    }
    await examine(page, "impersonation-gone");
    await page.locator(".gh-banner button").click();
    await page.waitForURL(/\/realms\/master\/login/);
    expect(await page.locator(".gh-banner").count()).toBe(0);
    await boss.close();
    // The administrator's own session is unchanged.
    expect((await admin.get(`${REALM}/users/${userId}`)).status).toBe(200);
  });
});
