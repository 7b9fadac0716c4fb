import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { Browser } from "../../testing/browser.ts";
import { enrolledApp } from "../../testing/device.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { mmdbBits, mmdbFile } from "../../testing/mmdb.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import { testPasskey } from "../../testing/passkey.ts";
import { usePasskeyOn, userWithPasskey } from "../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn, pastPassword } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";
import { deleteExpiredBrowsers } from "./index.ts";

let iam: Harness;
beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), "places-")), "city.mmdb");
  writeFileSync(
    file,
    mmdbFile({ [mmdbBits([198, 51, 100], 24, true)]: { city: { names: { en: "Munich" } }, country: { iso_code: "DE" } } }),
  );
  iam = await harness({ GATEHOUSE_GEOIP_FILE: file });
  // The clean-up would read the moved clock, and messages stay in the outbox, where they can be counted.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

type WithPasskey = Awaited<ReturnType<typeof userWithPasskey>>;
type User = Awaited<ReturnType<RealmUnderTest["user"]>>;
const deviceCookie = (realm: RealmUnderTest) => `gh__device_${realm.name}`;

const rows = (realm: RealmUnderTest, userId: string) =>
  iam.core.db
    .selectFrom("known_devices")
    .select(["token_hash", "last_seen_at", "trusted_until", "expires_at"])
    .where("realm_id", "=", realm.name)
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .execute();

const change = async (realm: RealmUnderTest, settings: object) => {
  const { body } = await realm.asMaster().get("/settings");
  expect((await realm.asMaster().put("/settings", { ...body, ...settings })).status).toBe(200);
};

/** Signs in with password and passkey. `trust` ticks the checkbox. */
async function signIn(realm: RealmUnderTest, ada: WithPasskey, browser: Browser, trust: boolean) {
  const page = await followed(browser, await browser.trySignIn(realm.name, ada.username, ada.password));
  const answer = await usePasskeyOn(browser, realm.name, page, ada.passkey, {}, trust ? { trustDevice: "true" } : {});
  expect(isSignedIn(answer, realm.name)).toBe(true);
  return { page, answer };
}

/** Tells whether the password alone is enough in this browser. */
const goesWithout = async (realm: RealmUnderTest, ada: User, browser: Browser) =>
  isSignedIn(await browser.trySignIn(realm.name, ada.username, ada.password), realm.name);

const account = (realm: RealmUnderTest, path: string) => `/realms/${realm.name}/account${path}`;

/** Ends the session in the browser, which stays known. */
const signOut = (browser: Browser, realm: RealmUnderTest) => void browser.cookies.delete(`gh_${realm.name}`);

