import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, followed, isSignedIn, lockAfterFive, masked, pastPassword, setBrowserFlow } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // Messages wait in the outbox, and nothing is cleaned up by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const step = (authenticator: string, requirement: "REQUIRED" | "ALTERNATIVE" = "REQUIRED") => ({ authenticator, requirement, config: {} });
const passwordThen = (factor: string) => [step("username-password"), step(factor)];
const nameThen = (factor: string) => [step("username"), step(factor)];

async function realmWith(steps: Parameters<typeof setBrowserFlow>[2]) {
  const realm = await iam.realm();
  await allowMessages(realm);
  await setBrowserFlow(iam, realm, steps);
  return realm;
}
let people = 0;
async function person(realm: RealmUnderTest, more: object = {}) {
  const user = await realm.user();
  const email = `ada${people++}@example.com`;
  const { body } = await realm.asMaster().get(`/users/${user.userId}`);
  const saved = await realm.asMaster().put(`/users/${user.userId}`, { ...body, email, ...more });
  expect(saved.status).toBe(200);
  return { ...user, email };
}
const codesTo = async (realm: RealmUnderTest, to: string) =>
  (await outbox(iam, realm)).filter((message) => message.to === to).map(({ text }) => /\b\d{6}\b/.exec(text)![0]);
/** Returns a code that is none of these. */
const otherThan = (...codes: string[]) => ["111111", "222222", "333333"].find((code) => !codes.includes(code))!;

async function byName(browser: Browser, realm: RealmUnderTest, username: string): Promise<Answer> {
  const page = await browser.get(`/realms/${realm.name}/login`);
  return followed(browser, await answerPage(browser, realm.name, page, { username }));
}

