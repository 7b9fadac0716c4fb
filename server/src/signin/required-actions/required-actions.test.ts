import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, SECOND } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { lockAfterFive } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let mail: Mailing;
let base: string;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

const NEW = "a brand new sentence of words";
let people = 0;
const heading = (page: Answer) => /<h1[^>]*>(?:<[^>]+>)*([^<]*)/.exec(page.text)?.[1];
const alertOf = (page: Answer) => /id="gh-error"[^>]*>([\s\S]*?)<\/div>/.exec(page.text)?.[1] ?? "";
const pathOf = (link: string) => new URL(link).pathname;

/** Creates a user with required actions and their own email address. */
async function person(realm: RealmUnderTest, actions: string[], more: Record<string, unknown> = {}) {
  const user = await realm.user(`ada${people}`);
  const email = `ada${people++}@example.com`;
  const admin = realm.asMaster();
  const saved = await admin.patch(`/users/${user.userId}`, { email, ...more });
  expect(saved.status, saved.text).toBe(200);
  expect((await admin.put(`/users/${user.userId}/required-actions`, actions)).status).toBe(200);
  return { ...user, email };
}
type Person = Awaited<ReturnType<typeof person>>;

/** Signs in as far as the page that comes after name and password. */
async function requested(realm: RealmUnderTest, { username, password }: Person, browser: Browser = iam.browser()) {
  const { page } = await walk(browser, base, `/realms/${realm.name}/login`);
  const next = await submit(browser, base, page, { username, password });
  return { browser, ...next };
}
const signedIn = (realm: RealmUnderTest, browser: Browser) => browser.cookies.has(`gh_${realm.name}`);
const actionsOf = async (realm: RealmUnderTest, { userId }: Person) =>
  (await realm.asMaster().get(`/users/${userId}/required-actions`)).body;
const typesOf = async (realm: RealmUnderTest, { userId }: Person) => (await realm.events(`resourceId=${userId}`)).map(({ type }) => type);
const settings = async (realm: RealmUnderTest, members: object) =>
  expect((await realm.asMaster().put("/settings", members)).status).toBe(200);

describe("UPDATE_PASSWORD", () => {
  test("comes before the session, accepts a good password, and ends other sessions", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, []);
    const elsewhere = iam.browser();
    await elsewhere.signIn(realm.name, ada.username, ada.password);
    expect((await elsewhere.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    await realm.asMaster().put(`/users/${ada.userId}/required-actions`, ["UPDATE_PASSWORD"]);

    const { browser, page } = await requested(realm, ada);
    expect(heading(page)).toBe("Choose a new password");
    expect(signedIn(realm, browser)).toBe(false);
    const done = await submit(browser, base, page, { newPassword: NEW, newPasswordAgain: NEW });
    expect(done.page.text).not.toContain('id="gh-error"');
    expect(signedIn(realm, browser)).toBe(true);
    expect(await actionsOf(realm, ada)).toEqual([]);
    expect(await typesOf(realm, ada)).toContain("PASSWORD_CHANGED");
    expect((await elsewhere.get(`/realms/${realm.name}/account/profile`)).status).toBe(401);
    expect((await browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    expect((await iam.browser().trySignIn(realm.name, ada.username, ada.password)).status).toBe(401);
    await iam.browser().signIn(realm.name, ada.username, NEW);
  });

  test("names the reason for each refusal and changes nothing", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, ["UPDATE_PASSWORD"]);
    const { browser, page } = await requested(realm, ada);
    const answers = [
      [NEW, "another", "The passwords don’t match"],
      ["short", "short", "Follow the rules below"],
      [ada.password, ada.password, "used this one here before"],
      ["password123", "password123", "appeared in a data leak"],
    ] as const;
    for (const [newPassword, newPasswordAgain, words] of answers) {
      const answer = await submit(browser, base, page, { newPassword, newPasswordAgain });
      expect([answer.page.status, alertOf(answer.page)], words).toEqual([400, expect.stringContaining(words)]);
      expect(answer.page.text).not.toContain(newPassword === "short" ? 'value="short"' : newPassword);
    }
    expect(signedIn(realm, browser)).toBe(false);
    expect(await actionsOf(realm, ada)).toEqual(["UPDATE_PASSWORD"]);
    await iam
      .browser()
      .trySignIn(realm.name, ada.username, ada.password)
      .then(({ status }) => expect(status).toBe(303));
  });

  test("ends a sign-in that has come halfway with the old password", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, ["UPDATE_PASSWORD"]);
    const thief = await requested(realm, ada);
    const owner = await requested(realm, ada);
    await submit(owner.browser, base, owner.page, { newPassword: NEW, newPasswordAgain: NEW });
    expect(signedIn(realm, owner.browser)).toBe(true);
    const late = await submit(thief.browser, base, thief.page, { newPassword: `${NEW}!`, newPasswordAgain: `${NEW}!` });
    expect(late.page.status).toBe(400);
    expect(signedIn(realm, thief.browser)).toBe(false);
    await iam.browser().signIn(realm.name, ada.username, NEW);
  });

  test("one of two concurrent passwords counts", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, ["UPDATE_PASSWORD"]);
    const { browser, page } = await requested(realm, ada);
    const answers = await Promise.all(
      [1, 2].map((n) => submit(browser, base, page, { newPassword: `${NEW} ${n}`, newPasswordAgain: `${NEW} ${n}` })),
    );
    const works = await Promise.all([1, 2].map((n) => iam.browser().trySignIn(realm.name, ada.username, `${NEW} ${n}`)));
    expect(works.map(({ status }) => status).sort()).toEqual([303, 401]);
    expect(answers.every(({ page: { status } }) => status < 500)).toBe(true);
    expect((await typesOf(realm, ada)).filter((type) => type === "PASSWORD_CHANGED")).toHaveLength(1);
  });
});

