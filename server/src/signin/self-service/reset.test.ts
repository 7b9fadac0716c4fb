import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { statementsDuring } from "../../testing/counted-statements.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { CALLBACK, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { lockAfterFive, masked } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

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
const fresh = { newPassword: NEW, newPasswordAgain: NEW };
let people = 0;
const heading = (page: Answer) => /<h1[^>]*>(?:<[^>]+>)*([^<]*)/.exec(page.text)?.[1];
const pathOf = (link: string) => new URL(link).pathname;
const signedIn = (realm: RealmUnderTest, browser: Browser) => browser.cookies.has(`gh_${realm.name}`);
const isAlive = async (realm: RealmUnderTest, browser: Browser) =>
  (await browser.get(`/realms/${realm.name}/account/profile`)).status === 200;

async function situation() {
  const realm = await iam.realm();
  await mail.enable(realm);
  const user = await realm.user(`ada${people}`);
  const email = `ada.reset${people++}@example.com`;
  expect((await realm.asMaster().patch(`/users/${user.userId}`, { email })).status).toBe(200);
  return { realm, ada: { ...user, email } };
}

/** Asks for the mail, as far as the page that waits for its code. */
async function forgot(realm: RealmUnderTest, name: string, browser: Browser = iam.browser()) {
  const { page } = await walk(browser, base, `/realms/${realm.name}/reset-password`);
  expect(heading(page)).toBe("Forgot your password?");
  return { browser, ...(await submit(browser, base, page, { username: name })) };
}

