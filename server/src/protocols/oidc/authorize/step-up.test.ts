import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { userWithPasskey } from "../../../testing/passkeys.ts";
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
const essential = (...values: string[]) => JSON.stringify({ id_token: { acr: { essential: true, values } } });
/** A flow that requires only the password, so that only a level requires a second factor. */
const passwordOnly = {
  displayName: "Sign in",
  steps: [
    { authenticator: "cookie", requirement: "ALTERNATIVE" },
    { authenticator: "username-password", requirement: "ALTERNATIVE" },
  ],
};

describe("a client that asks for level 2", () => {
  test("requests the second factor in a live session, which then keeps that level", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const code = await giveTotp(iam, realm.name, user.userId);
    const browser = iam.browser();
    const first = decodeJwt((await party.signIn(browser, user)).body.id_token);
    expect([first.acr, first.amr]).toEqual(["1", ["pwd"]]);

    clock.advance(5 * MINUTE);
    const { page, left } = await walk(browser, base, party.url({ claims: essential("2") }));
    expect([left, page.status]).toEqual([null, 200]);
    expect(page.text).toContain('name="code"');
    expect(page.text).not.toContain('name="password"');
    const done = await submit(browser, base, page, { code: code() });
    const token = decodeJwt((await party.exchange(done.left)).body.id_token);
    expect(token).toMatchObject({ acr: "2", sub: user.userId, sid: first.sid });
    expect((token.amr as string[]).toSorted()).toEqual(["mfa", "otp", "pwd"]);
    const again = await walk(browser, base, party.url({ claims: essential("2"), prompt: "none" }));
    expect(again.left?.searchParams.get("code")).toMatch(/./);
    const lower = await walk(browser, base, party.url({ claims: essential("1"), prompt: "none" }));
    expect(lower.left?.searchParams.get("code"), "a level includes those below it").toMatch(/./);
  });

  test("voluntarily gets it if the user can reach it, and gets a code in any case", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const party = await relyingParty(iam, realm);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const code = await giveTotp(iam, realm.name, ada.userId);
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ acr_values: "2" }));
    const second = await submit(browser, base, page, { username: ada.username, password: ada.password });
    expect(second.page.text).toContain('name="code"');
    const done = await submit(browser, base, second.page, { code: code() });
    expect(decodeJwt((await party.exchange(done.left)).body.id_token).acr).toBe("2");

    const other = iam.browser();
    const before = decodeJwt((await party.signIn(other, bob)).body.id_token);
    clock.advance(5 * MINUTE);
    const wished = await walk(other, base, party.url({ acr_values: "2" }));
    const token = decodeJwt((await party.exchange(wished.left)).body.id_token);
    expect([token.acr, token.auth_time], "nothing was proven, so nothing is claimed").toEqual(["1", before.auth_time]);
    expect((await walk(other, base, party.url({ acr_values: "2", prompt: "none" }))).left?.searchParams.get("code")).toMatch(/./);
  });

  test("is refused if the level cannot be reached, by a page with a link back", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const { body } = await realm.asMaster().get("/flows/step-up");
    const unset = body.steps[0].steps.map((step: object) => ({ ...step, requirement: "DISABLED" }));
    const steps = [{ ...body.steps[0], steps: [...unset, { authenticator: "password", requirement: "ALTERNATIVE" }] }];
    expect((await realm.asMaster().put("/flows/step-up", { displayName: "More", steps })).status).toBe(200);
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    await party.signIn(browser, user);
    const { page } = await walk(browser, base, party.url({ claims: essential("2") }));
    const stuck = await submit(browser, base, page, { password: user.password });
    expect(stuck.page.status).toBe(403);
    expect(stuck.page.text).toContain("Back to the application");
    const answered = await submit(browser, base, stuck.page, {});
    expect(errorIn(answered.left)).toBe("unmet_authentication_requirements");
  });
});

