import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { fieldOf, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { createCsrf } from "./csrf.ts";

let iam: Harness;
let base: string;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_BASE_URL: "https://id.example" });
  base = iam.config.baseUrl;
});
afterAll(() => iam?.close());

const login = (realm: RealmUnderTest) => `/realms/${realm.name}/login`;
const sessionCookie = (realm: RealmUnderTest) => `__Host-gh_${realm.name}`;
const preSession = (realm: RealmUnderTest) => `__Host-gh__pre_${realm.name}`;
const set = ({ headers }: Answer) => [headers["set-cookie"] ?? []].flat();
const isSignedIn = async (browser: Browser, realm: RealmUnderTest) => (await browser.get(login(realm))).text.includes("/logout");

/** Signs in as the previous release did: the session has the bare name, and a token without a mark. */
async function formerSession(realm: RealmUnderTest, remember = false): Promise<{ browser: Browser; token: string }> {
  const { username, password } = await realm.user();
  const browser = iam.browser();
  const answer = await browser.trySignIn(realm.name, username, password, remember ? { rememberMe: "on" } : {});
  expect(answer.status).toBe(303);
  const token = randomToken();
  const present = sha256(browser.cookies.get(sessionCookie(realm))!);
  const sessions = iam.core.db.updateTable("sessions").where("realm_id", "=", realm.name).where("token_hash", "=", present);
  await sessions.set({ token_hash: sha256(token) }).execute();
  browser.cookies.clear();
  browser.cookies.set(`gh_${realm.name}`, token);
  return { browser, token };
}

describe("the cookie by which a browser is known", () => {
  test("is a __Host- cookie over https, and a value planted under the bare name is not stored", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const [browser, planted, bare] = [iam.browser(), randomToken(), `gh__device_${realm.name}`];
    browser.cookies.set(bare, planted);
    const answer = await browser.trySignIn(realm.name, username, password);
    const [own] = browser.cookies.get(`__Host-${bare}`)!.split(".");
    const line = set(answer).find((each) => each.startsWith(`__Host-${bare}=`));
    expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(line).not.toContain("Domain");
    expect(
      set(answer).find((each) => each.startsWith(`${bare}=;`)),
      "the bare one ends",
    ).toContain(`Path=/realms/${realm.name}`);
    const known = iam.core.db.selectFrom("known_devices").select("token_hash").where("realm_id", "=", realm.name);
    expect(own).not.toBe(planted);
    expect(await known.where("user_id", "=", userId).execute()).toEqual([{ token_hash: sha256(own!) }]);
  });
});

describe("two realms in two tabs of one browser", () => {
  test("a consent page of one is answered after a sign-in to the other", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const [ada, bob] = [await one.user(), await two.user()];
    const party = await relyingParty(iam, one, { consentRequired: true });
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url());
    const { page: consent } = await submit(browser, base, page, { username: ada.username, password: ada.password });
    expect(consent.text).toContain('value="allow"');
    await browser.signIn(two.name, bob.username, bob.password);
    expect(browser.cookies.get("XSRF-TOKEN")).not.toBe(fieldOf(consent, "_csrf"));
    const { left } = await submit(browser, base, consent, { decision: "allow" });
    expect((await party.exchange(left)).status).toBe(200);
  });

  test("a sign-in page of one is answered after a sign-in to the other, and so is its sign-out page", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const [ada, bob] = [await one.user(), await two.user()];
    const browser = iam.browser();
    const page = await browser.get(login(one));
    await browser.signIn(two.name, bob.username, bob.password);
    const form = { username: ada.username, password: ada.password, _csrf: fieldOf(page, "_csrf") };
    expect((await browser.request("POST", login(one), { form, csrf: false })).status).toBe(303);
    const leaving = await browser.get(`/realms/${two.name}/logout`);
    await browser.get(login(one));
    await submit(browser, base, leaving, {});
    expect([await isSignedIn(browser, one), await isSignedIn(browser, two)]).toEqual([true, false]);
  });

  test("a token of one does not fit the session of the other, nor that of another user", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const [ada, bob, eve] = [await one.user(), await two.user(), await one.user()];
    const browser = iam.browser();
    await browser.signIn(one.name, ada.username, ada.password);
    const [ownOf, thief] = [browser.cookies.get("XSRF-TOKEN")!, iam.browser()];
    await browser.signIn(two.name, bob.username, bob.password);
    await thief.signIn(one.name, eve.username, eve.password);
    for (const _csrf of [browser.cookies.get("XSRF-TOKEN")!, thief.cookies.get("XSRF-TOKEN")!, "", "a.b"]) {
      const answer = await browser.request("POST", `/realms/${one.name}/logout`, { form: { _csrf }, csrf: false });
      expect(answer.status).toBe(403);
    }
    const answer = await browser.request("POST", `/realms/${one.name}/logout`, { form: { _csrf: ownOf }, csrf: false });
    expect(answer.status).toBe(303);
  });

  test("the admin API still requires the header to equal the cookie", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const bob = await two.user();
    const browser = iam.browser();
    await browser.signIn(one.name, "admin", one.adminPassword);
    const own = browser.cookies.get("XSRF-TOKEN")!;
    await browser.signIn(two.name, bob.username, bob.password);
    const role = (name: string) =>
      browser.post(`/admin/realms/${one.name}/roles`, { name }, { headers: { "x-xsrf-token": own }, csrf: false });
    expect((await role("first")).status).toBe(403);
    browser.cookies.set("XSRF-TOKEN", own);
    expect((await role("second")).status).toBe(201);
  });
});