describe("the code of the mail", () => {
  test("leads to a new password, and signs out everywhere else", async () => {
    const { realm, ada } = await situation();
    const elsewhere = iam.browser();
    await elsewhere.signIn(realm.name, ada.username, ada.password);
    const login = await iam.browser().get(`/realms/${realm.name}/login`);
    expect(login.text).toContain(`href="/realms/${realm.name}/reset-password"`);

    const { browser, page } = await forgot(realm, ada.email.toUpperCase());
    const { code, link } = await mail.latestTo(ada.email);
    const choose = await submit(browser, base, page, { code });
    expect(heading(choose.page)).toBe("Choose a new password");
    expect([signedIn(realm, browser), await isAlive(realm, elsewhere)]).toEqual([false, true]);
    await submit(browser, base, choose.page, fresh);
    expect([await isAlive(realm, browser), await isAlive(realm, elsewhere)]).toEqual([true, false]);
    expect((await realm.events(`resourceId=${ada.userId}`)).map(({ type }) => type)).toContain("PASSWORD_RESET");
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.emailVerified).toBe(true);
    expect((await iam.browser().get(pathOf(link))).status).toBe(410);
    await iam.browser().signIn(realm.name, ada.username, NEW);
  });

  test("returns to the application that requested the sign-in", async () => {
    const { realm, ada } = await situation();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const login = await walk(browser, base, party.url());
    const href = /href="([^"]*reset-password[^"]*)"/.exec(login.page.text)![1]!.replaceAll("&amp;", "&");
    const name = await walk(browser, base, href);
    const waiting = await submit(browser, base, name.page, { username: ada.username });
    const { code } = await mail.latestTo(ada.email);
    const choose = await submit(browser, base, waiting.page, { code });
    const { left } = await submit(browser, base, choose.page, fresh);
    expect(`${left?.origin}${left?.pathname}`).toBe(CALLBACK);
    expect((await party.exchange(left)).status).toBe(200);
  });

  test("has five tries, also if the realm counts none; then the user has to ask for another", async () => {
    const { realm, ada } = await situation();
    expect((await realm.asMaster().patch("/settings", { bruteForce: { enabled: false } })).status).toBe(200);
    const { browser, page } = await forgot(realm, ada.username);
    const { code } = await mail.latestTo(ada.email);
    const statuses = [];
    for (let n = 0; n < 5; n++)
      statuses.push((await submit(browser, base, page, { code: code === "111111" ? "111112" : "111111" })).page.status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const late = await submit(browser, base, page, { code });
    expect([late.page.status, late.page.text.includes("newPassword")]).toEqual([400, false]);
    expect(late.page.text).toContain("This code no longer works");
    clock.advance(31 * SECOND);
    await submit(browser, base, late.page, { resend: "1" });
    const again = await mail.latestTo(ada.email, 2);
    expect(heading((await submit(browser, base, page, { code: again.code })).page)).toBe("Choose a new password");
  });

  test("of the latest mail still works if no other can be sent", async () => {
    const { realm, ada } = await situation();
    expect((await realm.asMaster().put("/settings", { messaging: { maxPerRecipient: 1 } })).status).toBe(200);
    const { browser, page } = await forgot(realm, ada.username);
    const { code } = await mail.latestTo(ada.email);
    clock.advance(31 * SECOND);
    const again = await submit(browser, base, page, { resend: "1" });
    const next = await submit(browser, base, again.page, { code });
    await submit(browser, base, next.page, fresh);
    expect(signedIn(realm, browser)).toBe(true);
  });

  test("proves the address that the mail went to, and no other that the account has by now", async () => {
    const { realm, ada } = await situation();
    const { browser, page } = await forgot(realm, ada.username);
    const { code } = await mail.latestTo(ada.email);
    expect((await realm.asMaster().patch(`/users/${ada.userId}`, { email: `victim.${ada.email}` })).status).toBe(200);
    const refused = await submit(browser, base, page, { code });
    expect([refused.page.status, refused.page.text.includes("newPassword")]).toEqual([401, false]);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.emailVerified).toBe(false);
  });

  test("still asks for the second factor", async () => {
    const { realm, ada } = await situation();
    const credential = { realm_id: realm.name, user_id: ada.userId, credential_id: newId(), type: "totp", secret: "-", created_at: 1 };
    await iam.core.db.insertInto("credentials").values(credential).execute();
    const { browser, page } = await forgot(realm, ada.username);
    const { code } = await mail.latestTo(ada.email);
    const second = await submit(browser, base, page, { code });
    expect([second.page.status, second.page.text.includes('name="code"')]).toEqual([200, true]);
    expect(second.page.text).not.toContain('name="newPassword"');
    // The second factor cannot be skipped.
    const skipped = await submit(browser, base, second.page, { ...fresh, step: "action:UPDATE_PASSWORD" });
    expect(skipped.page.text).not.toContain('name="newPassword"');
    expect(signedIn(realm, browser)).toBe(false);
    await iam
      .browser()
      .trySignIn(realm.name, ada.username, NEW)
      .then(({ status }) => expect(status).toBe(401));
  });

  test("is not enough for a user with a second factor, whatever the realm's flow requires", async () => {
    const { realm, ada } = await situation();
    const master = realm.asMaster();
    await master.put("/settings", { messaging: { maxPerRecipient: 100 } });
    // `email-otp` proves the same mailbox again.
    const steps = ["username", "reset-email", "email-otp"].map((authenticator) => ({ authenticator, requirement: "REQUIRED" }));
    expect((await master.put("/flows/reset-credentials", { displayName: "Forgotten password", steps })).status).toBe(200);
    let mails = 0;
    const afterMail = async () => {
      const { browser, page } = await forgot(realm, ada.username);
      const first = await mail.latestTo(ada.email, ++mails);
      const second = await submit(browser, base, page, { code: first.code });
      const { code } = await mail.latestTo(ada.email, ++mails);
      return { browser, ...(await submit(browser, base, second.page, { code })) };
    };
    const app = await giveTotp(iam, realm.name, ada.userId);
    const { roleId } = (await master.post("/roles", { name: "auditor" })).body;
    await master.put(`/admin-roles/${roleId}`, { permissions: ["view-events"] });
    await master.post(`/users/${ada.userId}/roles`, { name: "auditor" });
    const { browser, page } = await afterMail();
    expect([page.text.includes('name="code"'), page.text.includes('name="newPassword"')]).toEqual([true, false]);
    const skipped = await submit(browser, base, page, { ...fresh, step: "action:UPDATE_PASSWORD" });
    expect([skipped.page.text.includes('name="newPassword"'), signedIn(realm, browser)]).toEqual([false, false]);
    expect(heading((await submit(browser, base, page, { code: app() })).page)).toBe("Choose a new password");

    await iam.core.db.deleteFrom("credentials").where("user_id", "=", ada.userId).where("type", "=", "totp").execute();
    expect(heading((await afterMail()).page), "without one the mail is enough").toBe("Choose a new password");
  });

  test("can be guessed as often as the realm allows, then not even the right one counts", async () => {
    const { realm, ada } = await situation();
    await lockAfterFive(realm);
    const { browser, page } = await forgot(realm, ada.username);
    const { code } = await mail.latestTo(ada.email);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      clock.advance(65 * SECOND);
      const guess = String((Number(code) + 1 + n) % 1_000_000).padStart(6, "0");
      statuses.push((await submit(browser, base, page, { code: guess })).page.status);
    }
    expect(statuses).toEqual([...Array(5).fill(401), 429]);
    expect((await submit(browser, base, page, { code })).page.status).toBe(429);
    expect(await realm.events("type=USER_LOCKED")).toMatchObject([{ resourceId: ada.userId, detail: "too many failed attempts" }]);
    // A user who knows the password is not blocked.
    await iam.browser().signIn(realm.name, ada.username, ada.password);
  });
});

