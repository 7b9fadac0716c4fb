import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { totpPlace } from "../../directory/credentials/index.ts";
import { base32 } from "../../kernel/base32.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, followed, isSignedIn, lockAfterFive, pastPassword } from "../../testing/step-pages.ts";
import { keyOn } from "../../testing/totp.ts";
import { type TotpForm, totpCode, totpStep } from "./totp-code.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const plain: TotpForm = { algorithm: "SHA1", digits: 6, period: 30 };
type User = Awaited<ReturnType<RealmUnderTest["user"]>>;

/** Moves the clock to the middle of a time step, so that no new step begins while a test counts them. */
const settle = ({ period }: TotpForm = plain) => clock.advance(period * SECOND * 1.5 - (clock.now() % (period * SECOND)));
const codeOf = (secret: Buffer, offset = 0, form = plain) => totpCode(secret, totpStep(clock.now(), form) + offset, form);
const codesOn = (page: Answer) => [...page.text.matchAll(/<li class="gh-code"[^>]*>([^<]+)</g)].map((match) => match[1]!);

/** Requires the user to set up an app, and does it as they would. */
async function setUp(realm: RealmUnderTest, user: User, more: Record<string, string> = {}, existing?: Buffer, form = plain) {
  await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "CONFIGURE_TOTP" });
  const browser = iam.browser();
  let page = await pastPassword(browser, realm.name, user);
  if (existing) {
    clock.advance(form.period * SECOND);
    page = await followed(browser, await answerPage(browser, realm.name, page, { code: codeOf(existing) }));
  }
  const secret = keyOn(page);
  const answer = await answerPage(browser, realm.name, page, { code: codeOf(secret, 0, form), ...more });
  // These codes are used up now.
  clock.advance(form.period * SECOND);
  return { browser, page, secret, answer };
}

async function withTotp(realm: RealmUnderTest) {
  const user = await realm.user();
  const { browser, answer, secret } = await setUp(realm, user);
  const done = await answerPage(browser, realm.name, answer, {});
  expect(isSignedIn(done, realm.name)).toBe(true);
  return { ...user, secret, browser, recoveryCodes: codesOn(answer) };
}

test("a code of a new app is not required in the same sign-in", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "UPDATE_PROFILE" });
  const { browser, answer } = await setUp(realm, user);
  const next = await followed(browser, await answerPage(browser, realm.name, answer, {}));
  expect(next.text).toContain("Complete your profile");
  expect(next.text).not.toContain('name="code"');
});

const credentialsOf = async (realm: RealmUnderTest, userId: string): Promise<{ type: string; label: string }[]> =>
  (await realm.asMaster().get(`/users/${userId}/credentials`)).body;
const typesOf = async (realm: RealmUnderTest, userId: string) => (await credentialsOf(realm, userId)).map(({ type }) => type);

/** Signs in with the password, then answers with each code in turn. */
async function tryCodes(realm: RealmUnderTest, user: User, ...codes: string[]) {
  const browser = iam.browser();
  const page = await pastPassword(browser, realm.name, user);
  const outcomes: (boolean | number)[] = [];
  for (const code of codes) {
    const answer = await answerPage(browser, realm.name, page, { code });
    outcomes.push(isSignedIn(answer, realm.name) || answer.status);
  }
  return outcomes;
}

