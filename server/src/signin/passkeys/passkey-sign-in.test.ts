import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { passkeyForm, testPasskey } from "../../testing/passkey.ts";
import { answerWith, signInWithPasskey, toSecondFactor, usePasskeyOn, userWithPasskey } from "../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { isSignedIn, setBrowserFlow } from "../../testing/step-pages.ts";
import { deleteExpiredChallenges } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const WRONG = "This passkey doesn’t work here";
const statusAndTitle = ({ status, text }: Answer) => [status, /gh-alert-title">([^<]+)/.exec(text)?.[1]];
const login = (realm: RealmUnderTest) => `/realms/${realm.name}/login`;
const sessionsOf = (realm: RealmUnderTest, userId: string) =>
  iam.core.db.selectFrom("sessions").select(["acr", "amr"]).where("realm_id", "=", realm.name).where("user_id", "=", userId).execute();

describe("alone", () => {
  test("a passkey signs in without a name, and counts as two factors", async () => {
    const realm = await iam.realm();
    const { passkey, userId, username, browser: own } = await userWithPasskey(iam, realm);
    await own.delete(`/realms/${realm.name}/account/sessions/${(await own.get(`/realms/${realm.name}/account/sessions`)).body[0].id}`);
    const browser = iam.browser();
    const page = await browser.get(login(realm));
    const { options } = passkeyForm(page.text);
    expect(options).toMatchObject({ rpId: "localhost", userVerification: "required", allowCredentials: [] });
    const answer = await usePasskeyOn(browser, realm.name, page, passkey, {}, { rememberMe: "true" });
    expect(isSignedIn(answer, realm.name)).toBe(true);
    expect(await sessionsOf(realm, userId)).toEqual([{ acr: "2", amr: ["hwk", "user", "mfa"] }]);
    expect((await realm.events("type=LOGIN_SUCCESS"))[0]).toMatchObject({ actor: username });
    const { body } = await browser.get(`/realms/${realm.name}/account/sessions`);
    expect(body[0].remembered).toBe(true);
  });

  test("the first page costs no row, for every visitor, however often", async () => {
    const realm = await iam.realm();
    const rows = async () => {
      const tables = ["interactions", "spent_challenges"] as const;
      return Promise.all(
        tables.map((table) => iam.core.db.selectFrom(table).select("expires_at").where("realm_id", "=", realm.name).execute()),
      );
    };
    for (let n = 0; n < 3; n++) await iam.browser().get(login(realm));
    expect(await rows()).toEqual([[], []]);
  });

  test("the page offers it next to name and password, hidden until its script runs, and as an alternative for users without scripts", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const page = await browser.get(login(realm));
    expect(page.text).toMatch(/<form class="gh-beside"[^>]* hidden/);
    expect(page.text).toMatch(/<input[^>]*autocomplete="username webauthn"/);
    const [, src, nonce] = /<script src="([^"]+)" nonce="([^"]+)" defer/.exec(page.text)!;
    expect(page.headers["content-security-policy"]).toContain(`script-src 'nonce-${nonce}'`);
    expect((await browser.get(src!)).status).toBe(200);
    const choose = /name="choose" value="([^"]+)"\/?><button[^>]*>Sign in with a passkey/.exec(page.text)![1]!;
    const chosen = await browser.request("POST", login(realm), {
      form: { _csrf: browser.cookies.get("XSRF-TOKEN")!, choose },
      csrf: false,
    });
    const own = await browser.get(String(chosen.headers.location));
    expect(own.text).toContain("Passkeys need JavaScript.");
    const { passkey } = await userWithPasskey(iam, realm);
    expect(isSignedIn(await usePasskeyOn(browser, realm.name, own, passkey), realm.name)).toBe(true);
  });

  test("in a flow that asks for the name first, only a passkey of that name", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await userWithPasskey(iam, realm), await userWithPasskey(iam, realm)];
    const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED", config: {} }) as const;
    await setBrowserFlow(iam, realm, [step("username"), step("passkey")]);
    const named = async (username: string) => {
      const browser = iam.browser();
      await browser.get(login(realm));
      const form = { username, _csrf: browser.cookies.get("XSRF-TOKEN")! };
      const { headers } = await browser.request("POST", login(realm), { form, csrf: false });
      return { browser, page: await browser.get(String(headers.location)) };
    };
    for (const name of [ada.username, "nobody"]) {
      const { browser, page } = await named(name);
      // The page does not reveal whether a user has that name, nor their credentials.
      expect(passkeyForm(page.text).options).toMatchObject({ allowCredentials: [], userVerification: "required" });
      expect(statusAndTitle(await usePasskeyOn(browser, realm.name, page, bob.passkey))).toEqual([401, WRONG]);
    }
    const { browser, page } = await named(ada.username);
    expect(isSignedIn(await usePasskeyOn(browser, realm.name, page, ada.passkey), realm.name)).toBe(true);
  });
});

