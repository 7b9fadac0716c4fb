import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { totpCode, totpStep } from "../../signin/authenticators/totp-code.ts";
import { isRecentlyAuthenticated } from "../../signin/sessions/index.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn, pastPassword } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const STALE = [403, "auth.recent_authentication_required"];
const at = (realm: RealmUnderTest, path = "") => `/realms/${realm.name}/account${path}`;

async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { ...user, browser };
}

const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Returns a function that computes the code of an authenticator app from the secret. */
function appWith(secret: string): () => string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return () => totpCode(key, totpStep(clock.now(), form), form);
}

describe("an authenticator app, by the account API", () => {
  const start = (browser: Browser, realm: RealmUnderTest) => browser.post(at(realm, "/credentials"), { type: "totp" });
  const confirm = (browser: Browser, realm: RealmUnderTest, sent: object) =>
    browser.post(at(realm, "/credentials"), { type: "totp", ...sent });

  test("shows its secret, is added by its first code, and required from then on", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const begun = await start(ada.browser, realm);
    expect(begun).toMatchObject({ status: 200, body: { type: "totp", expiresAt: expect.any(Number) } });
    const { setup, secret, uri, qrCode } = begun.body;
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    expect(Buffer.from(qrCode.replace("data:image/svg+xml;base64,", ""), "base64").toString()).toMatch(/^<svg|^<\?xml/);
    const { rows } = { rows: await iam.core.db.selectFrom("action_tokens").selectAll().where("realm_id", "=", realm.name).execute() };
    expect(JSON.stringify(rows), "sealed at rest").not.toContain(secret);
    expect((await ada.browser.get(at(realm, "/credentials"))).body, "nothing has changed yet").toHaveLength(1);

    const code = appWith(secret);
    const wrong = await confirm(ada.browser, realm, { setup, code: code() === "000000" ? "111111" : "000000" });
    expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ field: "code", code: "wrong" }]]);
    const first = code();
    const added = await confirm(ada.browser, realm, { setup, code: first, label: "phone" });
    expect(added).toMatchObject({ status: 201, body: { type: "totp", label: "phone" } });
    expect(added.body.codes, "the first one comes with recovery codes").toHaveLength(10);
    expect(added.text).not.toContain(secret);
    expect((await realm.events("type=CREDENTIAL_ADDED")).map(({ actor, detail }) => [actor, detail])).toEqual([
      [ada.username, "recovery-code"],
      [ada.username, "totp"],
    ]);
    // Setting the app up has proven it.
    expect((await ada.browser.post(at(realm, "/credentials"), { type: "recovery-code" })).status).toBe(201);

    const page = await pastPassword(iam.browser(), realm.name, ada);
    expect(page.text).toContain('name="code"');
    const elsewhere = iam.browser();
    const requested = await pastPassword(elsewhere, realm.name, ada);
    expect((await answerPage(elsewhere, realm.name, requested, { code: first })).status, "the first code is used up").toBe(401);
    clock.advance(30_000);
    expect(isSignedIn(await answerPage(elsewhere, realm.name, requested, { code: code() }), realm.name)).toBe(true);
  });

  onPostgres("is confirmed once, by its owner, in time, and never by half", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
    const expired = [400, "totp.expired"];
    const { setup, secret } = (await start(ada.browser, realm)).body;
    const code = appWith(secret);
    expect(refusal(await confirm(bob.browser, realm, { setup, code: code() }))).toEqual(expired);
    expect((await confirm(ada.browser, realm, { setup })).body.errors).toMatchObject([{ field: "code", code: "required" }]);
    expect((await confirm(ada.browser, realm, { code: code() })).body.errors).toMatchObject([{ field: "setup", code: "required" }]);
    expect((await confirm(ada.browser, realm, { expiresIn: 60 })).body.errors).toMatchObject([{ field: "expiresIn" }]);
    expect((await ada.browser.post(at(realm, "/credentials"), { type: "recovery-code", code: "1" })).body.errors).toMatchObject([
      { field: "code", code: "unknown" },
    ]);
    const both = await Promise.all([0, 1].map(() => confirm(ada.browser, realm, { setup, code: code() })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    const replaced = (await start(bob.browser, realm)).body;
    const late = (await start(bob.browser, realm)).body;
    expect(refusal(await confirm(bob.browser, realm, { setup: replaced.setup, code: appWith(replaced.secret)() }))).toEqual(expired);
    clock.advance(10 * MINUTE);
    await bob.browser.signIn(realm.name, bob.username, bob.password);
    expect(refusal(await confirm(bob.browser, realm, { setup: late.setup, code: appWith(late.secret)() }))).toEqual(expired);
  });

  test("is neither added nor removed by a session that has not proven the existing one", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    await giveTotp(iam, realm.name, ada.userId);
    const STALE = [403, "auth.insufficient_authentication"];
    const credentials = async () => (await realm.asMaster().get(`/users/${ada.userId}/credentials`)).body;
    const app = (await credentials()).find(({ type }: { type: string }) => type === "totp");
    expect(refusal(await ada.browser.delete(at(realm, `/credentials/totp/${app.id}`)))).toEqual(STALE);
    expect(refusal(await start(ada.browser, realm))).toEqual(STALE);
    expect(refusal(await ada.browser.post(at(realm, "/credentials"), { type: "passkey" }))).toEqual(STALE);
    expect(refusal(await ada.browser.post(at(realm, "/credentials"), { type: "enrollment-token" }))).toEqual(STALE);
    const password = { currentPassword: ada.password, newPassword: "an altogether different one" };
    expect(refusal(await ada.browser.put(at(realm, "/password"), password))).toEqual(STALE);
    expect(refusal(await ada.browser.put(at(realm, "/profile"), { attributes: { phoneNumber: "+31" } }))).toEqual(STALE);
    expect(await credentials()).toHaveLength(2);
  });

  test("is not replaced by a mailed code, although the realm's flow has one, except for users who have nothing else", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    await allowMessages(realm);
    const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement });
    const put = async (path: string, steps: object[]) => expect((await boss.put(path, { displayName: "Flow", steps })).status).toBe(200);
    await put("/flow", [step("username-password"), step("email-otp")]);
    await put("/flows/step-up", [step("email-otp", "ALTERNATIVE"), step("totp", "ALTERNATIVE")]);
    const mailed = async (browser: Browser, user: { username: string; password: string }) => {
      const page = await pastPassword(browser, realm.name, user);
      const code = /\b\d{6}\b/.exec((await outbox(iam, realm)).at(-1)!.text)![0];
      return answerPage(browser, realm.name, page, { code });
    };
    const byMail = async () => {
      const [user, browser] = [await realm.user(), iam.browser()];
      expect((await boss.patch(`/users/${user.userId}`, { email: `${user.username}@example.com` })).status).toBe(200);
      expect(isSignedIn(await mailed(browser, user), realm.name)).toBe(true);
      return { ...user, browser };
    };
    const bob = await byMail();
    expect((await start(bob.browser, realm)).status, "theirs is the mail").toBe(200);

    const ada = await byMail();
    const code = await giveTotp(iam, realm.name, ada.userId);
    const app = (await ada.browser.get(at(realm, "/credentials"))).body.find(({ type }: { type: string }) => type === "totp");
    const remove = () => ada.browser.delete(at(realm, `/credentials/totp/${app.id}`));
    const refused = await remove();
    expect(refusal(refused)).toEqual(STALE);
    const sent = (await outbox(iam, realm)).length;
    const { page } = await walk(ada.browser, iam.config.baseUrl, new URL(refused.body.stepUpUrl).pathname);
    await submit(ada.browser, iam.config.baseUrl, page, { code: code() });
    expect((await outbox(iam, realm)).length, "the step-up does not offer it either").toBe(sent);
    expect((await remove()).status).toBe(204);

    await put("/flows/step-up", [step("email-otp", "ALTERNATIVE"), step("totp", "DISABLED")]);
    const carl = await byMail();
    await giveTotp(iam, realm.name, carl.userId);
    expect((await start(carl.browser, realm)).status, "an app that no flow asks for any more locks nobody out").toBe(200);
    expect((await boss.put(`/users/${carl.userId}/required-actions`, ["UPDATE_PASSWORD"])).status).toBe(200);
    const elsewhere = iam.browser();
    const next = await followed(elsewhere, await mailed(elsewhere, carl));
    expect([next.status, next.text]).toEqual([200, expect.stringContaining('autocomplete="new-password"')]);
  });

  test("that a client's flow alone asks for is shown before another one is added, also where the step-up knows only mail", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    await allowMessages(realm);
    const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED" });
    const put = async (path: string, ...steps: object[]) => expect((await boss.put(path, { displayName: "Flow", steps })).status).toBe(200);
    await put("/flow", step("username-password"));
    await put("/flows/step-up", step("email-otp"));
    const ada = await signedIn(realm);
    expect((await boss.patch(`/users/${ada.userId}`, { email: "ada@example.com" })).status).toBe(200);
    const code = await giveTotp(iam, realm.name, ada.userId);
    await put("/flows/passwordless", step("username"), step("magic-link"));
    expect((await start(ada.browser, realm)).status, "no flow asks for it").toBe(200);
    const strict = { alias: "strict", displayName: "Strict", steps: [step("username-password"), step("totp")] };
    expect((await boss.post("/flows", strict)).status).toBe(201);
    await relyingParty(iam, realm, { browserFlow: "strict" });

    const refused = await start(ada.browser, realm);
    expect(refusal(refused)).toEqual(STALE);
    const { page } = await walk(ada.browser, iam.config.baseUrl, new URL(refused.body.stepUpUrl).pathname);
    expect(page.text).toContain('name="code"');
    const wrong = await submit(ada.browser, iam.config.baseUrl, page, { code: code() === "000000" ? "111111" : "000000" });
    expect(refusal(await start(ada.browser, realm))).toEqual(STALE);
    await submit(ada.browser, iam.config.baseUrl, wrong.page, { code: code() });
    expect((await start(ada.browser, realm)).status).toBe(200);
    expect(await outbox(iam, realm), "nothing was mailed").toEqual([]);

    expect((await boss.put(`/users/${ada.userId}/required-actions`, ["UPDATE_PASSWORD"])).status).toBe(200);
    const elsewhere = iam.browser();
    const asked = await pastPassword(elsewhere, realm.name, ada);
    expect([asked.text.includes("new-password"), asked.text.includes('name="code"')]).toEqual([false, true]);
    clock.advance(30_000);
    const next = await followed(elsewhere, await answerPage(elsewhere, realm.name, asked, { code: code() }));
    expect([next.status, next.text]).toEqual([200, expect.stringContaining('autocomplete="new-password"')]);
  });

  test("needs another kind of factor: two second factors are no sign-in", () => {
    const recent = (...names: string[]) =>
      isRecentlyAuthenticated(
        names.map((authenticator) => ({ authenticator, factor: authenticator === "password" ? "knowledge" : "possession", at: 1 })),
        ...([true, 1] as const),
      );
    expect([recent("totp"), recent("totp", "recovery-code"), recent("password"), recent("password", "magic-link")]).not.toContain(true);
    expect([recent("password", "totp"), recent("magic-link", "recovery-code"), recent("password", "CONFIGURE_TOTP")]).not.toContain(false);
  });
});