describe("the link of the mail", () => {
  test("works in another browser, after its button, once", async () => {
    const { realm, ada } = await situation();
    const { browser, page } = await forgot(realm, ada.username);
    const { link, code } = await mail.latestTo(ada.email);
    const phone = iam.browser();
    const opened = await phone.get(pathOf(link));
    expect([opened.status, opened.text.includes(ada.username)]).toEqual([200, true]);
    expect(String(opened.headers["referrer-policy"])).toBe("no-referrer");
    const noToken = await phone.request("POST", pathOf(link), { form: {}, csrf: false });
    expect(noToken.status).toBe(403);
    const choose = await submit(phone, base, opened, {});
    expect(heading(choose.page)).toBe("Choose a new password");
    expect((await phone.get(pathOf(link))).status).toBe(410);
    // The code of the same mail is used up with the link.
    expect((await submit(browser, base, page, { code })).page.status).toBe(401);
    await submit(phone, base, choose.page, fresh);
    expect([signedIn(realm, phone), signedIn(realm, browser)]).toEqual([true, false]);
  });

  test("only one of two concurrent requests continues", async () => {
    const { realm, ada } = await situation();
    await forgot(realm, ada.username);
    const { link } = await mail.latestTo(ada.email);
    const browsers = [iam.browser(), iam.browser()];
    // Both browsers have the page before one of them uses the link up.
    const pages = await Promise.all(browsers.map((browser) => browser.get(pathOf(link))));
    const answers = await Promise.all(browsers.map((browser, index) => submit(browser, base, pages[index]!, {})));
    expect(answers.map(({ page }) => heading(page)).sort()).toEqual(["Choose a new password", "This link no longer works"]);
  });

  test("expires after half an hour, after another reset, and for an account that was closed or has another address", async () => {
    const { realm, ada } = await situation();
    await forgot(realm, ada.username);
    const first = await mail.latestTo(ada.email);
    const { db } = iam.core;
    const [token] = await db.selectFrom("action_tokens").select(["created_at", "expires_at"]).where("user_id", "=", ada.userId).execute();
    expect(token!.expires_at - token!.created_at).toBe(30 * MINUTE);
    await db.updateTable("action_tokens").set({ expires_at: clock.now() }).where("user_id", "=", ada.userId).execute();
    expect((await iam.browser().get(pathOf(first.link))).status).toBe(410);
    const again = await forgot(realm, ada.username);
    const second = await mail.latestTo(ada.email, 2);
    const choose = await submit(again.browser, base, again.page, { code: second.code });
    await submit(again.browser, base, choose.page, fresh);
    expect((await iam.browser().get(pathOf(first.link))).status).toBe(410);

    await forgot(realm, ada.username);
    const { link } = await mail.latestTo(ada.email, 3);
    const browser = iam.browser();
    const opened = await browser.get(pathOf(link));
    await realm.asMaster().patch(`/users/${ada.userId}`, { enabled: false });
    expect((await submit(browser, base, opened, {})).page.status).toBe(410);
  });

  test("does not work in another realm or as another kind", async () => {
    const { realm, ada } = await situation();
    const other = await iam.realm();
    await forgot(realm, ada.username);
    const token = pathOf((await mail.latestTo(ada.email)).link)
      .split("/")
      .at(-1)!;
    for (const path of [`${other.name}/reset-password`, `${realm.name}/verify-email`, `${realm.name}/register/confirm`])
      expect((await iam.browser().get(`/realms/${path}/${token}`)).status, path).toBe(410);
  });
});