describe("as a second factor", () => {
  test("the options name the user's own passkeys; one is enough with and without user verification", async () => {
    const realm = await iam.realm();
    const ada = await userWithPasskey(iam, realm, { passkey: testPasskey({ counts: false, synced: true }) });
    for (const verified of [true, false]) {
      const browser = iam.browser();
      const page = await toSecondFactor(browser, realm.name, ada);
      expect(passkeyForm(page.text).options).toMatchObject({
        userVerification: "preferred",
        allowCredentials: [{ id: ada.passkey.id, transports: ["internal"], type: "public-key" }],
      });
      const answer = await usePasskeyOn(browser, realm.name, page, ada.passkey, { verified, userHandle: null });
      expect(isSignedIn(answer, realm.name)).toBe(true);
      const { body } = await browser.get(`/realms/${realm.name}/account/sessions`);
      expect(body.find(({ current }: { current: boolean }) => current).amr).toEqual(["pwd", "swk", "user", "mfa"]);
    }
    expect((await realm.events("type=MFA_SUCCESS"))[0]).toMatchObject({ actor: ada.username, detail: "passkey" });
  });

  test("a step can ask for user verification", async () => {
    const realm = await iam.realm();
    const ada = await userWithPasskey(iam, realm);
    await setBrowserFlow(iam, realm, [
      { authenticator: "username-password", requirement: "REQUIRED", config: {} },
      { authenticator: "passkey", requirement: "REQUIRED", config: { userVerification: "required" } },
    ]);
    const browser = iam.browser();
    const page = await toSecondFactor(browser, realm.name, ada);
    expect(statusAndTitle(await usePasskeyOn(browser, realm.name, page, ada.passkey, { verified: false }))).toEqual([
      401,
      "Your device has to check that it’s you",
    ]);
    expect((await realm.events("type=MFA_FAILURE"))[0]).toMatchObject({ actor: ada.username, outcome: "FAILURE" });
    expect(isSignedIn(await usePasskeyOn(browser, realm.name, page, ada.passkey), realm.name)).toBe(true);
  });

  test("another user's passkey is refused, whatever its user handle", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await userWithPasskey(iam, realm), await userWithPasskey(iam, realm)];
    const browser = iam.browser();
    const page = await toSecondFactor(browser, realm.name, ada);
    expect(statusAndTitle(await usePasskeyOn(browser, realm.name, page, bob.passkey))).toEqual([401, WRONG]);
    expect(statusAndTitle(await usePasskeyOn(browser, realm.name, page, bob.passkey, { userHandle: null }))).toEqual([401, WRONG]);
    expect(await realm.events("type=MFA_FAILURE")).toHaveLength(2);
    expect(isSignedIn(await usePasskeyOn(browser, realm.name, page, ada.passkey), realm.name)).toBe(true);
  });
});