describe("a trusted browser", () => {
  test("skips the second factor for the configured days", async () => {
    const realm = await iam.realm();
    await change(realm, { trustedDevices: { enabled: true, days: 14 } });
    const ada = await userWithPasskey(iam, realm);
    const browser = iam.browser();
    const { page, answer } = await signIn(realm, ada, browser, true);
    expect(page.text).toContain("Trust this browser for 14 days");
    const cookie = [answer.headers["set-cookie"] ?? []].flat().find((line) => line.startsWith(deviceCookie(realm)));
    expect(cookie).toMatch(new RegExp(`=[\\w-]{43}; Max-Age=31536000; Path=/realms/${realm.name}; HttpOnly; SameSite=Lax$`));
    expect(await realm.events(`type=CREDENTIAL_ADDED&actor=${ada.username}`)).toMatchObject([
      { detail: "trusted-browser" },
      { detail: "recovery-code" },
      { detail: "passkey" },
    ]);

    signOut(browser, realm);
    expect(await goesWithout(realm, ada, browser)).toBe(true);
    const [{ amr }] = (await browser.get(account(realm, "/sessions"))).body.filter(({ current }: { current: boolean }) => current);
    expect(amr, "and that is all that was proven").toEqual(["pwd"]);
    signOut(browser, realm);
    clock.advance(14 * DAY - HOUR);
    expect(await goesWithout(realm, ada, browser)).toBe(true);
    signOut(browser, realm);
    clock.advance(HOUR);
    expect(await goesWithout(realm, ada, browser)).toBe(false);
  });

  onPostgres("is that one alone: no other browser profits, and no other user of it", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await userWithPasskey(iam, realm), await userWithPasskey(iam, realm)];
    const browser = iam.browser();
    await signIn(realm, ada, browser, true);
    signOut(browser, realm);
    expect(await goesWithout(realm, bob, browser)).toBe(false);
    expect(await goesWithout(realm, ada, iam.browser())).toBe(false);
    expect(await goesWithout(realm, ada, browser)).toBe(true);
  });

  test("is known by a value of the server: one that was planted before the sign-in is not stored, and is trusted nowhere", async () => {
    const realm = await iam.realm();
    const [ada, mallory] = [await userWithPasskey(iam, realm), await realm.user()];
    const thief = iam.browser();
    await thief.signIn(realm.name, mallory.username, mallory.password);
    // One value is invented by the thief, and one is the thief's own, which the server issued.
    for (const planted of [randomToken(), thief.cookies.get(deviceCookie(realm))!]) {
      const browser = iam.browser();
      browser.cookies.set(deviceCookie(realm), planted);
      await signIn(realm, ada, browser, true);
      const hashes = (await rows(realm, ada.userId)).map(({ token_hash: hash }) => hash);
      expect(hashes).not.toContain(sha256(planted));
      const [own] = browser.cookies.get(deviceCookie(realm))!.split(".");
      expect([own === planted, hashes.includes(sha256(own!))]).toEqual([false, true]);
      const elsewhere = iam.browser();
      elsewhere.cookies.set(deviceCookie(realm), planted);
      expect(await goesWithout(realm, ada, elsewhere)).toBe(false);
      signOut(browser, realm);
      expect(await goesWithout(realm, ada, browser)).toBe(true);
      // When trust begins again it has another value, so a value that was read from the browser before does not count.
      signOut(browser, realm);
      await iam.core.db.updateTable("known_devices").set({ trusted_until: 0 }).where("realm_id", "=", realm.name).execute();
      await signIn(realm, ada, browser, true);
      expect(browser.cookies.get(deviceCookie(realm))!.split(".")).not.toContain(own);
    }
  });

  test("is trusted only with a second factor: not without the checkbox, nor on the page of the password", async () => {
    const realm = await iam.realm();
    const ada = await userWithPasskey(iam, realm);
    const browser = iam.browser();
    await browser.trySignIn(realm.name, ada.username, ada.password, { trustDevice: "true" });
    await signIn(realm, ada, browser, false);
    signOut(browser, realm);
    expect(await goesWithout(realm, ada, browser)).toBe(false);
    expect((await rows(realm, ada.userId)).map(({ trusted_until: until }) => until)).toEqual([0, 0]);
  });

  test("is not asked for the proofs with which the trust began: a client's weaker flow does not count for others", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    await allowMessages(realm);
    const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED" });
    expect((await boss.post("/flows", { alias: "weak", steps: [step("username-password"), step("email-otp")] })).status).toBe(201);
    const app = await relyingParty(iam, realm, { clientId: "quick", browserFlow: "weak" });
    const person = async () => {
      const user = await realm.user();
      const { body } = await boss.get(`/users/${user.userId}`);
      const phone = { attributes: { phoneNumber: "+49151000000" } };
      expect((await boss.put(`/users/${user.userId}`, { ...body, email: `${user.username}@example.com`, ...phone })).status).toBe(200);
      return user;
    };
    const codeSent = async () => (await outbox(iam, realm)).flatMap(({ text }) => /\b\d{6}\b/.exec(text) ?? []).at(-1)!;
    const byMail = async (user: User, browser: Browser) => {
      const { page: first } = await walk(browser, iam.config.baseUrl, app.url());
      const { page } = await submit(browser, iam.config.baseUrl, first, { username: user.username, password: user.password });
      const { left } = await submit(browser, iam.config.baseUrl, page, { code: await codeSent(), trustDevice: "true" });
      expect(left?.searchParams.get("code")).toBeTruthy();
      return page;
    };

    const [ada, browser] = [await person(), iam.browser()];
    await giveTotp(iam, realm.name, ada.userId);
    expect((await byMail(ada, browser)).text, "no second factor of theirs").not.toContain("trustDevice");
    expect((await rows(realm, ada.userId)).map(({ trusted_until: until }) => until)).toEqual([0]);
    expect((await browser.get(account(realm, "/sessions"))).body.code).toBe("auth.insufficient_authentication");

    // For users without a factor of their own, the realm's flow decides what their second factor is.
    const unless = { alias: "unless-trusted", requirement: "CONDITIONAL", steps: [step("condition-unknown-device"), step("sms-otp")] };
    expect((await boss.put("/flow", { displayName: "Sign in", steps: [step("username-password"), unless] })).status).toBe(200);
    const [bob, other] = [await person(), iam.browser()];
    expect((await byMail(bob, other)).text).toContain("trustDevice");
    signOut(other, realm);
    expect(await goesWithout(realm, bob, other), "by mail").toBe(false);
    const page = await pastPassword(other, realm.name, bob);
    const wrong = await answerPage(other, realm.name, page, { code: "no code", trustDevice: "true" });
    expect(wrong.text, "the tick stays").toMatch(/name="trustDevice" value="true" checked/);
    expect(isSignedIn(await answerPage(other, realm.name, page, { code: await codeSent(), trustDevice: "true" }), realm.name)).toBe(true);
    signOut(other, realm);
    expect(await goesWithout(realm, bob, other), "by text message").toBe(true);
  });

  onPostgres("is over with the password, with a credential, with the setting, and when its owner forgets it", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    const ada = await userWithPasskey(iam, realm);
    const browser = iam.browser();
    const trusted = async () => {
      signOut(browser, realm);
      await signIn(realm, ada, browser, true);
      signOut(browser, realm);
      expect(await goesWithout(realm, ada, browser)).toBe(true);
    };
    const over = async (why: string) => {
      signOut(browser, realm);
      expect([why, await goesWithout(realm, ada, browser)]).toEqual([why, false]);
    };
    await trusted();
    const changed = { ...ada, password: "another password for tests" };
    await admin.put(`/users/${ada.userId}/password`, { newPassword: changed.password });
    expect(await goesWithout(realm, changed, browser)).toBe(false);
    Object.assign(ada, changed);

    await trusted();
    await change(realm, { trustedDevices: { enabled: false, days: 30 } });
    await over("the setting");
    const page = await followed(browser, await browser.trySignIn(realm.name, ada.username, ada.password));
    expect(page.text).not.toContain("trustDevice");
    expect((await rows(realm, ada.userId)).every(({ trusted_until: until }) => until === 0)).toBe(true);
    // This sets trust as a sign-in in progress could still have done.
    const lease = { trusted_until: clock.now() + DAY };
    await iam.core.db.updateTable("known_devices").set(lease).where("realm_id", "=", realm.name).execute();
    await change(realm, { trustedDevices: { enabled: true, days: 30 } });
    await over("the setting, also once it is turned on again");
    expect((await rows(realm, ada.userId)).every(({ trusted_until: until }) => until === 0)).toBe(true);
    await trusted();
    await change(realm, { trustedDevices: { enabled: true, days: 20 } });
    signOut(browser, realm);
    expect(await goesWithout(realm, ada, browser), "other settings change nothing").toBe(true);

    // This sign-in has the second factor, without which no other can be added.
    const elsewhere = iam.browser();
    await signIn(realm, ada, elsewhere, false);
    const path = account(realm, "/credentials");
    const { options } = (await elsewhere.post(path, { type: "passkey" })).body;
    const added = await elsewhere.post(path, { type: "passkey", credential: testPasskey().create(options) });
    expect(added.status).toBe(201);
    await over("a new credential");

    await trusted();
    await admin.delete(`/users/${ada.userId}/credentials/passkey/${added.body.id}`);
    await over("a credential that went");

    await trusted();
    await enrolledApp(iam, realm, ada.userId);
    await over("a new phone");

    await trusted();
    const [current] = (await browser.get(account(realm, "/browsers"))).body;
    expect(current).toMatchObject({ current: true, trustedUntil: expect.any(Number) });
    expect((await browser.delete(account(realm, `/browsers/${current.id}`))).status).toBe(204);
    await over("forgotten");
    expect((await realm.events("type=CREDENTIAL_REVOKED"))[0]).toMatchObject({ actor: ada.username, detail: "trusted-browser" });
  });

  test("is listed to its owner without its secret value, and only its owner can remove it", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const [one, two] = [iam.browser(), iam.browser()];
    await one.signIn(realm.name, ada.username, ada.password);
    await two.signIn(realm.name, bob.username, bob.password);
    const list = await one.get(account(realm, "/browsers"));
    expect(list.body).toEqual([
      {
        id: expect.any(String),
        userAgent: "lightMyRequest",
        createdAt: expect.any(Number),
        lastSeenAt: expect.any(Number),
        trustedUntil: null,
        current: true,
      },
    ]);
    expect(list.text).not.toContain(sha256(one.cookies.get(deviceCookie(realm))!));
    for (const id of [list.body[0].id, "nonsense"])
      expect(await two.delete(account(realm, `/browsers/${id}`))).toMatchObject({ status: 404, body: { code: "browsers.not_found" } });
    expect((await one.delete(account(realm, `/browsers/${list.body[0].id}`), { csrf: false })).status).toBe(403);
    expect(await rows(realm, ada.userId)).toHaveLength(1);
  });
});