describe("a code by mail", () => {
  test("as second factor goes to the user's address, which is shown in part, and signs in", async () => {
    const realm = await realmWith(passwordThen("email-otp"));
    const ada = await person(realm);
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    expect(page.text).toContain("a•••@example.com");
    expect(page.text).not.toContain(ada.email);
    expect(page.text).toContain('autocomplete="one-time-code"');
    const [code, ...others] = await codesTo(realm, ada.email);
    expect(others).toEqual([]);
    // Loading the page again sends nothing.
    await browser.get(`/realms/${realm.name}/login?interaction=${/interaction" value="([^"]+)/.exec(page.text)![1]}`);
    expect(await codesTo(realm, ada.email)).toEqual([code]);
    const state = await iam.core.db.selectFrom("interactions").select("state").where("realm_id", "=", realm.name).execute();
    expect(JSON.stringify(state)).not.toMatch(new RegExp(`\\b${code}\\b`));

    expect((await answerPage(browser, realm.name, page, { code: otherThan(code!) })).status).toBe(401);
    const done = await answerPage(browser, realm.name, page, { code: `${code!.slice(0, 3)} ${code!.slice(3)}` });
    expect(isSignedIn(done, realm.name)).toBe(true);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect([...session.amr].sort()).toEqual(["email", "mfa", "otp", "pwd"]);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.emailVerified).toBe(true);
    const types = (await realm.events("category=AUTHN")).map(({ type }: { type: string }) => type);
    expect(types.slice(0, 4)).toEqual(["LOGIN_SUCCESS", "MFA_SUCCESS", "MFA_FAILURE", "MFA_CHALLENGE"]);
    expect(iam.output.join("")).not.toMatch(new RegExp(`\\b${code}\\b`));
  });

  test("as only factor does not reveal who has an account: the same page, the same answers, no message", async () => {
    const realm = await realmWith(nameThen("email-otp"));
    const ada = await person(realm);
    const mailless = await realm.user();
    const seen: unknown[] = [];
    for (const name of [ada.username, mailless.username, "nobody-at-all"]) {
      const browser = iam.browser();
      const bare = ({ status, text, headers }: Answer) => [status, masked(text, name), headers["retry-after"]];
      const page = await byName(browser, realm, name);
      const answers = [page, await answerPage(browser, realm.name, page, { code: "nonsense" })];
      answers.push(await answerPage(browser, realm.name, page, { resend: "true" }));
      clock.advance(31 * SECOND);
      answers.push(await answerPage(browser, realm.name, page, { resend: "true" }));
      seen.push(answers.map(bare));
      expect(page.text).not.toContain("•••");
      clock.reset();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    expect((await outbox(iam, realm)).map(({ to }) => to)).toEqual([ada.email, ada.email]);

    const browser = iam.browser();
    clock.advance(10 * MINUTE);
    const page = await byName(browser, realm, ada.email);
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: (await codesTo(realm, ada.email)).at(-1)! }), realm.name)).toBe(
      true,
    );
  });

  test("is good for five minutes, in the sign-in that requested it, for its recipient", async () => {
    const realm = await realmWith(passwordThen("email-otp"));
    const [ada, bob] = [await person(realm), await person(realm)];
    const [one, two, third] = [iam.browser(), iam.browser(), iam.browser()];
    const page = await pastPassword(one, realm.name, ada);
    const otherPage = await pastPassword(two, realm.name, ada);
    const bobsPage = await pastPassword(third, realm.name, bob);
    const [first, second] = await codesTo(realm, ada.email);
    if (first !== second) expect((await answerPage(two, realm.name, otherPage, { code: first! })).status).toBe(401);
    expect((await answerPage(third, realm.name, bobsPage, { code: second! })).status).toBe(401);
    // The code does not count for an address that changed since it was sent.
    const { body } = await realm.asMaster().get(`/users/${bob.userId}`);
    await realm.asMaster().put(`/users/${bob.userId}`, { ...body, email: "bob-2@example.com" });
    expect((await answerPage(third, realm.name, bobsPage, { code: (await codesTo(realm, bob.email))[0]! })).status).toBe(401);

    clock.advance(4 * MINUTE);
    expect(isSignedIn(await answerPage(one, realm.name, page, { code: first! }), realm.name)).toBe(true);
    clock.advance(MINUTE);
    const late = await answerPage(two, realm.name, otherPage, { code: second! });
    expect([late.status, isSignedIn(late, realm.name)]).toEqual([400, false]);
    expect(late.text).toContain("This code no longer works");
  });

  test("is sent again after half a minute, five times at most, and the new one ends the old", async () => {
    const realm = await realmWith(passwordThen("email-otp"));
    await realm.asMaster().put("/settings", { messaging: { maxPerRecipient: 100 } });
    const ada = await person(realm);
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    const again = () => answerPage(browser, realm.name, page, { resend: "true" });
    clock.advance(25 * SECOND);
    expect([(await again()).status, (await codesTo(realm, ada.email)).length]).toEqual([400, 1]);
    for (let sent = 2; sent <= 5; sent++) {
      clock.advance(31 * SECOND);
      expect([(await again()).status, (await codesTo(realm, ada.email)).length]).toEqual([200, sent]);
    }
    clock.advance(31 * SECOND);
    expect([(await again()).status, (await codesTo(realm, ada.email)).length]).toEqual([400, 5]);
    const codes = await codesTo(realm, ada.email);
    const old = codes.find((code) => code !== codes[4])!;
    expect((await answerPage(browser, realm.name, page, { code: old })).status).toBe(401);
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: codes[4]! }), realm.name)).toBe(true);
  });

  test("a flood of sign-ins sends what one mailbox may get and no more; a known user sees why", async () => {
    const realm = await realmWith(passwordThen("email-otp"));
    const ada = await person(realm);
    const pages: Answer[] = [];
    for (let n = 0; n < 7; n++) pages.push(await pastPassword(iam.browser(), realm.name, ada));
    expect(await codesTo(realm, ada.email)).toHaveLength(5);
    const isTold = ({ text }: Answer) => text.includes("We couldn’t send a message");
    expect(pages.map(isTold)).toEqual([false, false, false, false, false, true, true]);
    // Before a proof the page does not say so.
    await setBrowserFlow(iam, realm, nameThen("email-otp"));
    expect(isTold(await byName(iam.browser(), realm, ada.username))).toBe(false);
    expect(await codesTo(realm, ada.email)).toHaveLength(5);
  });

  test("cannot be guessed: a code has five tries, also for a hundred concurrent ones, and also if the realm counts nothing", async () => {
    const realm = await realmWith(passwordThen("email-otp"));
    const { body: settings } = await realm.asMaster().get("/settings");
    await realm.asMaster().put("/settings", { ...settings, bruteForce: { ...settings.bruteForce, enabled: false } });
    const ada = await person(realm);
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    const [code] = await codesTo(realm, ada.email);
    const guesses = Array.from({ length: 100 }, (_, n) => String(900_000 + n)).filter((guess) => guess !== code);
    const answers = await Promise.all(guesses.map((guess) => answerPage(browser, realm.name, page, { code: guess })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(guesses.length - 5);
    expect((await answerPage(browser, realm.name, page, { code: code! })).status).toBe(400);
    // A new code has its own tries.
    clock.advance(31 * SECOND);
    await answerPage(browser, realm.name, page, { resend: "true" });
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: (await codesTo(realm, ada.email))[1]! }), realm.name)).toBe(true);
  });

  test("cannot be guessed across sign-ins and browsers: they share the user's counter", async () => {
    const realm = await realmWith(nameThen("email-otp"));
    await lockAfterFive(realm);
    const ada = await person(realm);
    const waiting: [Browser, Answer][] = [];
    for (let n = 0; n < 20; n++) {
      const browser = iam.browser();
      waiting.push([browser, await byName(browser, realm, ada.username)]);
    }
    const guesses = await Promise.all(
      waiting.flatMap(([browser, page]) => [0, 1, 2, 3, 4].map(() => answerPage(browser, realm.name, page, { code: "x" }))),
    );
    expect([401, 429].map((code) => guesses.filter(({ status }) => status === code).length)).toEqual([5, 95]);
    const browser = iam.browser();
    const page = await byName(browser, realm, ada.username);
    expect((await answerPage(browser, realm.name, page, { code: "000000" })).status).toBe(429);
    expect(await realm.events("type=MFA_FAILURE")).toEqual([]);
    expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(5);
  });

  test("is not offered if the realm cannot send mail", async () => {
    const realm = await iam.realm();
    await setBrowserFlow(iam, realm, [step("username-password"), step("email-otp")]);
    const ada = await person(realm);
    expect((await pastPassword(iam.browser(), realm.name, ada)).status).toBe(403);
  });
});