describe("erasing oneself", () => {
  const allow = async (realm: RealmUnderTest) => {
    const { body } = await realm.asMaster().get("/settings");
    expect((await realm.asMaster().put("/settings", { ...body, account: { ...body.account, erase: true } })).status).toBe(200);
  };

  test("is off unless the realm allows it, and asks for a recent sign-in", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    expect(refusal(await ada.browser.delete(at(realm)))).toEqual([403, "account.erase_off"]);
    await allow(realm);
    clock.advance(10 * MINUTE);
    expect(refusal(await ada.browser.delete(at(realm)))).toEqual(STALE);
    await ada.browser.signIn(realm.name, ada.username, ada.password);
    expect(refusal(await ada.browser.request("DELETE", at(realm), { csrf: false }))).toEqual([403, "account.csrf"]);
    expect((await ada.browser.delete(at(realm, "/"))).status, "is what clients send for /account/applications/..").toBe(405);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).status).toBe(200);
    const erased = await ada.browser.delete(at(realm));
    expect([erased.status, ada.browser.cookies.has(`gh_${realm.name}`)]).toEqual([204, false]);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).status).toBe(404);
    expect((await iam.browser().trySignIn(realm.name, ada.username, ada.password)).status).toBe(401);
    // No event names the user any more, including the event of the erasure.
    const events = await realm.events();
    const [event] = events.filter(({ type }) => type === "USER_ERASED");
    expect(event).toMatchObject({ actor: event.resourceId, sourceIp: null });
    expect(event.resourceId).toMatch(/^erased:/);
    const failed = events.filter(({ type }) => type === "LOGIN_FAILURE");
    expect(JSON.stringify(events.filter((each) => !failed.includes(each)))).not.toContain(ada.userId);
  });

  onPostgres("is not for the last administrator, nor for an administrator by an application's token", async () => {
    const realm = await iam.realm();
    await allow(realm);
    const admin = await realm.admin();
    expect((await admin.browser.delete(at(realm))).status).toBe(409);
    const helper = await realm.as("view-users");
    const app = await relyingParty(iam, realm, { scopes: ["openid", "account"] });
    const owner = { username: helper.username, password: "a password for tests" };
    const { body } = await app.signIn(iam.browser(), owner, { scope: "openid account" });
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect(refusal(await iam.browser().delete(at(realm), { headers }))).toEqual([403, "account.administrator"]);
    const user = await realm.user();
    const own = await app.signIn(iam.browser(), user, { scope: "openid account" });
    expect((await iam.browser().delete(at(realm), { headers: { authorization: `Bearer ${own.body.access_token}` } })).status).toBe(204);
    expect((await realm.asMaster().get(`/users/${user.userId}`)).status).toBe(404);
  });
});