describe("known browsers", () => {
  test("are written once: an ordinary sign-in writes nothing, a late one updates the time", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const browser = iam.browser();
    await browser.signIn(realm.name, ada.username, ada.password);
    const [first] = await rows(realm, ada.userId);
    signOut(browser, realm);
    clock.advance(23 * HOUR);
    const again = await browser.trySignIn(realm.name, ada.username, ada.password);
    expect([again.headers["set-cookie"] ?? []].flat().join()).not.toContain(deviceCookie(realm));
    expect(await rows(realm, ada.userId)).toEqual([first]);
    signOut(browser, realm);
    clock.advance(2 * HOUR);
    await browser.signIn(realm.name, ada.username, ada.password);
    const [touched] = await rows(realm, ada.userId);
    expect(touched!.last_seen_at - first!.last_seen_at).toBeGreaterThanOrEqual(25 * HOUR);
    expect(touched!.expires_at - touched!.last_seen_at).toBe(365 * DAY);
    await deleteExpiredBrowsers(iam.core.db, touched!.expires_at - 1);
    expect(await rows(realm, ada.userId)).toHaveLength(1);
    await deleteExpiredBrowsers(iam.core.db, touched!.expires_at);
    expect(await rows(realm, ada.userId)).toEqual([]);
  });

  test("are not stored if the realm has no use for them, and there are never more than fifty of one user", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    await change(realm, { newDeviceMail: false, bruteForce: { enabled: false }, trustedDevices: { enabled: false, days: 30 } });
    await iam.browser().signIn(realm.name, ada.username, ada.password);
    expect(await rows(realm, ada.userId)).toEqual([]);
    await change(realm, { newDeviceMail: true });
    const old = Array.from({ length: 60 }, () => ({
      ...{ realm_id: realm.name, user_id: ada.userId, device_id: newId(), token_hash: newId() },
      ...{ user_agent: null, created_at: 1, last_seen_at: 1, expires_at: clock.now() + DAY },
    }));
    await iam.core.db.insertInto("known_devices").values(old).execute();
    const browser = iam.browser();
    await browser.signIn(realm.name, ada.username, ada.password);
    const kept = await rows(realm, ada.userId);
    expect([kept.length, kept.some(({ token_hash }) => token_hash === sha256(browser.cookies.get(deviceCookie(realm))!))]).toEqual([
      50,
      true,
    ]);
  });

  test("a cookie that the server did not issue is replaced", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const browser = iam.browser();
    browser.cookies.set(deviceCookie(realm), "short");
    await browser.signIn(realm.name, ada.username, ada.password);
    expect(browser.cookies.get(deviceCookie(realm))).toMatch(/^[\w-]{43}$/);
  });
});