describe("refused is", () => {
  test("an assertion for another origin, relying party or frame, or by another key", async () => {
    const realm = await iam.realm();
    const { passkey } = await userWithPasskey(iam, realm);
    const attempts = [
      { origin: "https://localhost:8080" },
      { origin: "http://localhost:8081" },
      { origin: "http://localhost:8080.evil.example" },
      { rpId: "evil.example" },
      { crossOrigin: true },
      { userHandle: "bm90IG1pbmU" },
      { userHandle: null },
    ];
    for (const how of attempts)
      expect([how, ...statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, passkey, how))]).toEqual([how, 401, WRONG]);
    const forged = testPasskey({ id: passkey.id });
    forged.create({ challenge: "", user: { id: "" } });
    const handle = (passkey.get({ challenge: "", rpId: "" }) as { response: { userHandle: string } }).response.userHandle;
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, forged, { userHandle: handle, counter: 99 }))).toEqual([
      401,
      WRONG,
    ]);
    // A forged counter has no effect: the true passkey still works.
    expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey), realm.name)).toBe(true);
  });

  test("a passkey of another realm, and one that was removed", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const { passkey, userId, credentialId } = await userWithPasskey(iam, realm);
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), other.name, passkey))).toEqual([401, WRONG]);
    expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey), realm.name)).toBe(true);
    await realm.asMaster().delete(`/users/${userId}/credentials/passkey/${credentialId}`);
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, passkey))).toEqual([401, WRONG]);
  });

  test("an answer that was used before, also concurrently; a challenge of another browser, realm, ceremony, or of yesterday", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const { passkey } = await userWithPasskey(iam, realm, { passkey: testPasskey({ counts: false }) });
    const browser = iam.browser();
    const page = await browser.get(login(realm));
    const answer = passkey.get(passkeyForm(page.text).options);
    const both = await Promise.all([answerWith(browser, realm.name, page, answer), answerWith(browser, realm.name, page, answer)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 401]);
    const again = iam.browser();
    for (const [name, value] of browser.cookies)
      if (name.startsWith("gh__pre_") || name.startsWith("gh__earlier_")) again.cookies.set(name, value);
    expect(statusAndTitle(await answerWith(again, realm.name, await again.get(login(realm)), answer))).toEqual([401, WRONG]);

    const mine = iam.browser();
    const stolen = passkeyForm((await iam.browser().get(login(realm))).text).options;
    expect(statusAndTitle(await answerWith(mine, realm.name, await mine.get(login(realm)), passkey.get(stolen)))).toEqual([401, WRONG]);
    const elsewhere = passkeyForm((await mine.get(login(other))).text).options;
    expect(statusAndTitle(await answerWith(mine, realm.name, await mine.get(login(realm)), passkey.get(elsewhere)))).toEqual([401, WRONG]);
    const own = { challenge: Buffer.alloc(54).toString("base64url"), rpId: "localhost" };
    expect(statusAndTitle(await answerWith(mine, realm.name, await mine.get(login(realm)), passkey.get(own)))).toEqual([401, WRONG]);

    const slow = await mine.get(login(realm));
    clock.advance(5 * MINUTE);
    const late = await usePasskeyOn(mine, realm.name, slow, passkey);
    expect(statusAndTitle(late)).toEqual([400, "That took too long"]);
    expect(isSignedIn(await usePasskeyOn(mine, realm.name, late, passkey), realm.name)).toBe(true);
  });

  test("a passkey alone without user verification", async () => {
    const realm = await iam.realm();
    const { passkey, username } = await userWithPasskey(iam, realm);
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, passkey, { verified: false }))).toEqual([
      401,
      "Your device has to check that it’s you",
    ]);
    expect((await realm.events("type=LOGIN_FAILURE"))[0]).toMatchObject({ actor: username });
  });

  test("a user who is disabled or locked", async () => {
    const realm = await iam.realm();
    const { passkey, userId, username } = await userWithPasskey(iam, realm);
    const { body } = await realm.asMaster().get(`/users/${userId}`);
    await realm.asMaster().put(`/users/${userId}`, { ...body, enabled: false });
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, passkey))).toEqual([401, WRONG]);
    expect((await realm.events("type=LOGIN_FAILURE"))[0]).toMatchObject({ actor: username });
    expect(await realm.events("type=LOGIN_SUCCESS")).toHaveLength(1);
  });

  test.each([
    ["no JSON", "{"],
    ["an array", "[]"],
    ["null", "null"],
    ["members of other kinds", '{"id":1,"rawId":{},"type":"public-key","response":[]}'],
    ["a response without its members", '{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30"}}'],
    [
      "bytes that are none",
      '{"id":"%","rawId":"%","type":"public-key","response":{"clientDataJSON":"%","authenticatorData":"%","signature":"%"}}',
    ],
    ["deep JSON", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ])("%s", async (_, credential) => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const answer = await answerWith(browser, realm.name, await browser.get(login(realm)), credential);
    expect(statusAndTitle(answer)).toEqual([401, WRONG]);
  });

  test("an answer over the maximum length", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    const page = await browser.get(login(realm));
    expect((await answerWith(browser, realm.name, page, "x".repeat(32_769))).status).toBe(400);
    expect((await answerWith(browser, realm.name, page, "x".repeat(70_000))).status).toBe(413);
  });
});