test("the pages reveal neither whether there is an account nor whether it gets mail", async () => {
  const { realm, ada } = await situation();
  const bob = await realm.user("bob"); // no address
  const closed = await realm.user("closed");
  await realm.asMaster().patch(`/users/${closed.userId}`, { email: "closed@example.com", enabled: false });
  const pages = [];
  for (const name of [ada.username, ada.email, bob.username, "closed@example.com", "nobody-at-all"]) {
    const { page } = await forgot(realm, name);
    expect(page.status).toBe(200);
    pages.push(masked(page.text, name));
  }
  expect(new Set(pages).size).toBe(1);
  await mail.latestTo(ada.email, 2);
  expect(mail.subjectsTo("closed@example.com")).toEqual([]);
  // A malformed code does not reveal it either.
  const { browser, page } = await forgot(realm, "nobody-at-all");
  expect((await submit(browser, base, page, { code: "123456" })).page.status).toBe(401);
});

test("the same work is done for an account, a full mailbox, an account without mail and a name that nobody has", async () => {
  const { realm, ada } = await situation();
  const bob = await realm.user("bob"); // no address
  const closed = await realm.user("closed");
  await realm.asMaster().patch(`/users/${closed.userId}`, { email: "closed2@example.com", enabled: false });
  const workFor = async (name: string) => {
    const browser = iam.browser();
    const { page } = await walk(browser, base, `/realms/${realm.name}/reset-password`);
    const sent = await statementsDuring(iam.core.db, () => submit(browser, base, page, { username: name }));
    // Only this differs between a mail that is rolled back and one that is kept.
    return sent.map((each) => each.replace(/^rollback to|^release/, "end of"));
  };
  const known = await workFor(ada.username);
  expect(known.filter((each) => /insert into "(jobs|action_tokens)"/.test(each))).toHaveLength(2);
  for (const name of [bob.username, closed.username, "nobody-at-all"]) expect(await workFor(name), name).toEqual(known);
  for (let n = 1; n < 5; n++) await forgot(realm, ada.username);
  const full = await workFor(ada.username);
  expect(full.filter((each) => each.includes('insert into "action_tokens"'))).toHaveLength(1);
});

test("many requests send a few mails and get the same pages", async () => {
  const { realm, ada } = await situation();
  for (let n = 0; n < 8; n++) expect(heading((await forgot(realm, ada.username)).page)).toBe("Check your email");
  await mail.latestTo(ada.email, 5);
  expect(mail.subjectsTo(ada.email)).toHaveLength(5);
});