describe("the set-up", () => {
  test("shows a picture and the key, takes the first code, and then shows recovery codes", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { displayName: "Acme <&> Sons" });
    const user = await realm.user();
    settle();
    const { browser, page, secret, answer } = await setUp(realm, user, { label: " Ada's phone " });
    expect(page.text).toMatch(/<svg class="gh-qr" role="img" aria-label="[^"]+"/);
    expect(page.text).not.toContain("style=");
    expect(page.text).toContain(base32(secret).match(/.{4}/g)!.join(" "));
    expect(page.text).toContain("Acme &lt;&amp;> Sons");
    expect(secret).toHaveLength(20);

    const codes = codesOn(answer);
    expect([answer.status, new Set(codes).size, isSignedIn(answer, realm.name)]).toEqual([200, 10, false]);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
    expect(await typesOf(realm, user.userId), "whoever closes the page has both").toEqual(["password", "totp", "recovery-code"]);
    // The page can be loaded again in the same sign-in.
    const interaction = /name="interaction" value="([^"]+)"/.exec(answer.text)![1];
    expect(codesOn(await browser.get(`/realms/${realm.name}/login?interaction=${interaction}`))).toEqual(codes);

    // The page is closed here: the next sign-in asks for the app, and a code works for it.
    expect(await tryCodes(realm, user, "000000", codeOf(secret))).toEqual([401, true]);
    const done = await answerPage(browser, realm.name, answer, {});
    expect(isSignedIn(done, realm.name)).toBe(true);
    expect(await credentialsOf(realm, user.userId)).toMatchObject([
      { type: "password" },
      { type: "totp", label: "Ada's phone" },
      { type: "recovery-code", remaining: 10 },
    ]);
    expect((await realm.asMaster().get(`/users/${user.userId}`)).body.mfaEnabled).toBe(true);
    expect((await realm.asMaster().get(`/users/${user.userId}/required-actions`)).body).toEqual([]);
    const added = (await realm.events("type=CREDENTIAL_ADDED")).map(({ detail }: { detail: string }) => detail);
    expect(added.sort()).toEqual(["recovery-code", "totp"]);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect([...session.amr].sort()).toEqual(["mfa", "otp", "pwd"]);

    // Neither the key nor a code is readable anywhere.
    const everything = JSON.stringify([
      await iam.core.db.selectFrom("interactions").select(["state", "result"]).where("realm_id", "=", realm.name).execute(),
      await iam.core.db.selectFrom("credentials").select(["secret", "data"]).where("realm_id", "=", realm.name).execute(),
      iam.output,
    ]);
    for (const answered of [base32(secret), secret.toString("base64url"), ...codes]) expect(everything).not.toContain(answered);
  });

  test("a wrong first code changes nothing, and what was typed beside it stays", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    await realm.asMaster().post(`/users/${user.userId}/required-actions`, { action: "CONFIGURE_TOTP" });
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, user);
    const wrong = await answerPage(browser, realm.name, page, { code: "000000", label: "My phone" });
    expect([wrong.status, codesOn(wrong)]).toEqual([400, []]);
    expect(wrong.text).toContain('value="My phone"');
    expect(keyOn(wrong)).toEqual(keyOn(page));
    expect(await typesOf(realm, user.userId)).toEqual(["password"]);
    const again = await answerPage(browser, realm.name, wrong, { code: codeOf(keyOn(page)) });
    expect(codesOn(again)).toHaveLength(10);
  });

  test("follows the realm's settings, also for apps that are set up before they change", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const settings = (await boss.get("/settings")).body;
    const form = { algorithm: "SHA256", digits: 8, period: 60 } as const;
    expect((await boss.put("/settings", { ...settings, totp: { ...form, drift: 0 } })).status).toBe(200);
    const user = await realm.user();
    settle(form);
    const { browser, answer, secret } = await setUp(realm, user, {}, undefined, form);
    expect(secret).toHaveLength(32);
    expect(isSignedIn(await answerPage(browser, realm.name, answer, {}), realm.name)).toBe(true);
    expect(await tryCodes(realm, user, codeOf(secret, 1, form), codeOf(secret, 0, form))).toEqual([401, true]);
    expect((await boss.put("/settings", { ...settings, totp: { digits: 6, period: 30, algorithm: "SHA1", drift: 1 } })).status).toBe(200);
    expect(await tryCodes(realm, user, codeOf(secret, 1, form))).toEqual([true]);
    for (const totp of [{ digits: 7 }, { period: 1 }, { algorithm: "MD5" }, { drift: 9 }])
      expect((await boss.put("/settings", { ...settings, totp })).status).toBe(400);
  });

  test("a user may have several apps, each with its own codes, and is not given new recovery codes", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    settle();
    const first = await setUp(realm, user);
    await answerPage(first.browser, realm.name, first.answer, {});
    const second = await setUp(realm, user, { label: "Tablet" }, first.secret);
    expect(isSignedIn(second.answer, realm.name)).toBe(true);
    expect(await typesOf(realm, user.userId)).toEqual(["password", "totp", "recovery-code", "totp"]);
    expect(await tryCodes(realm, user, codeOf(first.secret))).toEqual([true]);
    expect(await tryCodes(realm, user, codeOf(second.secret))).toEqual([true]);
  });
});

