import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, isSignedIn, lockAfterFive, pastPassword, setBrowserFlow } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED" as const, config: {} });
type User = Awaited<ReturnType<RealmUnderTest["user"]>>;

/** Creates a user with a set of codes, made in their account. */
async function withCodes(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const at = `/realms/${realm.name}/account/credentials`;
  const made = await browser.post(at, { type: "recovery-code" });
  expect(made.status).toBe(201);
  return { ...user, browser, at, made, codes: made.body.codes as string[] };
}
async function realmThatAsks() {
  const realm = await iam.realm();
  const ada = await withCodes(realm);
  await setBrowserFlow(iam, realm, [step("username-password"), step("recovery-code")]);
  return { realm, ada };
}
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

describe("recovery codes", () => {
  test("are made in the account, shown once, listed by how many are left, stored as hashes, and removed", async () => {
    const realm = await iam.realm();
    const { browser, at, made, codes, userId } = await withCodes(realm);
    expect(made.body).toMatchObject({ type: "recovery-code", label: null, remaining: 10, expiresAt: null });
    expect(new Set(codes).size).toBe(10);
    const listed = await browser.get(at);
    expect(listed.body).toMatchObject([{ type: "password" }, { type: "recovery-code", remaining: 10, id: made.body.id }]);
    const stored = JSON.stringify(
      await iam.core.db.selectFrom("credentials").select(["secret", "data"]).where("user_id", "=", userId).execute(),
    );
    for (const code of codes)
      for (const text of [stored, listed.text, iam.output.join("")])
        for (const spelling of [code, code.replace("-", "")]) expect(text).not.toContain(spelling);
    expect((await realm.asMaster().get(`/users/${userId}`)).body.mfaEnabled).toBe(false);

    for (const more of [{ label: "x" }, { expiresIn: 60 }])
      expect((await browser.post(at, { type: "recovery-code", ...more })).status).toBe(400);
    expect((await realm.asMaster().post(`/users/${userId}/credentials`, { type: "recovery-code" })).status).toBe(400);
    expect((await browser.delete(`${at}/recovery-code/${made.body.id}`)).status).toBe(204);
    expect((await browser.get(at)).body).toHaveLength(1);
    const answered = (await realm.events(`resourceId=${userId}`)).map(({ type, detail }: Record<string, string>) => `${type} ${detail}`);
    expect(answered).toEqual(expect.arrayContaining(["CREDENTIAL_ADDED recovery-code", "CREDENTIAL_REVOKED recovery-code"]));
  });

  test("open the account once each, however they are typed, and the page says how many are left", async () => {
    const { realm, ada } = await realmThatAsks();
    const [one, two] = ada.codes as [string, string];
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    expect(page.text).toContain("Codes left: 10.");
    const lookalike = one.toLowerCase().replace("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: lookalike }), realm.name)).toBe(true);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect([...session.amr].sort()).toEqual(["mfa", "pwd", "recovery"]);
    expect(await tryCodes(realm, ada, one, "", two)).toEqual([401, 400, true]);
    expect((await browser.get(ada.at)).body).toMatchObject([{ type: "password" }, { type: "recovery-code", remaining: 8 }]);
    const used = (await realm.events("type=RECOVERY_CODE_USED")).map(({ detail, resourceId }: Record<string, string>) => [
      detail,
      resourceId,
    ]);
    expect(used).toEqual([
      ["8 left", ada.userId],
      ["9 left", ada.userId],
    ]);
  });

  test("two sign-ins at once with the same one: one passes", async () => {
    const { realm, ada } = await realmThatAsks();
    const waiting: [Browser, Answer][] = [];
    for (let n = 0; n < 4; n++) {
      const browser = iam.browser();
      waiting.push([browser, await pastPassword(browser, realm.name, ada)]);
    }
    const answers = await Promise.all(waiting.map(([browser, page]) => answerPage(browser, realm.name, page, { code: ada.codes[0]! })));
    expect(answers.filter((answer) => isSignedIn(answer, realm.name))).toHaveLength(1);
    // Two different codes used at the same time do not bring each other back.
    const [third, fourth] = [await tryCodes(realm, ada, ada.codes[1]!), await tryCodes(realm, ada, ada.codes[2]!)];
    expect([third, fourth]).toEqual([[true], [true]]);
    expect(await tryCodes(realm, ada, ada.codes[1]!, ada.codes[2]!)).toEqual([401, 401]);
  });

  test("a new set ends the old one, and others' codes open nothing", async () => {
    const { realm, ada } = await realmThatAsks();
    await setBrowserFlow(iam, realm, [step("username-password")]);
    const bob = await withCodes(realm);
    const renewed = (await ada.browser.post(ada.at, { type: "recovery-code" })).body.codes as string[];
    await setBrowserFlow(iam, realm, [step("username-password"), step("recovery-code")]);
    expect(await tryCodes(realm, ada, ada.codes[0]!, bob.codes[0]!, renewed[0]!)).toEqual([401, 401, true]);
  });

  test("the last one leaves none behind", async () => {
    const { realm, ada } = await realmThatAsks();
    for (const code of ada.codes) expect(await tryCodes(realm, ada, code)).toEqual([true]);
    expect((await realm.asMaster().get(`/users/${ada.userId}/credentials`)).body).toMatchObject([{ type: "password" }]);
    expect((await pastPassword(iam.browser(), realm.name, ada)).status).toBe(403);
  });

  test("cannot be guessed", async () => {
    const { realm, ada } = await realmThatAsks();
    await lockAfterFive(realm);
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => answerPage(browser, realm.name, page, { code: `AAAAA-AAA${n}` })),
    );
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect((await answerPage(browser, realm.name, page, { code: ada.codes[0]! })).status).toBe(429);
  });
});