describe("a mail about a new device", () => {
  const mails = async (realm: RealmUnderTest) =>
    (await iam.core.db.selectFrom("jobs").select("job_id").where("realm_id", "=", realm.name).where("kind", "=", "message.send").execute())
      .length;

  async function withMail(realm: RealmUnderTest) {
    const provider = {
      channel: "EMAIL",
      driver: "http",
      enabled: true,
      fromAddress: "id@example.org",
      config: { url: "https://mail.example.org/" },
    };
    const made = await realm.asMaster().put("/messaging/providers", provider);
    expect(made.status, made.text).toBe(201);
    const ada = await realm.user();
    const { body } = await realm.asMaster().get(`/users/${ada.userId}`);
    await realm.asMaster().put(`/users/${ada.userId}`, { ...body, email: `${ada.username}@example.org` });
    return ada;
  }

  onPostgres("is sent for a browser that was never used before, but for the very first of an account", async () => {
    const realm = await iam.realm();
    const ada = await withMail(realm);
    const [first, second] = [iam.browser(), iam.browser()];
    await first.signIn(realm.name, ada.username, ada.password);
    expect(await mails(realm)).toBe(0);
    await second.signIn(realm.name, ada.username, ada.password);
    expect(await mails(realm)).toBe(1);
    for (const browser of [first, second]) {
      signOut(browser, realm);
      await browser.signIn(realm.name, ada.username, ada.password);
    }
    expect(await mails(realm)).toBe(1);
    await change(realm, { newDeviceMail: false });
    await iam.browser().signIn(realm.name, ada.username, ada.password);
    expect(await mails(realm)).toBe(1);
  });

  test("does not block the sign-in if it cannot be sent", async () => {
    const realm = await iam.realm();
    const ada = await withMail(realm);
    await change(realm, { messaging: { maxPerRecipient: 1, recipientMinutes: 10, maxPerHour: 1_000 } });
    for (let n = 0; n < 4; n++) await iam.browser().signIn(realm.name, ada.username, ada.password);
    expect(await mails(realm)).toBe(1);
    expect(iam.output.join("")).toContain("no mail about a new device was sent");
    const bob = await realm.user();
    for (let n = 0; n < 2; n++) await iam.browser().signIn(realm.name, bob.username, bob.password);
    expect(await mails(realm), "without an address").toBe(1);
  });
});

test("the mail about a new browser and the page of sessions name the place of an address, as far as the operator's file knows it", async () => {
  const realm = await iam.realm();
  await allowMessages(realm);
  await change(realm, { newDeviceMail: true });
  const ada = await realm.user();
  const { body } = await realm.asMaster().get(`/users/${ada.userId}`);
  await realm.asMaster().put(`/users/${ada.userId}`, { ...body, email: "ada@example.com" });
  const [known, munich, nowhere] = ["203.0.113.9", "198.51.100.7", "192.0.2.3"].map((address) => new Browser(iam.server.app, address));
  for (const browser of [known!, munich!, nowhere!]) await browser.signIn(realm.name, ada.username, ada.password);
  const mails = (await outbox(iam, realm)).map(({ text }) => text);
  expect(mails).toHaveLength(2);
  expect(mails[0]).toContain("198.51.100.7 (Munich, Germany)");
  expect(mails[1]).toMatch(/192\.0\.2\.3(?! \()/);
  const page = await known!.get(account(realm, "/pages/sessions"));
  expect(page.text).toContain("198.51.100.7 (Munich, Germany)");
  expect(page.text).toMatch(/192\.0\.2\.3(?! \()/);
});