describe("a signed-in user who is asked for a stronger sign-in", () => {
  const why = (text: string) => /<p class="gh-lead">(.*?)<\/p>/s.exec(text)?.[1]?.replaceAll(/<[^>]+>/g, "");

  test("sees the reason and a choice, and can return to the application, which gets access_denied", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const party = await relyingParty(iam, realm, { name: "Web shop" });
    const user = await realm.user();
    await giveTotp(iam, realm.name, user.userId);
    const browser = iam.browser();
    await party.signIn(browser, user);
    const asked = [
      [{ claims: essential("2") }, "Web shop asks for one more proof that it’s you."],
      [{ prompt: "login" }, "You’re signed in already, but Web shop asks you to sign in again."],
    ] as const;
    for (const [params, reason] of asked) {
      const { page } = await walk(browser, base, party.url(params));
      expect(page.text).toContain("Back to the application");
      expect(page.text.replaceAll(/<[^>]+>/g, "")).toContain(reason);
      const { left } = await submit(browser, base, page, { giveUp: "true" });
      expect([errorIn(left), left?.searchParams.get("state")]).toEqual(["access_denied", "st"]);
    }
    const plain = await walk(iam.browser(), base, party.url({ claims: essential("2") }));
    expect(plain.page.text, "signs in").not.toMatch(/Back to the application|asks for one more/);
  });

  test("who has no second factor yet can choose which to set up", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const party = await relyingParty(iam, realm, { name: "Web shop" });
    const browser = iam.browser();
    await party.signIn(browser, await realm.user());
    const { page } = await walk(browser, base, party.url({ claims: essential("2") }));
    expect(why(page.text)).toBe("Web shop asks for a second step, and your account has none yet. Set one up to continue.");
    expect(page.text).toContain("Set up a passkey");
    const choose = /name="choose" value="([^"]+)"[^>]*>.{0,99}Set up an authenticator app/s.exec(page.text)?.[1];
    const { page: app } = await submit(browser, base, page, { choose: choose! });
    expect(app.text).toContain("gh-key");
    expect(errorIn((await submit(browser, base, app, { giveUp: "true" })).left)).toBe("access_denied");
  });

  test("returns to the account from an account page, and to the application from a consent", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { name: "Web shop", consentRequired: true });
    const user = await realm.user();
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    clock.advance(15 * MINUTE);
    const { page } = await walk(browser, base, `/realms/${realm.name}/account/pages/security/app`);
    expect(page.text).toContain("Confirm that it’s you</h1>");
    expect(why(page.text)).toContain("a fresh proof that it’s you");
    expect(page.text).toContain(`<a class="gh-link" href="/realms/${realm.name}/account/">Cancel</a>`);
    const consent = await walk(browser, base, party.url({ scope: "openid offline_access" }));
    expect(consent.page.text).toContain("Back to the application");
    expect(errorIn((await submit(browser, base, consent.page, { giveUp: "true" })).left)).toBe("access_denied");
  });
});

test("a client's own flow is the one that its users go through", async () => {
  const realm = await iam.realm();
  await realm.asMaster().post("/flows", {
    alias: "by-name",
    steps: [
      { authenticator: "username", requirement: "REQUIRED" },
      { authenticator: "password", requirement: "REQUIRED" },
    ],
  });
  const party = await relyingParty(iam, realm, { browserFlow: "by-name" });
  const user = await realm.user();
  const browser = iam.browser();
  const { page } = await walk(browser, base, party.url());
  expect(page.text).not.toContain('name="password"');
  const next = await submit(browser, base, page, { username: user.username });
  expect(next.page.text).toContain('name="password"');
  await realm.asMaster().patch("/flows/by-name", { alias: "renamed" });
  const restarted = await submit(browser, base, next.page, { password: user.password });
  expect([restarted.page.status, restarted.left], "the flow is another: begin again from the application").toEqual([400, null]);
  expect(restarted.page.text).toContain(`/realms/${realm.name}/login`);
  const afresh = await walk(browser, base, party.url());
  const named = await submit(browser, base, afresh.page, { username: user.username });
  const done = await submit(browser, base, named.page, { password: user.password });
  expect(decodeJwt((await party.exchange(done.left)).body.id_token).sub).toBe(user.userId);
});

describe("the password grant", () => {
  const grant = { grant_type: "password", scope: "openid" };

  test("needs the code of users with an app, once, and returns the level", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { grantTypes: ["password"] });
    const user = await realm.user();
    const ask = (more: object) => party.post("/token", { ...grant, username: user.username, password: user.password, ...more });
    expect(decodeJwt((await ask({})).body.id_token)).toMatchObject({ acr: "1", amr: ["pwd"] });
    const code = await giveTotp(iam, realm.name, user.userId);
    expect(await ask({})).toMatchObject({
      status: 400,
      body: { error: "invalid_grant", error_description: expect.stringContaining("totp") },
    });
    const right = code();
    const wrong = right === "000000" ? "000001" : "000000";
    expect((await ask({ totp: wrong })).body.error).toBe("invalid_grant");
    expect(await realm.events("type=MFA_FAILURE")).toHaveLength(1);
    clock.advance(MINUTE);
    const used = code();
    const made = await ask({ totp: used });
    expect([made.status, decodeJwt(made.body.id_token).acr]).toEqual([200, "2"]);
    expect((await ask({ totp: used })).body.error).toBe("invalid_grant");
  });

  test("does not bypass a second factor that needs a page", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { grantTypes: ["password"] });
    const user = await userWithPasskey(iam, realm);
    const { status, body } = await party.post("/token", { ...grant, username: user.username, password: user.password });
    expect([status, body.error, body.access_token]).toEqual([400, "invalid_grant", undefined]);
  });

  test("wrong codes lead to a wait, as on the page", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { bruteForce: { enabled: true, maxFailures: 3, lockMinutes: 15 } });
    const party = await relyingParty(iam, realm, { grantTypes: ["password"] });
    const user = await realm.user();
    const code = await giveTotp(iam, realm.name, user.userId);
    const wrong = code() === "000000" ? "000001" : "000000";
    const ask = (totp: string) => party.post("/token", { ...grant, username: user.username, password: user.password, totp });
    for (let guess = 0; guess < 3; guess++) {
      expect((await ask(wrong)).body.error).toBe("invalid_grant");
      clock.advance(MINUTE);
    }
    expect((await ask(code())).body.error_description).toContain("too many attempts");
  });
});