describe("a copy", () => {
  test("is found by its counter: refused, recorded, and neither of the two works any more, alone or as a second factor", async () => {
    const realm = await iam.realm();
    const ada = await userWithPasskey(iam, realm);
    for (let n = 0; n < 3; n++) expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, ada.passkey), realm.name)).toBe(true);
    const copied = await signInWithPasskey(iam.browser(), realm.name, ada.passkey, { counter: 2 });
    expect(statusAndTitle(copied)).toEqual([401, "This passkey was turned off"]);
    expect(await realm.events(`type=CREDENTIAL_REVOKED&resourceId=${ada.userId}`)).toMatchObject([
      { category: "SECURITY", detail: expect.stringContaining("copy") },
    ]);
    expect(statusAndTitle(await signInWithPasskey(iam.browser(), realm.name, ada.passkey, { counter: 100 }))).toEqual([
      401,
      "This passkey was turned off",
    ]);
    expect(await realm.events("type=CREDENTIAL_REVOKED")).toHaveLength(1);
    // The password alone must not suffice if it did not before, not even to set up another factor.
    const browser = iam.browser();
    const page = await toSecondFactor(browser, realm.name, ada);
    expect(page.text).toContain("Use your passkey");
    expect(statusAndTitle(await usePasskeyOn(browser, realm.name, page, ada.passkey, { counter: 200 }))).toEqual([
      401,
      "This passkey was turned off",
    ]);
    const list = (await realm.asMaster().get(`/users/${ada.userId}/credentials`)).body;
    expect(list.map(({ type }: { type: string }) => type)).toEqual(["password", "passkey", "recovery-code"]);
  });

  test("of two concurrent uses of one with a counter, one counts", async () => {
    const realm = await iam.realm();
    const { passkey } = await userWithPasskey(iam, realm);
    const both = await Promise.all([
      signInWithPasskey(iam.browser(), realm.name, passkey, { counter: 7 }),
      signInWithPasskey(iam.browser(), realm.name, passkey, { counter: 7 }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 401]);
  });
});

test("spent challenges are kept as long as they could be used again", async () => {
  const realm = await iam.realm();
  const { passkey } = await userWithPasskey(iam, realm);
  await signInWithPasskey(iam.browser(), realm.name, passkey);
  const spent = () => iam.core.db.selectFrom("spent_challenges").select("expires_at").where("realm_id", "=", realm.name).execute();
  expect(await spent()).toHaveLength(2);
  await deleteExpiredChallenges(iam.core.db, clock.now() + 5 * MINUTE - 5_000);
  expect(await spent()).toHaveLength(2);
  await deleteExpiredChallenges(iam.core.db, clock.now() + 5 * MINUTE);
  expect(await spent()).toEqual([]);
});