describe("a code", () => {
  test("is requested after the password, and recorded in the trail and the metric", async () => {
    const realm = await iam.realm();
    settle();
    const ada = await withTotp(realm);
    const challenges = async () =>
      Number(new RegExp(`svc_mfa_challenge_total\\{[^}]*realm="${realm.name}"[^}]*\\} (\\d+)`).exec(await metrics())?.[1] ?? 0);
    const metrics = () => iam.core.metrics.registry.metrics();
    const before = await challenges();
    expect(await tryCodes(realm, ada, "000000", codeOf(ada.secret))).toEqual([401, true]);
    expect(await challenges()).toBe(before + 1);
    const answered = (await realm.events("category=AUTHN")).map(({ type, actor, detail }: Record<string, string>) => [type, actor, detail]);
    expect(answered.slice(0, 4)).toEqual([
      ["LOGIN_SUCCESS", ada.username, null],
      ["MFA_SUCCESS", ada.username, "totp"],
      ["MFA_FAILURE", ada.username, "totp: wrong"],
      ["MFA_CHALLENGE", ada.username, "totp"],
    ]);
  });

  test("fits one step early or late, and not two", async () => {
    const realm = await iam.realm();
    settle();
    const ada = await withTotp(realm);
    // After this time none of the codes was used before.
    clock.advance(120 * SECOND);
    expect(await tryCodes(realm, ada, codeOf(ada.secret, -2), codeOf(ada.secret, 2), codeOf(ada.secret, -1))).toEqual([401, 401, true]);
    expect(await tryCodes(realm, ada, codeOf(ada.secret, 1))).toEqual([true]);
  });

  test("works once, also in another browser, and uses up those before it", async () => {
    const realm = await iam.realm();
    settle();
    const ada = await withTotp(realm);
    clock.advance(120 * SECOND);
    const code = codeOf(ada.secret);
    expect(await tryCodes(realm, ada, code)).toEqual([true]);
    expect(await tryCodes(realm, ada, code, codeOf(ada.secret, -1))).toEqual([401, 401]);
    expect(await tryCodes(realm, ada, codeOf(ada.secret, 1))).toEqual([true]);
  });

  test("two sign-ins at once: one passes", async () => {
    const realm = await iam.realm();
    settle();
    const ada = await withTotp(realm);
    const waiting: [Browser, Answer][] = [];
    for (let n = 0; n < 4; n++) {
      const browser = iam.browser();
      waiting.push([browser, await pastPassword(browser, realm.name, ada)]);
    }
    const code = codeOf(ada.secret);
    const answers = await Promise.all(waiting.map(([browser, page]) => answerPage(browser, realm.name, page, { code })));
    expect(answers.filter((answer) => isSignedIn(answer, realm.name))).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  });

  test("works for its owner only, and not after its app was removed", async () => {
    const realm = await iam.realm();
    settle();
    const [ada, bob] = [await withTotp(realm), await withTotp(realm)];
    expect(await tryCodes(realm, ada, codeOf(bob.secret), codeOf(ada.secret))).toEqual([401, true]);
    // Ciphertexts do not open in another user's row.
    const rows = await iam.core.db.selectFrom("credentials").select(["credential_id", "secret"]).where("type", "=", "totp").execute();
    const [one, other] = rows.slice(-2) as [(typeof rows)[0], (typeof rows)[0]];
    expect(() => iam.core.vault.open(one.secret, totpPlace(realm.name, other.credential_id))).toThrow();

    const account = `/realms/${realm.name}/account/credentials`;
    const listed = (await bob.browser.get(account)).body as { id: string; type: string }[];
    expect(listed.map(({ type }) => type)).toEqual(["password", "totp", "recovery-code"]);
    expect((await bob.browser.delete(`${account}/totp/${listed[1]!.id}`)).status).toBe(204);
    // Recovery codes only replace a second factor. Without a factor nothing more is required.
    expect(isSignedIn(await iam.browser().trySignIn(realm.name, bob.username, bob.password), realm.name)).toBe(true);
    expect((await realm.asMaster().get(`/users/${bob.userId}`)).body.mfaEnabled).toBe(false);
  });

  test("cannot be guessed: all browsers share the user's counter, which is not that of the password", async () => {
    const realm = await iam.realm();
    settle();
    const ada = await withTotp(realm);
    await lockAfterFive(realm);
    const waiting: [Browser, Answer][] = [];
    for (let n = 0; n < 10; n++) {
      const browser = iam.browser();
      waiting.push([browser, await pastPassword(browser, realm.name, ada)]);
    }
    const guesses = await Promise.all(
      waiting.flatMap(([browser, page], n) =>
        Array.from({ length: 10 }, (_, m) => answerPage(browser, realm.name, page, { code: `x${n}${m}` })),
      ),
    );
    const looked = guesses.filter(({ status }) => status === 401);
    expect([looked.length, guesses.filter(({ status }) => status === 429).length]).toEqual([5, 95]);
    expect(await realm.events("type=MFA_FAILURE")).toHaveLength(5);
    expect(await realm.events("type=USER_LOCKED")).toHaveLength(1);
    // The right code is refused too. The password is not.
    expect(await tryCodes(realm, ada, codeOf(ada.secret))).toEqual([429]);
    // The administrator sees the lock, and can remove it.
    const boss = realm.asMaster();
    const { body: locked } = await boss.get(`/users/${ada.userId}`);
    expect([locked.locked, (await boss.get("/users?locked=true")).body]).toMatchObject([true, [{ userId: ada.userId }]]);
    expect((await boss.put(`/users/${ada.userId}`, { ...locked, locked: false })).body.locked).toBe(false);
    expect(await tryCodes(realm, ada, codeOf(ada.secret))).toEqual([true]);
  });
});