describe("over https", () => {
  test("the session and the pre-session can be set by this host alone", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    const browser = iam.browser();
    const opened = await browser.get(login(realm));
    const entered = await browser.trySignIn(realm.name, username, password);
    for (const [name, answer] of [
      [preSession(realm), opened],
      [sessionCookie(realm), entered],
      [preSession(realm), entered],
    ] as const) {
      const line = set(answer).find((each) => each.startsWith(`${name}=`));
      expect(line).toMatch(/; Path=\/(;|$)/);
      expect(line).toMatch(/; Secure/);
      expect(line).toMatch(/; HttpOnly/);
      expect(line).not.toMatch(/Domain/i);
    }
    expect([...set(opened), ...set(entered)].filter((line) => /^gh_([^_]|_pre)/.test(line))).toEqual([]);
    expect(set(opened).some((line) => line.startsWith("XSRF-TOKEN="))).toBe(true);
  });

  test("a sibling host that plants its own cookies signs no user in", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    const attacker = iam.browser();
    await attacker.get(login(realm));
    const id = attacker.cookies.get(preSession(realm))!;
    const token = attacker.cookies.get("XSRF-TOKEN")!;
    const form = { username, password, _csrf: token };
    for (const name of ["gh__pre", `gh__pre_${realm.name}`]) {
      for (const site of ["same-site", "cross-site", "none", undefined]) {
        const victim = iam.browser();
        victim.cookies.set(name, id);
        victim.cookies.set("XSRF-TOKEN", token);
        const headers = site === undefined ? {} : { "sec-fetch-site": site };
        const answer = await victim.request("POST", login(realm), { form, csrf: false, headers });
        expect([name, site, answer.status]).toEqual([name, site, 403]);
        expect(victim.cookies.has(sessionCookie(realm))).toBe(false);
        // The victim has another cookie from now on.
        expect(victim.cookies.get(preSession(realm))).not.toBe(id);
      }
    }
  });

  test("a planted pre-session of the former name is never adopted", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    const planted = randomToken();
    const victim = iam.browser();
    victim.cookies.set("gh__pre", planted);
    await victim.get(login(realm), { headers: { "sec-fetch-site": "same-origin" } });
    expect(victim.cookies.get(preSession(realm))).toBeUndefined();
    const _csrf = createCsrf(iam.core.vault).issue(planted);
    const form = { username, password, _csrf };
    const forged = await victim.request("POST", login(realm), { form, csrf: false, headers: { "sec-fetch-site": "same-site" } });
    expect(forged.status).toBe(403);
    // A page that was open when the server was upgraded still works.
    const sent = await victim.request("POST", login(realm), { form, csrf: false, headers: { "sec-fetch-site": "same-origin" } });
    expect(sent.status).toBe(303);
    expect([...victim.cookies.values()].filter((value) => value === planted)).toHaveLength(1);
  });

  test("a session of the previous release continues, and is moved to the new name", async () => {
    const realm = await iam.realm();
    for (const remember of [false, true]) {
      const { browser, token } = await formerSession(realm, remember);
      const page = await browser.get(login(realm));
      expect(page.text).toContain("/logout");
      expect(browser.cookies.get(sessionCookie(realm))).toBe(token);
      expect(browser.cookies.has(`gh_${realm.name}`)).toBe(false);
      const line = set(page).find((each) => each.startsWith(sessionCookie(realm)))!;
      expect(/Max-Age/.test(line)).toBe(remember);
      expect(await isSignedIn(browser, realm)).toBe(true);
    }
  });

  test("it opens the account API and the engine, too", async () => {
    const realm = await iam.realm();
    const first = await formerSession(realm);
    expect((await first.browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    expect(first.browser.cookies.get(sessionCookie(realm))).toBe(first.token);
    const second = await formerSession(realm);
    const party = await relyingParty(iam, realm);
    const { left } = await walk(second.browser, base, party.url({ prompt: "none" }));
    expect(left?.searchParams.get("code")).toBeTypeOf("string");
  });

  test("the new one of two wins, even if it has ended", async () => {
    const realm = await iam.realm();
    const { browser, token } = await formerSession(realm);
    browser.cookies.set(sessionCookie(realm), randomToken());
    expect(await isSignedIn(browser, realm)).toBe(false);
    const own = iam.browser();
    const ada = await realm.user();
    await own.signIn(realm.name, ada.username, ada.password);
    own.cookies.set(`gh_${realm.name}`, token);
    expect((await own.get(login(realm))).text).toContain(ada.username);
  });

  test("a session of this release counts under the new name alone", async () => {
    const realm = await iam.realm();
    const eve = await realm.user();
    const attacker = iam.browser();
    await attacker.signIn(realm.name, eve.username, eve.password);
    const victim = iam.browser();
    victim.cookies.set(`gh_${realm.name}`, attacker.cookies.get(sessionCookie(realm))!);
    expect(await isSignedIn(victim, realm)).toBe(false);
  });
});

describe("signing in", () => {
  test("makes a new pre-session; a sign-in that began in another tab can still be finished for half an hour", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ prompt: "login" }));
    const before = browser.cookies.get(preSession(realm))!;
    const entered = await browser.trySignIn(realm.name, ada.username, ada.password);
    expect(browser.cookies.get(preSession(realm))).not.toBe(before);
    expect(set(entered).find((line) => line.startsWith(`__Host-gh__earlier_${realm.name}=${before}`))).toContain("Max-Age=1800");
    const { left } = await submit(browser, base, page, { username: bob.username, password: bob.password });
    expect((await party.exchange(left)).status).toBe(200);
  });

  test("leaves a token of the former pre-session for forms of signing in alone", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const browser = iam.browser();
    const page = await browser.get(login(realm));
    await browser.signIn(realm.name, ada.username, ada.password);
    const form = { _csrf: fieldOf(page, "_csrf") };
    expect((await browser.request("POST", `/realms/${realm.name}/logout`, { form, csrf: false })).status).toBe(403);
  });
});
