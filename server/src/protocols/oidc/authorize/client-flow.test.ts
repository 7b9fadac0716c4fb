import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../../testing/relying-party.ts";
import { giveTotp } from "../../../testing/totp.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const errorIn = (left: URL | null) => left?.searchParams.get("error");
const codeIn = (left: URL | null) => left?.searchParams.get("code") ?? null;
const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement });
const strict = [step("username-password"), step("totp")];

async function situation(steps: object[] = strict) {
  const realm = await iam.realm();
  const boss = realm.asMaster();
  // The realm's own flow requires only the password.
  await boss.put("/flow", { displayName: "Sign in", steps: [step("cookie", "ALTERNATIVE"), step("username-password", "ALTERNATIVE")] });
  expect((await boss.post("/flows", { alias: "strict", steps })).status).toBe(201);
  const user = await realm.user();
  const code = await giveTotp(iam, realm.name, user.userId);
  const bank = await relyingParty(iam, realm, { clientId: "bank", browserFlow: "strict" });
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { realm, user, code, bank, browser };
}

describe("a client's own flow", () => {
  test("is not skipped by a session of a weaker one: only what is missing is requested", async () => {
    const { user, code, bank, browser } = await situation();
    expect(errorIn((await walk(browser, base, bank.url({ prompt: "none" }))).left)).toBe("login_required");
    const { page, left } = await walk(browser, base, bank.url());
    expect([left, page.text.includes('name="code"'), page.text.includes('name="password"')]).toEqual([null, true, false]);
    const done = await submit(browser, base, page, { code: code() });
    const token = decodeJwt((await bank.exchange(done.left)).body.id_token);
    expect(token).toMatchObject({ sub: user.userId, acr: "2" });
    // From then on the session has proven the second factor.
    expect(codeIn((await walk(browser, base, bank.url({ prompt: "none" }))).left)).not.toBeNull();
    expect(codeIn((await walk(browser, base, bank.url())).left)).not.toBeNull();
  });

  test("accepts the session itself only if it has the cookie step, and no other way is stronger", async () => {
    const ways = { alias: "forms", requirement: "ALTERNATIVE", steps: strict };
    const { realm, bank, browser, user } = await situation([step("cookie", "ALTERNATIVE"), ways]);
    const { page } = await walk(browser, base, bank.url());
    expect([page.text.includes('name="code"'), page.text.includes('name="password"')]).toEqual([true, false]);
    const put = (steps: object[]) => realm.asMaster().put("/flows/strict", { displayName: "Strict", steps });
    // The session counts, because no other way of the flow is stronger than it.
    expect(
      (await put([step("cookie", "ALTERNATIVE"), step("email-otp", "DISABLED"), step("username-password", "ALTERNATIVE")])).status,
    ).toBe(200);
    expect(codeIn((await walk(browser, base, bank.url({ prompt: "none" }))).left)).not.toBeNull();
    // Without the cookie step, the factors that the session has proven count, under whichever name a step asks for them.
    expect((await put([step("username"), step("password")])).status).toBe(200);
    expect(codeIn((await walk(browser, base, bank.url({ prompt: "none" }))).left)).not.toBeNull();
    expect((await put([step("username"), step("password"), step("totp")])).status).toBe(200);
    expect(errorIn((await walk(browser, base, bank.url({ prompt: "none" }))).left)).toBe("login_required");
    const outsiders = await walk(iam.browser(), base, bank.url());
    expect(outsiders.page.text).toContain('name="username"');
    expect(user.username).toBeTruthy();
  });

  test("is not satisfied by switching between two accounts", async () => {
    const { realm, user: victim, bank } = await situation();
    const thief = await realm.user();
    const own = await giveTotp(iam, realm.name, thief.userId);
    const browser = iam.browser();
    const { page } = await walk(browser, base, bank.url());
    const second = await submit(browser, base, page, { username: thief.username, password: thief.password });
    const form = Object.fromEntries(
      [...second.page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
    const passed = await browser.request("POST", `/realms/${realm.name}/login`, { form: { ...form, code: own() }, csrf: false });
    expect(passed.status).toBe(303);
    // The user signs in through the strict flow and, before they resume, as the victim by the password alone, for another client.
    const lenient = await relyingParty(iam, realm);
    const again = await walk(browser, base, lenient.url({ prompt: "login" }));
    const asVictim = await submit(browser, base, again.page, { username: victim.username, password: victim.password });
    expect(codeIn(asVictim.left)).not.toBeNull();
    const { left, page: next } = await walk(browser, base, passed);
    expect([left, next.text.includes("gh-step")], "asked for, not given").toEqual([null, true]);
  });

  test("is satisfied by the methods of a session that a node of the previous release began", async () => {
    const { realm, bank, browser, code } = await situation();
    await iam.core.db.updateTable("sessions").set({ proofs: null }).where("realm_id", "=", realm.name).execute();
    const { page } = await walk(browser, base, bank.url());
    expect([page.text.includes('name="code"'), page.text.includes('name="password"')]).toEqual([true, false]);
    expect(codeIn((await submit(browser, base, page, { code: code() })).left)).not.toBeNull();
  });
});

describe("the steps of a user", () => {
  const ask = async (realm: RealmUnderTest, userId: string, ...actions: string[]) =>
    expect((await realm.asMaster().put(`/users/${userId}/required-actions`, actions)).status).toBe(200);

  test("follows at the next request of an application, in a live session, and only once", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const app = await relyingParty(iam, realm);
    const browser = iam.browser();
    const first = decodeJwt((await app.signIn(browser, user)).body.id_token);
    clock.advance(5 * MINUTE);
    await ask(realm, user.userId, "UPDATE_PASSWORD");
    expect(errorIn((await walk(browser, base, app.url({ prompt: "none" }))).left)).toBe("interaction_required");
    const { page } = await walk(browser, base, app.url());
    expect(page.text).toContain('name="newPassword"');
    const chosen = { newPassword: "a brand new sentence of words", newPasswordAgain: "a brand new sentence of words" };
    const done = await submit(browser, base, page, chosen);
    const token = decodeJwt((await app.exchange(done.left)).body.id_token);
    expect([token.sid, token.auth_time], "it is no new sign-in").toEqual([first.sid, first.auth_time]);
    expect(codeIn((await walk(browser, base, app.url({ prompt: "none" }))).left)).not.toBeNull();
    expect((await realm.events("type=LOGIN_SUCCESS")).length).toBe(1);
  });

  test("asks for the sign-in again first where it changes how they sign in and that is long ago", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const app = await relyingParty(iam, realm);
    const browser = iam.browser();
    await app.signIn(browser, user);
    clock.advance(15 * MINUTE);
    await ask(realm, user.userId, "CONFIGURE_TOTP");
    const { page } = await walk(browser, base, app.url());
    expect([page.text.includes('name="password"'), page.text.includes("gh-key")]).toEqual([true, false]);
    const next = await submit(browser, base, page, { username: user.username, password: user.password });
    expect(next.page.text).toContain("gh-key");
  });

  test("follows for a signed-in user on the sign-in page, and one that cannot be shown blocks no sign-in", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const app = await relyingParty(iam, realm);
    const browser = iam.browser();
    await app.signIn(browser, user);
    await ask(realm, user.userId, "UPDATE_PROFILE");
    const { page } = await walk(browser, base, `/realms/${realm.name}/login`);
    expect(page.text).toContain('name="firstName"');
    await submit(browser, base, page, { firstName: "Ada", lastName: "Lovelace" });
    expect((await realm.asMaster().get(`/users/${user.userId}/required-actions`)).body).toEqual([]);
    // A user without an address has nothing to confirm.
    await ask(realm, user.userId, "VERIFY_EMAIL");
    expect(codeIn((await walk(browser, base, app.url({ prompt: "none" }))).left)).not.toBeNull();
    expect((await browser.get(`/realms/${realm.name}/login`)).status).toBe(200);
  });
});