describe("VERIFY_EMAIL", () => {
  const verifying = async (actions = ["VERIFY_EMAIL"]) => {
    const realm = await iam.realm();
    await mail.enable(realm);
    const ada = await person(realm, actions);
    return { realm, ada, ...(await requested(realm, ada)) };
  };
  const isVerified = async (realm: RealmUnderTest, { userId }: Person) =>
    (await realm.asMaster().get(`/users/${userId}`)).body.emailVerified as boolean;

  test("the code of the mail works on the page, once, and signs in", async () => {
    const { realm, ada, browser, page } = await verifying();
    expect([heading(page), page.text.includes(ada.email)]).toEqual(["Confirm your email address", true]);
    const { code, link } = await mail.latestTo(ada.email);
    const wrong = await submit(browser, base, page, { code: code === "000000" ? "000001" : "000000" });
    expect([wrong.page.status, alertOf(wrong.page)]).toEqual([401, expect.stringContaining("That code isn’t right")]);
    await submit(browser, base, page, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` });
    expect(signedIn(realm, browser)).toBe(true);
    expect([await isVerified(realm, ada), await actionsOf(realm, ada)]).toEqual([true, []]);
    expect(await typesOf(realm, ada)).toContain("PROFILE_CHANGED");
    // The code used the token up, so the link cannot use it again.
    expect((await iam.browser().get(pathOf(link))).status).toBe(410);
  });

  test("the code proves the address that the mail went to, and no other that the account has by now", async () => {
    const { realm, ada, browser, page } = await verifying();
    const { code } = await mail.latestTo(ada.email);
    expect((await realm.asMaster().patch(`/users/${ada.userId}`, { email: `victim.${ada.email}` })).status).toBe(200);
    await submit(browser, base, page, { code });
    expect([signedIn(realm, browser), await isVerified(realm, ada)]).toEqual([false, false]);
  });

  test("if no other mail can be sent, the latest one still works, as the page says: its code, and after another sign-in its link", async () => {
    const realm = await iam.realm();
    await mail.enable(realm);
    await settings(realm, { messaging: { maxPerRecipient: 1 } });
    const ada = await person(realm, ["VERIFY_EMAIL"]);
    const { browser, page } = await requested(realm, ada);
    const { code, link } = await mail.latestTo(ada.email);
    clock.advance(31 * SECOND);
    const again = await submit(browser, base, page, { resend: "1" });
    expect(again.page.text).toContain("Use the latest");
    await requested(realm, ada);
    expect((await iam.browser().get(pathOf(link))).status).toBe(200);
    await submit(browser, base, again.page, { code });
    expect([signedIn(realm, browser), await isVerified(realm, ada)]).toEqual([true, true]);
  });

  test("a code that the mail of another sign-in has replaced no longer works, and the page says so", async () => {
    const { realm, ada, browser, page } = await verifying();
    const { code } = await mail.latestTo(ada.email);
    await requested(realm, ada);
    const { page: refused } = await submit(browser, base, page, { code });
    expect([refused.status, alertOf(refused)]).toEqual([401, expect.stringContaining("This code no longer works")]);
    expect([signedIn(realm, browser), await isVerified(realm, ada)]).toEqual([false, false]);
  });

  test("the link works on another device, after its button only; the page here then continues", async () => {
    const { realm, ada, browser, page } = await verifying();
    const { link } = await mail.latestTo(ada.email);
    const phone = iam.browser();
    const opened = await phone.get(pathOf(link));
    await phone.get(pathOf(link)); // a mail scanner, or a second look
    expect(await isVerified(realm, ada)).toBe(false);
    const confirmed = await submit(phone, base, opened, {});
    expect(heading(confirmed.page)).toBe("Your email address is confirmed");
    expect([await isVerified(realm, ada), signedIn(realm, phone)]).toEqual([true, false]);
    expect((await submit(phone, base, opened, {})).page.status).toBe(410);
    const here = /<a class="gh-link" href="([^"]+)"/.exec(page.text)![1]!;
    await walk(browser, base, here.replaceAll("&amp;", "&"));
    expect(signedIn(realm, browser)).toBe(true);
  });

  test("another mail has to wait, replaces the first, and is not sent without limit", async () => {
    const { ada, browser, page } = await verifying();
    const first = await mail.latestTo(ada.email);
    const tooSoon = await submit(browser, base, page, { resend: "true" });
    expect([tooSoon.page.status, alertOf(tooSoon.page)]).toEqual([400, expect.stringContaining("half a minute")]);
    clock.advance(31 * SECOND);
    const again = await submit(browser, base, page, { resend: "true" });
    expect(again.page.text).toContain("Another email is on its way");
    const second = await mail.latestTo(ada.email, 2);
    expect((await iam.browser().get(pathOf(first.link))).status).toBe(410);
    expect((await submit(browser, base, page, { code: first.code })).page.status).toBe(first.code === second.code ? 200 : 401);
    for (let n = 0; n < 6; n++) {
      clock.advance(31 * SECOND);
      await submit(browser, base, page, { resend: "true" });
    }
    // The mails are counted by their links: when the clock moves past the lease of a job, a mail that is still being sent is sent again.
    expect(new Set(await mail.linksTo(ada.email)).size).toBeLessThanOrEqual(7);
  });

  test("a link of another kind, realm or person does not work, nor does one for an address that was changed", async () => {
    const { realm, ada } = await verifying();
    const { link } = await mail.latestTo(ada.email);
    const other = await iam.realm();
    const token = pathOf(link).split("/").at(-1)!;
    for (const path of [`/realms/${other.name}/verify-email/${token}`, `/realms/${realm.name}/reset-password/${token}`])
      expect((await iam.browser().get(path)).status, path).toBe(410);
    expect((await iam.browser().get(`/realms/${realm.name}/verify-email/${"x".repeat(2000)}`)).status).toBe(410);
    const browser = iam.browser();
    const opened = await browser.get(pathOf(link));
    const csrf = await browser.request("POST", pathOf(link), { form: {}, csrf: false });
    expect([csrf.status, heading(csrf)]).toEqual([403, "Confirm your email address"]);
    await realm.asMaster().patch(`/users/${ada.userId}`, { email: `new-${ada.email}` });
    expect((await submit(browser, base, opened, {})).page.status).toBe(410);
    expect(await isVerified(realm, ada)).toBe(false);
  });

  test("guessing the code is counted and locks, without ending an existing session", async () => {
    const { realm, ada, browser, page } = await verifying([]);
    expect(page.status).toBe(200);
    expect(signedIn(realm, browser)).toBe(true);
    await lockAfterFive(realm);
    await realm.asMaster().put(`/users/${ada.userId}/required-actions`, ["VERIFY_EMAIL"]);
    const guesser = await requested(realm, ada);
    const { code } = await mail.latestTo(ada.email);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      clock.advance(65 * SECOND);
      const guess = String((Number(code) + 1 + n) % 1_000_000).padStart(6, "0");
      statuses.push((await submit(guesser.browser, base, guesser.page, { code: guess })).page.status);
    }
    expect(statuses).toEqual([...Array(5).fill(401), 429]);
    expect((await submit(guesser.browser, base, guesser.page, { code })).page.status).toBe(429);
    expect(await realm.events("type=USER_LOCKED")).toMatchObject([{ resourceId: ada.userId, detail: "too many failed attempts" }]);
    expect((await browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(200);
    // Only the code is locked: a user who knows the password still reaches the page.
    expect(heading((await requested(realm, ada)).page)).toBe("Confirm your email address");
  });

  test("is left out for users without an address, and waits where the realm has no mail provider", async () => {
    const realm = await iam.realm();
    const bob = { ...(await realm.user()), email: "" };
    await realm.asMaster().put(`/users/${bob.userId}/required-actions`, ["VERIFY_EMAIL"]);
    const without = await requested(realm, bob);
    expect(signedIn(realm, without.browser)).toBe(true);
    const ada = await person(realm, ["VERIFY_EMAIL"]);
    const { browser, page } = await requested(realm, ada);
    expect(page.text).not.toContain("Confirm your email address");
    expect([signedIn(realm, browser), await actionsOf(realm, ada)]).toEqual([true, ["VERIFY_EMAIL"]]);
    await mail.enable(realm);
    const asked = await requested(realm, ada);
    expect([heading(asked.page), signedIn(realm, asked.browser)]).toEqual(["Confirm your email address", false]);
  });
});

describe("UPDATE_PROFILE", () => {
  test("asks for the name and address, keeps other known values, and shows names as they are", async () => {
    const realm = await iam.realm();
    await mail.enable(realm);
    const ada = await person(realm, ["UPDATE_PROFILE"], { attributes: { badge: "7", firstName: "<b>\u202eevil" }, emailVerified: true });
    const { browser, page } = await requested(realm, ada);
    expect(heading(page)).toBe("Complete your profile");
    expect(page.text).not.toContain("<b>");
    for (const [form, words] of [
      [{ firstName: "", lastName: "Lovelace", email: ada.email }, "Something is missing"],
      [{ firstName: "\u200f\u202e", lastName: "Lovelace", email: ada.email }, "Check what you entered"],
      [{ firstName: "Ada", lastName: "Lovelace", email: "not an address" }, "Check what you entered"],
    ] as const) {
      const answer = await submit(browser, base, page, form);
      expect([answer.page.status, alertOf(answer.page)], words).toEqual([400, expect.stringContaining(words)]);
      if (form.firstName === "") expect(answer.page.text, "below its field").toContain('id="first-name-error">Fill in: First name.');
    }
    await submit(browser, base, page, { firstName: "عا\u202eئدة", lastName: "Lovelace", email: `new.${ada.email}` });
    expect(signedIn(realm, browser)).toBe(true);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body).toMatchObject({
      email: ada.email,
      emailVerified: true,
      attributes: { badge: "7", firstName: "عائدة", lastName: "Lovelace" },
    });
    expect(await actionsOf(realm, ada)).toEqual([]);
    const [event] = await realm.events(`type=PROFILE_CHANGED&resourceId=${ada.userId}`);
    expect(event).toMatchObject({ actor: ada.username, detail: "firstName lastName" });
    // The new address counts once its link is followed.
    const links = await mail.linksTo(`new.${ada.email}`);
    const { page: confirm } = await walk(browser, base, links[0]!);
    await submit(browser, base, confirm, {});
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body).toMatchObject({ email: `new.${ada.email}`, emailVerified: true });
    expect(mail.subjectsTo(ada.email)).toContainEqual(expect.stringContaining("about to change"));
  });

  test("says that a new address cannot be confirmed if no mail can be sent, and the sign-in continues with the present one", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, ["UPDATE_PROFILE"]);
    const { browser, page } = await requested(realm, ada);
    const name = { firstName: "Ada", lastName: "Lovelace" };
    const refused = await submit(browser, base, page, { ...name, email: `new.${ada.email}` });
    expect([refused.page.status, alertOf(refused.page)]).toEqual([400, expect.stringContaining("Keep your current address")]);
    expect([signedIn(realm, browser), await actionsOf(realm, ada)]).toEqual([false, ["UPDATE_PROFILE"]]);
    await submit(browser, base, refused.page, { ...name, email: ada.email });
    expect([signedIn(realm, browser), await actionsOf(realm, ada)]).toEqual([true, []]);
  });

  test("says that a mailbox got too many mails, keeps the typed values, and changes nothing", async () => {
    const realm = await iam.realm();
    await mail.enable(realm);
    await settings(realm, { messaging: { maxPerRecipient: 1 } });
    const busy = `busy${people++}@example.com`;
    const other = await person(realm, ["UPDATE_PROFILE"]);
    const first = await requested(realm, other);
    await submit(first.browser, base, first.page, { firstName: "Bob", lastName: "B", email: busy });
    const ada = await person(realm, ["UPDATE_PROFILE"]);
    const { browser, page } = await requested(realm, ada);
    const refused = await submit(browser, base, page, { firstName: "Augusta", lastName: "King", email: busy });
    expect([refused.page.status, alertOf(refused.page)]).toEqual([429, expect.stringContaining("No more emails for now")]);
    expect(refused.page.text).toContain('value="Augusta"');
    expect([signedIn(realm, browser), await actionsOf(realm, ada)]).toEqual([false, ["UPDATE_PROFILE"]]);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.attributes).not.toHaveProperty("lastName", "King");
    await submit(browser, base, refused.page, { firstName: "Augusta", lastName: "King", email: ada.email });
    expect([signedIn(realm, browser), await actionsOf(realm, ada)]).toEqual([true, []]);
  });

  test("does not change the address if people may not change theirs", async () => {
    const realm = await iam.realm();
    await settings(realm, { account: { changeEmail: false } });
    const ada = await person(realm, ["UPDATE_PROFILE"]);
    const { browser, page } = await requested(realm, ada);
    expect(page.text).not.toContain('name="email"');
    await submit(browser, base, page, { firstName: "Ada", lastName: "L", email: "sneaky@example.com" });
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.email).toBe(ada.email);
  });

  test("does not let a user send mail to many strangers, nor with their own words in it", async () => {
    const realm = await iam.realm();
    await mail.enable(realm);
    await settings(realm, { messaging: { maxPerRecipient: 2 } });
    const names = { firstName: "Cheap watches", lastName: "at shop.example" };
    // Without an address of their own nothing else limits them.
    const ada = await person(realm, ["UPDATE_PROFILE"], { attributes: names, email: null });
    const statuses = [];
    for (let n = 0; n < 3; n++) {
      await realm.asMaster().put(`/users/${ada.userId}/required-actions`, ["UPDATE_PROFILE"]);
      const { browser, page } = await requested(realm, ada);
      statuses.push((await submit(browser, base, page, { ...names, email: `stranger${n}.${ada.email}` })).page.status);
    }
    expect(statuses[2]).toBe(429);
    await mail.linksTo(`stranger1.${ada.email}`);
    expect(mail.subjectsTo(`stranger2.${ada.email}`)).toEqual([]);
    const sent = mail.peer.mails
      .filter(({ recipients }) => recipients.some((to) => to.startsWith("stranger")))
      .map(({ raw }) => String(raw));
    expect([sent.length, sent.some((each) => /watches/i.test(each))]).toEqual([2, false]);
  });

  test("does not change the address if applications identify people by it, also if a link was sent before", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    await mail.enable(realm);
    const ada = await person(realm, ["UPDATE_PROFILE"]);
    const { browser, page } = await requested(realm, ada);
    await submit(browser, base, page, { firstName: "Ada", lastName: "L", email: `new.${ada.email}` });
    const [link] = await mail.linksTo(`new.${ada.email}`);
    expect((await boss.put("/subject-claim", { strategy: "email" })).status).toBe(200);
    const { page: confirm } = await walk(browser, base, link!);
    expect((await submit(browser, base, confirm, {})).page.status).toBe(410);
    const address = async () => (await boss.get(`/users/${ada.userId}`)).body.email;
    expect(await address()).toBe(ada.email);

    await boss.put(`/users/${ada.userId}/required-actions`, ["UPDATE_PROFILE"]);
    const again = await requested(realm, ada);
    expect([heading(again.page), again.page.text.includes('name="email"')]).toEqual(["Complete your profile", false]);
    await submit(again.browser, base, again.page, { firstName: "Ada", lastName: "M", email: `other.${ada.email}` });
    expect([signedIn(realm, again.browser), mail.subjectsTo(`other.${ada.email}`), await address()]).toEqual([true, [], ada.email]);
  });
});

describe("terms", () => {
  const TERMS = { text: "Be kind.</div><script>alert(1)</script>\n\u202eevil", url: "https://acme.example/terms", version: "2026-1" };

  test("ACCEPT_TERMS shows them as text, keeps version and time, and continues inside a code flow", async () => {
    const realm = await iam.realm();
    await settings(realm, { terms: TERMS });
    const ada = await person(realm, ["UPDATE_PASSWORD", "ACCEPT_TERMS"]);
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const login = await walk(browser, base, party.url());
    const first = await submit(browser, base, login.page, ada);
    expect(heading(first.page)).toBe("Choose a new password");
    const { page } = await submit(browser, base, first.page, { newPassword: NEW, newPasswordAgain: NEW });
    expect(heading(page)).toBe("Terms of use");
    expect(page.text).toContain("Be kind.&lt;/div>&lt;script>alert(1)");
    expect(page.text).not.toMatch(/<script>|\u202e/);
    expect(page.text).toContain('href="https://acme.example/terms"');
    const { left } = await submit(browser, base, page, {});
    expect(`${left?.origin}${left?.pathname}`).toBe(CALLBACK);
    expect((await party.exchange(left)).status).toBe(200);
    expect(await actionsOf(realm, ada)).toEqual([]);
    expect(await realm.events("type=TERMS_ACCEPTED")).toEqual([
      expect.objectContaining({ actor: ada.username, resourceId: ada.userId, detail: "2026-1" }),
    ]);
    const { rows } = await iam.core.db
      .selectFrom("terms_acceptances")
      .select(["version", "accepted_at"])
      .where("user_id", "=", ada.userId)
      .execute()
      .then((found) => ({ rows: found }));
    expect(rows).toEqual([{ version: "2026-1", accepted_at: expect.any(Number) }]);
  });

  test("a user who declines is not signed in, and the application gets the error", async () => {
    const realm = await iam.realm();
    await settings(realm, { terms: TERMS });
    const ada = await person(realm, ["ACCEPT_TERMS"]);
    const { browser, page } = await requested(realm, ada);
    const declined = await submit(browser, base, page, { decline: "true" });
    expect([declined.page.status, heading(declined.page)]).toEqual([403, "You’re not signed in"]);
    expect(signedIn(realm, browser)).toBe(false);
    const party = await relyingParty(iam, realm);
    const other = iam.browser();
    const login = await walk(other, base, party.url());
    const terms = await submit(other, base, login.page, ada);
    const { left } = await submit(other, base, terms.page, { decline: "true" });
    expect([left?.origin, left?.searchParams.get("error")]).toEqual([new URL(CALLBACK).origin, "access_denied"]);
    expect(signedIn(realm, other)).toBe(false);
    expect(await actionsOf(realm, ada)).toEqual(["ACCEPT_TERMS"]);
  });

  test("as a step of the flow they are accepted once for each version", async () => {
    const realm = await iam.realm();
    await settings(realm, { terms: TERMS });
    const steps = [
      { authenticator: "username-password", requirement: "REQUIRED" },
      { authenticator: "terms", requirement: "REQUIRED" },
    ];
    const flow = { alias: "browser", displayName: "Sign in", steps };
    expect((await realm.asMaster().put("/flows/browser", flow)).status).toBe(200);
    const ada = await person(realm, []);
    const first = await requested(realm, ada);
    expect(heading(first.page)).toBe("Terms of use");
    await submit(first.browser, base, first.page, {});
    expect(signedIn(realm, first.browser)).toBe(true);
    expect(signedIn(realm, (await requested(realm, ada)).browser)).toBe(true);
    await settings(realm, { terms: { ...TERMS, version: "2026-2" } });
    expect(heading((await requested(realm, ada)).page)).toBe("Terms of use");
  });

  test("without a text users are not asked", async () => {
    const realm = await iam.realm();
    const ada = await person(realm, ["ACCEPT_TERMS"]);
    expect(signedIn(realm, (await requested(realm, ada)).browser)).toBe(true);
  });

  test("a link that is no address of a page is refused", async () => {
    const realm = await iam.realm();
    for (const url of ["javascript:alert(1)", "http://acme.example/", "https://a b"])
      expect((await realm.asMaster().put("/settings", { terms: { url } })).status, url).toBe(400);
  });
});

test("a password that is too old is replaced at the next sign-in", async () => {
  const realm = await iam.realm();
  await settings(realm, { passwordPolicy: { maxAgeDays: 1 } });
  const ada = await person(realm, []);
  const yesterday = clock.now() - DAY;
  await iam.core.db.updateTable("credentials").set({ created_at: yesterday }).where("user_id", "=", ada.userId).execute();
  const { browser, page } = await requested(realm, ada);
  expect(heading(page)).toBe("Choose a new password");
  await submit(browser, base, page, { newPassword: NEW, newPasswordAgain: NEW });
  expect(signedIn(realm, browser)).toBe(true);
});