test("a realm can disable it, and says so when it cannot send mail", async () => {
  const realm = await iam.realm();
  const noMail = await iam.browser().get(`/realms/${realm.name}/reset-password`);
  expect([noMail.status, heading(noMail)]).toEqual([403, "We can’t send email right now"]);
  // A link that cannot work is not shown. With a provider it is shown at once.
  const hasLink = async () => (await iam.browser().get(`/realms/${realm.name}/login`)).text.includes("/reset-password");
  expect(await hasLink()).toBe(false);
  await mail.enable(realm);
  expect(await hasLink()).toBe(true);
  await realm.asMaster().put("/settings", { passwordReset: { enabled: false } });
  const off = await iam.browser().get(`/realms/${realm.name}/reset-password`);
  expect([off.status, heading(off)]).toEqual([403, "You can’t reset your password here"]);
  expect((await iam.browser().get(`/realms/${realm.name}/login`)).text).not.toContain("reset-password");
});

test("continues only to a path of this server, and only to a sign-in of this browser", async () => {
  const { realm, ada } = await situation();
  await realm.asMaster().put("/settings", { messaging: { maxPerRecipient: 100 } });
  let mails = 0;
  for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    const browser = iam.browser();
    const start = await walk(browser, base, `/realms/${realm.name}/reset-password?${new URLSearchParams({ return_to: target })}`);
    const waiting = await submit(browser, base, start.page, { username: ada.username });
    const { code } = await mail.latestTo(ada.email, ++mails);
    const choose = await submit(browser, base, waiting.page, { code });
    const done = await submit(browser, base, choose.page, { newPassword: `${NEW} ${target}`, newPasswordAgain: `${NEW} ${target}` });
    expect([done.left, signedIn(realm, browser)], target).toEqual([null, true]);
  }
  const other = iam.browser();
  const party = await relyingParty(iam, realm);
  const login = await walk(other, base, party.url());
  const stolen = /interaction=([0-9a-f-]{36})/.exec(login.page.text)![1]!;
  expect((await iam.browser().get(`/realms/${realm.name}/reset-password?interaction=${stolen}`)).status).toBe(400);
});

describe("changing the password", () => {
  const change = (realm: RealmUnderTest) => `/realms/${realm.name}/account-password`;

  test("asks a recent session for the new one only, and keeps it", async () => {
    const { realm, ada } = await situation();
    const [browser, elsewhere] = [iam.browser(), iam.browser()];
    await browser.signIn(realm.name, ada.username, ada.password);
    await elsewhere.signIn(realm.name, ada.username, ada.password);
    const { page } = await walk(browser, base, "/.well-known/change-password");
    expect(heading(page)).toBe("Choose a new password");
    const done = await submit(browser, base, page, fresh);
    expect(heading(done.page)).toBe("Your password is changed");
    expect([await isAlive(realm, browser), await isAlive(realm, elsewhere)]).toEqual([true, false]);
    expect((await realm.events(`resourceId=${ada.userId}`)).map(({ type }) => type)).toContain("PASSWORD_CHANGED");
  });

  test("asks other visitors to sign in first", async () => {
    const { realm, ada } = await situation();
    const browser = iam.browser();
    await browser.signIn(realm.name, ada.username, ada.password);
    clock.advance(10 * MINUTE);
    const { page } = await walk(browser, base, change(realm));
    expect([heading(page), page.text.includes(`value="${ada.username}"`)]).toEqual(["Confirm that it’s you", true]);
    const choose = await submit(browser, base, page, { username: ada.username, password: ada.password });
    expect(heading(choose.page)).toBe("Choose a new password");
    const anonymous = await walk(iam.browser(), base, change(realm));
    expect(heading(anonymous.page)).toContain("Sign in");
  });

  test("the well-known address leads to the realm that is meant", async () => {
    const realm = await iam.realm();
    const to = async (browser: Browser, query = "") => (await browser.get(`/.well-known/change-password${query}`)).headers.location;
    expect(await to(iam.browser())).toBe("/realms/master/account-password");
    expect(await to(iam.browser(), `?realm=${realm.name}`)).toBe(change(realm));
    for (const evil of ["//evil.example", "../..", "a/b", "x?y", "%2e%2e"])
      expect(await to(iam.browser(), `?${new URLSearchParams({ realm: evil })}`)).toBe("/realms/master/account-password");
  });
});
