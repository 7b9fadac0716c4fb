import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../../kernel/clock.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { relyingParty, submit, walk } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

/** Sends the form of a page and stops before the engine resumes the request. */
async function untilResume(browser: Browser, page: Answer, fields: Record<string, string>): Promise<string> {
  const [form, action] = /<form class="gh-form"[^>]* action="([^"]+)"[\s\S]*?<\/form>/.exec(page.text) as unknown as [string, string];
  const hidden = Object.fromEntries([...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k!, v!]));
  let answer = await browser.request("POST", action, { form: { ...hidden, ...fields }, csrf: false });
  while (!/\/authorize\/[^/]+$/.test(String(answer.headers.location))) {
    expect(answer.status, answer.text).toBe(303);
    answer = await browser.get(String(answer.headers.location).replace(base, ""));
  }
  return String(answer.headers.location).replace(base, "");
}

/** Signs in as a user in another tab of the same browser. */
async function inAnotherTab(browser: Browser, realm: string, { username, password }: { username: string; password: string }) {
  await browser.get(`/realms/${realm}/logout`);
  const out = { _csrf: browser.cookies.get("XSRF-TOKEN")! };
  await browser.request("POST", `/realms/${realm}/logout`, { form: out, csrf: false });
  await browser.signIn(realm, username, password);
}

describe("another user signs in before the request goes on", () => {
  test.each([{}, { prompt: "login" }, { max_age: "0" }])("with %j: it goes on for them", async (params) => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url(params as Record<string, string>));
    const resume = await untilResume(browser, page, { username: ada.username, password: ada.password });
    await inAnotherTab(browser, realm.name, bob);
    const { left, page: last } = await walk(browser, base, resume);
    expect(left?.searchParams.get("code"), last.text).toBeTypeOf("string");
    const tokens = await party.exchange(left);
    expect(tokens.status, tokens.text).toBe(200);
    expect(decodeJwt(tokens.body.id_token).sub).toBe(bob.userId);
  });

  test("the second user is asked for what the first one allowed", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm, { consentRequired: true });
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url());
    const { page: consent } = await submit(browser, base, page, { username: ada.username, password: ada.password });
    expect(consent.text).toContain(ada.username);
    const resume = await untilResume(browser, consent, { decision: "allow" });
    await inAnotherTab(browser, realm.name, bob);
    const { left, page: asked } = await walk(browser, base, resume);
    expect([left, asked.status]).toEqual([null, 200]);
    expect(asked.text).toContain(bob.username);
    const allowed = await submit(browser, base, asked, { decision: "allow" });
    expect(decodeJwt((await party.exchange(allowed.left)).body.id_token).sub).toBe(bob.userId);
  });

  test("consent in an earlier session counts for its user only, authorization details too", async () => {
    const realm = await iam.realm();
    const settings = (await realm.asMaster().get("/settings")).body;
    const tokens = { ...settings.tokens, authorizationDetailsTypes: ["payment"] };
    expect((await realm.asMaster().put("/settings", { ...settings, tokens })).status).toBe(200);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm, { consentRequired: true });
    const browser = iam.browser();
    for (const { username, password } of [bob, ada]) {
      // Both users have allowed the scopes before.
      browser.cookies.clear();
      const { page } = await walk(browser, base, party.url());
      const { page: consent } = await submit(browser, base, page, { username, password });
      expect((await submit(browser, base, consent, { decision: "allow" })).left).not.toBeNull();
    }
    const { page } = await walk(browser, base, party.url({ authorization_details: JSON.stringify([{ type: "payment" }]) }));
    expect(page.text).toContain(ada.username);
    const resume = await untilResume(browser, page, { decision: "allow" });
    await inAnotherTab(browser, realm.name, bob);
    const { left, page: asked } = await walk(browser, base, resume);
    expect([left, asked.text.includes(bob.username), asked.text.includes("payment")]).toEqual([null, true, true]);
  });

  test("a session that was there before the request does not stand for signing in anew", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm);
    const [earlier, browser] = [iam.browser(), iam.browser()];
    clock.advance(-60 * SECOND); // the engine uses its own clock
    await earlier.signIn(realm.name, bob.username, bob.password);
    clock.reset();
    const { page } = await walk(browser, base, party.url({ prompt: "login" }));
    const resume = await untilResume(browser, page, { username: ada.username, password: ada.password });
    // The earlier session is back, as when an administrator stops acting as a user.
    browser.cookies.set(`gh_${realm.name}`, earlier.cookies.get(`gh_${realm.name}`)!);
    const { left, page: asked } = await walk(browser, base, resume);
    expect([left, asked.text.includes('name="password"')]).toEqual([null, true]);
  });
});