describe("a code by text message", () => {
  test("goes to the number in the attribute phoneNumber, and signs in", async () => {
    const realm = await realmWith(passwordThen("sms-otp"));
    const ada = await person(realm, { attributes: { phoneNumber: "+31612345678" } });
    const browser = iam.browser();
    const page = await pastPassword(browser, realm.name, ada);
    expect(page.text).toContain("+31•••78");
    const [code] = await codesTo(realm, "+31612345678");
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code: code! }), realm.name)).toBe(true);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect([...session.amr].sort()).toEqual(["mfa", "otp", "pwd", "sms"]);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.emailVerified).toBe(false);
  });

  test("is counted for its user, who could name one number after the other", async () => {
    const realm = await realmWith(passwordThen("sms-otp"));
    expect((await realm.asMaster().put("/settings", { messaging: { maxPerRecipient: 2 } })).status).toBe(200);
    const ada = await person(realm);
    for (let last = 0; last < 4; last++) {
      const attributes = { phoneNumber: `+3161234567${last}` };
      expect((await realm.asMaster().patch(`/users/${ada.userId}`, { attributes })).status).toBe(200);
      await pastPassword(iam.browser(), realm.name, ada);
    }
    expect((await outbox(iam, realm)).map(({ to }) => to)).toEqual(["+31612345670", "+31612345671"]);
  });

  test("is offered only to users with a valid number", async () => {
    const realm = await realmWith([
      step("username-password"),
      { alias: "ways", requirement: "REQUIRED", steps: [step("sms-otp", "ALTERNATIVE"), step("email-otp", "ALTERNATIVE")] },
    ]);
    for (const attributes of [{}, { phoneNumber: "call me" }]) {
      const page = await pastPassword(iam.browser(), realm.name, await person(realm, { attributes }));
      expect([page.text.includes("Check your email"), page.text.includes("Get a code by text message")]).toEqual([true, false]);
    }
    const both = await pastPassword(iam.browser(), realm.name, await person(realm, { attributes: { phoneNumber: ["+31612345679"] } }));
    expect([both.text.includes("Check your phone"), both.text.includes("Get a code by email")]).toEqual([true, true]);
  });
});