describe("enrolling on the spot", () => {
  const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ["2"] } } });

  test("needs the first factor, freshly proven", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const app = await relyingParty(iam, realm);
    const browser = iam.browser();
    await app.signIn(browser, user);
    await realm.asMaster().put("/settings", { sessions: { idleMinutes: 600 } });
    const soon = await walk(browser, base, app.url({ claims: essential }));
    expect(soon.page.text, "just signed in").toMatch(/gh-key|data-passkey="create"/);
    const left = iam.browser();
    await app.signIn(left, user);
    clock.advance(HOUR);
    const { page } = await walk(left, base, app.url({ claims: essential }));
    expect(page.text).toContain('name="password"');
    expect(page.text).not.toMatch(/gh-key|data-passkey="create"/);
    const wrong = await submit(left, base, page, { username: user.username, password: "wrong" });
    expect([wrong.page.status, /gh-key|data-passkey="create"/.test(wrong.page.text)]).toEqual([401, false]);
    const next = await submit(left, base, page, { username: user.username, password: user.password });
    expect(next.page.text).toMatch(/gh-key|data-passkey="create"/);
  });
});

describe("consent to offline access", () => {
  test("needs a recent sign-in: an unattended browser cannot give it", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const shop = await relyingParty(iam, realm, { clientId: "shop", consentRequired: true });
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    clock.advance(15 * MINUTE);
    const plain = await walk(browser, base, shop.url());
    expect(plain.page.text, "asks for nothing of the kind").toContain('value="allow"');
    const { page } = await walk(browser, base, shop.url({ scope: "openid offline_access" }));
    expect(page.text).toContain('name="password"');
    const consent = await submit(browser, base, page, { username: user.username, password: user.password });
    expect(consent.page.text).toContain('value="allow"');
    // If the page was open for too long, the user signs in again, and nothing is granted meanwhile.
    clock.advance(11 * MINUTE);
    const late = await submit(browser, base, consent.page, { decision: "allow" });
    expect([late.left, late.page.text.includes('name="password"')]).toEqual([null, true]);
    const again = await submit(browser, base, late.page, { username: user.username, password: user.password });
    const { left } = await submit(browser, base, again.page, { decision: "allow" });
    expect((await shop.exchange(left)).body.refresh_token).toBeTruthy();
  });
});