describe("the id of a request", () => {
  test("that was read in the database opens nothing: the cookies are signed", async () => {
    const realm = await iam.realm();
    const [ada, eve] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm, { consentRequired: true });
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url());
    const { page: consent } = await submit(browser, base, page, { username: ada.username, password: ada.password });
    expect(consent.status).toBe(200);
    const uid = browser.cookies.get("gh__interaction")!;
    const thief = iam.browser();
    await thief.signIn(realm.name, eve.username, eve.password);
    for (const name of ["gh__interaction", "gh__resume"]) thief.cookies.set(name, uid);
    const signature = browser.cookies.get("gh__interaction.sig")!;
    for (const forged of [
      undefined,
      "",
      `${signature.slice(0, -1)}${signature.endsWith("A") ? "B" : "A"}`,
      browser.cookies.get("gh__resume.sig")!,
    ]) {
      for (const name of ["gh__interaction.sig", "gh__resume.sig"])
        forged === undefined ? thief.cookies.delete(name) : thief.cookies.set(name, forged);
      if (forged === browser.cookies.get("gh__resume.sig")) thief.cookies.delete("gh__resume.sig");
      expect((await thief.get(`/realms/${realm.name}/interaction/${uid}`)).status).toBe(400);
      expect((await thief.get(`/realms/${realm.name}/authorize/${uid}`)).status).toBe(400);
    }
    const { left } = await submit(browser, base, consent, { decision: "allow" });
    expect((await party.exchange(left)).status).toBe(200);
  });
});

describe("a request for one user (OpenID Connect Core §3.1.2.2)", () => {
  /** Creates a realm in which ada has an ID token, and requests that name her. */
  async function named(settings: Record<string, unknown> = {}) {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm, settings);
    const { id_token } = (await party.signIn(iam.browser(), ada)).body;
    const claims = JSON.stringify({ id_token: { sub: { value: decodeJwt(id_token).sub } } });
    return { realm, ada, bob, party, requests: [{ id_token_hint: id_token }, { claims }] as Record<string, string>[] };
  }

  test.each([{}, { subjectClaim: { strategy: "pairwise" } }])(
    "of a client with %j is refused where another user signs in",
    async (settings) => {
      const { ada, bob, party, requests } = await named(settings);
      for (const request of requests) {
        const browser = iam.browser();
        const { page } = await walk(browser, base, party.url(request));
        const { left, page: last } = await submit(browser, base, page, { username: bob.username, password: bob.password });
        expect(left?.searchParams.get("error"), last.text).toBe("login_required");
        expect([left?.searchParams.get("state"), left?.searchParams.get("code")]).toEqual(["st", null]);
        // The next request asks for a sign-in again, although bob has a session.
        expect((await walk(browser, base, party.url(request))).left).toBeNull();
        const own = iam.browser();
        const asked = await walk(own, base, party.url(request));
        const answer = await submit(own, base, asked.page, { username: ada.username, password: ada.password });
        expect(answer.left?.searchParams.get("code"), answer.page.text).toBeTypeOf("string");
      }
    },
  );

  test("is refused where another user signs in in another tab meanwhile", async () => {
    const { realm, ada, bob, party, requests } = await named();
    for (const request of requests) {
      const browser = iam.browser();
      const { page } = await walk(browser, base, party.url(request));
      const resume = await untilResume(browser, page, { username: ada.username, password: ada.password });
      await inAnotherTab(browser, realm.name, bob);
      expect((await walk(browser, base, resume)).left?.searchParams.get("error")).toBe("login_required");
    }
  });
});
