import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
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

const PASSWORD = "a quiet and long sentence";
const passwords = { newPassword: PASSWORD, newPasswordAgain: PASSWORD };
let people = 0;
const newApplicant = () => {
  const name = `grace${people++}`;
  return { username: name, email: `${name}@example.com`, firstName: "Grace", lastName: "Hopper", ...passwords };
};
const heading = (page: Answer) => /<h1[^>]*>(?:<[^>]+>)*([^<]*)/.exec(page.text)?.[1];
const alertOf = (page: Answer) => /id="gh-error"[^>]*>([\s\S]*?)<\/div>/.exec(page.text)?.[1] ?? "";
const pathOf = (link: string) => new URL(link).pathname;
const signedIn = (realm: RealmUnderTest, browser: Browser) => browser.cookies.has(`gh_${realm.name}`);
const usersOf = async (realm: RealmUnderTest, search: string) => (await realm.asMaster().get(`/users?search=${search}`)).body;

async function open(registration: object = {}, more: object = {}) {
  const realm = await iam.realm();
  await mail.enable(realm);
  const saved = await realm.asMaster().put("/settings", { registration: { enabled: true, ...registration }, ...more });
  expect(saved.status, saved.text).toBe(200);
  return realm;
}

async function apply(realm: RealmUnderTest, form: Record<string, string>, browser: Browser = iam.browser()) {
  const { page } = await walk(browser, base, `/realms/${realm.name}/register`);
  return { browser, form: page, ...(await submit(browser, base, page, form)) };
}

describe("requested by an application (prompt=create)", () => {
  const discovered = async (realm: RealmUnderTest) =>
    (await iam.browser().get(`/realms/${realm.name}/.well-known/openid-configuration`)).body.prompt_values_supported;
  const subjectOf = (tokens: Answer) => JSON.parse(Buffer.from(tokens.body.id_token.split(".")[1], "base64url").toString()).sub;

  test("the page comes first, and the code is the new account's; the metadata announces it while registration is open", async () => {
    const realm = await open({ verifyEmail: false });
    expect(await discovered(realm)).toEqual(["none", "login", "consent", "select_account", "create"]);
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ prompt: "create", ui_locales: "nl" }));
    expect(heading(page)).toContain("Account aanmaken bij");
    const grace = newApplicant();
    const { left } = await submit(browser, base, page, grace);
    const [user] = await usersOf(realm, grace.username);
    expect(subjectOf(await party.exchange(left))).toBe(user.userId);

    // This run has a mail in between, and a session of another user.
    await realm.asMaster().put("/settings", { registration: { enabled: true, verifyEmail: true } });
    const second = newApplicant();
    const again = await walk(browser, base, party.url({ prompt: "create" }));
    const waiting = await submit(browser, base, again.page, second);
    const done = await submit(browser, base, waiting.page, { code: (await mail.latestTo(second.email)).code });
    const [other] = await usersOf(realm, second.username);
    expect(subjectOf(await party.exchange(done.left))).toBe(other.userId);
  });

  test("a user with an account signs in instead; a session is not enough where the client requires a fresh sign-in", async () => {
    const realm = await open();
    const party = await relyingParty(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    const instead = ({ text }: Answer) => /href="([^"]+)"[^>]*>I already have an account/.exec(text)![1]!.replaceAll("&amp;", "&");
    const first = await walk(browser, base, party.url({ prompt: "create" }));
    const login = await walk(browser, base, instead(first.page));
    const { left } = await submit(browser, base, login.page, user);
    expect(subjectOf(await party.exchange(left))).toBe(user.userId);
    for (const params of [{ prompt: "create login" }, { prompt: "create", max_age: "1" }] as Record<string, string>[]) {
      clock.advance(2 * SECOND);
      const requested = await walk(browser, base, party.url(params));
      const fresh = await walk(browser, base, instead(requested.page));
      expect([fresh.left, fresh.page.text.includes('name="password"')]).toEqual([null, true]);
    }
  });

  test("is no way round a closed registration: an error for the client, and nothing to fill in", async () => {
    const realm = await open();
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const { page } = await walk(browser, base, party.url({ prompt: "create" }));
    const applicant = newApplicant();
    const waiting = await apply(realm, applicant);
    const { code } = await mail.latestTo(applicant.email);
    await realm.asMaster().put("/settings", { registration: { enabled: false } });
    expect(await discovered(realm)).toEqual(["none", "login", "consent", "select_account"]);
    // Forms that were open already are refused too.
    const sent = await submit(browser, base, page, newApplicant());
    const confirmed = await submit(waiting.browser, base, waiting.page, { code });
    for (const { page: shown } of [sent, confirmed])
      expect([shown.status, heading(shown)]).toEqual([403, "You can’t create an account here"]);
    const { left } = await walk(browser, base, party.url({ prompt: "create" }));
    expect([left?.searchParams.get("error"), left?.searchParams.get("state")]).toEqual(["invalid_request", "st"]);
    expect((await realm.asMaster().get("/users?search=grace")).body).toEqual([]);
  });

  test("is refused without asking, and shown where no mail could be sent", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { registration: { enabled: true, verifyEmail: true } });
    const party = await relyingParty(iam, realm);
    const errorOf = async (prompt: string) => (await walk(iam.browser(), base, party.url({ prompt }))).left?.searchParams.get("error");
    expect(await errorOf("create")).toBe("temporarily_unavailable");
    expect(await errorOf("none create")).toBe("invalid_request");
  });
});

describe("with a mail to the address", () => {
  test("the code has five tries, also if the realm counts none", async () => {
    const realm = await open({}, { bruteForce: { enabled: false } });
    const grace = newApplicant();
    const { browser, page } = await apply(realm, grace);
    const { code } = await mail.latestTo(grace.email);
    const wrong = () => submit(browser, base, page, { code: code === "111111" ? "111112" : "111111" });
    for (let n = 0; n < 5; n++) expect(alertOf((await wrong()).page)).toContain("That code isn’t right");
    const late = await submit(browser, base, page, { code });
    expect([late.page.status, alertOf(late.page)]).toEqual([401, expect.stringContaining("This code no longer works")]);
    expect(await usersOf(realm, grace.username)).toEqual([]);
  });

  test("the code creates the account, verified and signed in; the sign-in page leads there", async () => {
    const realm = await open();
    const grace = newApplicant();
    const login = await iam.browser().get(`/realms/${realm.name}/login`);
    expect(login.text).toContain(`href="/realms/${realm.name}/register"`);
    const { browser, page } = await apply(realm, grace);
    expect([heading(page), page.text.includes(grace.email)]).toEqual(["Confirm your email address", true]);
    expect(await usersOf(realm, grace.username)).toEqual([]);
    const { code, link } = await mail.latestTo(grace.email);
    const wrong = await submit(browser, base, page, { code: code === "111111" ? "111112" : "111111" });
    expect([wrong.page.status, alertOf(wrong.page)]).toEqual([401, expect.stringContaining("That code isn’t right")]);
    const done = await submit(browser, base, page, { code });
    expect(signedIn(realm, browser), done.page.text).toBe(true);
    const [user] = await usersOf(realm, grace.username);
    expect(user).toMatchObject({ email: grace.email, emailVerified: true, attributes: { firstName: "Grace", lastName: "Hopper" } });
    expect((await realm.events(`actor=${user.userId}`)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["REGISTER", "LOGIN_SUCCESS"]),
    );
    expect((await iam.browser().get(pathOf(link))).status).toBe(410);
    await iam.browser().signIn(realm.name, grace.email, PASSWORD);
  });

  test("the link works in another browser, after its button, once; the password that was typed elsewhere does not count", async () => {
    const realm = await open();
    const grace = newApplicant();
    const { browser, page } = await apply(realm, grace);
    const { link, code } = await mail.latestTo(grace.email);
    const phone = iam.browser();
    const opened = await phone.get(pathOf(link));
    expect(opened.text).toContain(grace.username);
    expect((await phone.request("POST", pathOf(link), { form: {}, csrf: false })).status).toBe(403);
    expect(await usersOf(realm, grace.username)).toEqual([]);
    const asked = await submit(phone, base, opened, {});
    expect([heading(asked.page), signedIn(realm, phone)]).toEqual(["Choose a new password", false]);
    expect((await iam.browser().trySignIn(realm.name, grace.email, PASSWORD)).status, "whoever typed it").toBe(401);
    const own = "the password of the owner";
    await submit(phone, base, asked.page, { newPassword: own, newPasswordAgain: own });
    expect([signedIn(realm, phone), signedIn(realm, browser)]).toEqual([true, false]);
    await iam.browser().signIn(realm.name, grace.email, own);
    expect((await submit(phone, base, opened, {})).page.status).toBe(410);
    expect((await submit(browser, base, page, { code })).page.status).toBe(401);
    expect(await usersOf(realm, grace.username)).toHaveLength(1);
  });

  test("an address that has an account gets another mail, and the pages are the same", async () => {
    const realm = await open({ emailAsUsername: true });
    const [free, taken] = [newApplicant(), newApplicant()];
    const owner = await realm.user(`owner${people++}`);
    await realm.asMaster().patch(`/users/${owner.userId}`, { email: taken.email });
    const pages = [];
    for (const { username: _, ...form } of [free, { ...taken, email: taken.email.toUpperCase() }]) {
      const { page, browser } = await apply(realm, form);
      pages.push(page.text.replaceAll(/(value="|nonce="|data-wait="|from=|register\/)[^"]*/g, "$1").replaceAll(form.email, "ADDRESS"));
      expect((await submit(browser, base, page, { code: "123456" })).page.status).toBe(401);
    }
    expect(pages[0]).toBe(pages[1]);
    await mail.linksTo(taken.email);
    await mail.linksTo(free.email);
    expect(mail.subjectsTo(taken.email)).toEqual([expect.stringContaining("You already have an account at")]);
    expect(mail.subjectsTo(free.email)).toEqual([expect.stringContaining("Confirm your email address")]);
    expect(await usersOf(realm, taken.email)).toHaveLength(1);
  });

  test("a full mailbox and disabled mails show the same for both", async () => {
    const realm = await open({ emailAsUsername: true }, { messaging: { recipientMinutes: 1_440 } });
    const newOwner = async () => {
      const taken = newApplicant();
      const owner = await realm.user(`owner${people++}`);
      await realm.asMaster().patch(`/users/${owner.userId}`, { email: taken.email });
      return taken;
    };
    const shown = async ({ username: _, ...form }: ReturnType<typeof newApplicant>, times: number) => {
      const alerts = [];
      for (let n = 0; n < times; n++) {
        const { page, browser } = await apply(realm, form);
        clock.advance(31 * SECOND);
        const again = await submit(browser, base, page, { resend: "1" });
        alerts.push([alertOf(page), again.page.status, alertOf(again.page)]);
      }
      clock.reset();
      return alerts;
    };
    const ofFree = await shown(newApplicant(), 5);
    expect(new Set(ofFree.map(([alert]) => alert)).size, "in the end the mailbox is full").toBe(2);
    expect(await shown(await newOwner(), 5)).toEqual(ofFree);

    const turnOff = (templateKey: string) =>
      realm.asMaster().put("/messaging/templates", { templateKey, subject: "s", body: "{{link}}", enabled: false });
    expect((await turnOff("account-exists-email")).status).toBeLessThan(300);
    expect(await shown(await newOwner(), 5), "the mailbox of an owner who gets no mail is as full").toEqual(ofFree);
    expect((await turnOff("verify-email")).status).toBeLessThan(300);
    const unavailable = await shown(newApplicant(), 1);
    expect(unavailable).not.toEqual(ofFree.slice(0, 1));
    expect(await shown(await newOwner(), 1)).toEqual(unavailable);
  });

  test("after a first mail that could not be sent, another one brings a code that works", async () => {
    const realm = await open({ emailAsUsername: true }, { messaging: { maxPerRecipient: 1 } });
    const grace = newApplicant();
    await apply(realm, grace);
    const { page, browser } = await apply(realm, grace);
    expect(alertOf(page)).not.toBe("");
    clock.advance(11 * MINUTE);
    const again = await submit(browser, base, page, { resend: "1" });
    expect([again.page.status, alertOf(again.page)]).toEqual([200, ""]);
    await submit(browser, base, again.page, { code: (await mail.latestTo(grace.email, 2)).code });
    expect(signedIn(realm, browser)).toBe(true);
  });

  test("the second of two who confirm one name gets an error", async () => {
    const realm = await open();
    const [first, second] = [newApplicant(), newApplicant()];
    const one = await apply(realm, first);
    const two = await apply(realm, { ...second, username: first.username });
    const codes = [await mail.latestTo(first.email), await mail.latestTo(second.email)];
    await submit(one.browser, base, one.page, { code: codes[0]!.code });
    const late = await submit(two.browser, base, two.page, { code: codes[1]!.code });
    expect([late.page.status, alertOf(late.page)]).toEqual([409, expect.stringContaining("already exists")]);
    expect([signedIn(realm, one.browser), signedIn(realm, two.browser)]).toEqual([true, false]);
  });

  test("guesses of the code are limited, and so are registrations", async () => {
    const realm = await open();
    await lockAfterFive(realm);
    const grace = newApplicant();
    const { browser, page } = await apply(realm, grace);
    const { code } = await mail.latestTo(grace.email);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      clock.advance(65 * SECOND);
      statuses.push((await submit(browser, base, page, { code: String((Number(code) + n + 1) % 1_000_000).padStart(6, "0") })).page.status);
    }
    expect(statuses).toEqual([...Array(5).fill(401), 429]);
    expect((await submit(browser, base, page, { code })).page.status).toBe(429);
    clock.reset();
    const bot = iam.browser();
    const form = (await walk(bot, base, `/realms/${realm.name}/register`)).page;
    const floods = await Promise.all(
      Array.from({ length: 25 }, () => submit(bot, base, form, { ...newApplicant(), newPasswordAgain: "" })),
    );
    expect(floods.filter(({ page: { status } }) => status === 429)).toHaveLength(5);
  });

  test("without a mail provider users cannot register", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/settings", { registration: { enabled: true } });
    const page = await iam.browser().get(`/realms/${realm.name}/register`);
    expect([page.status, heading(page)]).toEqual([403, "We can’t send email right now"]);
  });
});

describe("without one", () => {
  test("the account is created at once, with the steps of the realm, inside a code flow", async () => {
    const realm = await open({ verifyEmail: false, terms: true }, { terms: { text: "Be kind." } });
    const party = await relyingParty(iam, realm);
    const browser = iam.browser();
    const login = await walk(browser, base, party.url());
    const href = /href="([^"]*\/register[^"]*)"/.exec(login.page.text)![1]!.replaceAll("&amp;", "&");
    const form = await walk(browser, base, href);
    const grace = newApplicant();
    const terms = await submit(browser, base, form.page, grace);
    expect([heading(terms.page), signedIn(realm, browser)]).toEqual(["Terms of use", false]);
    const { left } = await submit(browser, base, terms.page, {});
    expect(`${left?.origin}${left?.pathname}`).toBe(CALLBACK);
    expect((await party.exchange(left)).status).toBe(200);
    const [user] = await usersOf(realm, grace.username);
    expect(user).toMatchObject({ emailVerified: false });
  });

  test("the realm's registration flow applies", async () => {
    const realm = await open({ verifyEmail: false }, { terms: { text: "Be kind." } });
    const flow = { alias: "registration", displayName: "Create an account", steps: [{ authenticator: "terms", requirement: "REQUIRED" }] };
    expect((await realm.asMaster().put("/flows/registration", flow)).status).toBe(200);
    const { browser, page } = await apply(realm, newApplicant());
    expect([heading(page), signedIn(realm, browser)]).toEqual(["Terms of use", false]);
    await submit(browser, base, page, {});
    expect(signedIn(realm, browser)).toBe(true);
  });

  test("one of two concurrent registrations under one name gets it", async () => {
    const realm = await open({ verifyEmail: false });
    const grace = newApplicant();
    const browsers = [iam.browser(), iam.browser()];
    const forms = await Promise.all(browsers.map((browser) => walk(browser, base, `/realms/${realm.name}/register`)));
    const answers = await Promise.all(
      browsers.map((browser, n) => submit(browser, base, forms[n]!.page, { ...grace, email: `${n}.${grace.email}` })),
    );
    expect(answers.filter(({ page }) => page.status === 409)).toHaveLength(1);
    expect(browsers.filter((browser) => signedIn(realm, browser))).toHaveLength(1);
    expect(await usersOf(realm, grace.username)).toHaveLength(1);
  });
});

test("refused fields are named, typed values stay, and nothing happens", async () => {
  const realm = await open({ verifyEmail: false, allowedEmailDomains: ["Example.com", "grossmann.example"] });
  const browser = iam.browser();
  const { page } = await walk(browser, base, `/realms/${realm.name}/register`);
  const grace = newApplicant();
  const answers: readonly (readonly [Record<string, string>, number, string])[] = [
    [{ username: "a\u202eb" }, 400, "This username doesn’t work"],
    [{ username: "" }, 400, "This username doesn’t work"],
    [{ email: "nobody" }, 400, "Check what you entered"],
    [{ email: `g@evil.example` }, 400, "can’t register"],
    [{ email: `g@example.com.evil.example` }, 400, "can’t register"],
    // IDNA makes grossmann.example of it, and mail programs großmann.example, which somebody else may have.
    [{ email: "g@groẞmann.example" }, 400, "Check what you entered"],
    [{ firstName: "\u200f\u202e" }, 400, "Check what you entered"],
    [{ newPasswordAgain: "another" }, 400, "don’t match"],
    [{ newPassword: "short", newPasswordAgain: "short" }, 400, "Choose another password"],
    [{ newPassword: "password123", newPasswordAgain: "password123" }, 400, "appeared in a data leak"],
    [{ username: "admin" }, 409, "already exists"],
    [{ username: "System" }, 409, "already exists"],
    [{ username: "master/admin" }, 409, "already exists"],
  ];
  for (const [form, status, words] of answers) {
    const answer = await submit(browser, base, page, { ...grace, ...form });
    expect([answer.page.status, alertOf(answer.page)], words).toEqual([status, expect.stringContaining(words)]);
    expect(answer.page.text).not.toContain(PASSWORD);
    if (form.email === undefined) expect(answer.page.text).toContain(`value="${grace.email}"`);
  }
  const html = await submit(browser, base, page, { ...grace, username: '"><script>alert(1)</script>', email: "x" });
  expect(html.page.text).not.toContain("<script>alert");
  const noToken = await browser.request("POST", `/realms/${realm.name}/register`, { form: grace, csrf: false });
  expect([noToken.status, alertOf(noToken)]).toEqual([403, expect.stringContaining("try once more")]);
  const huge = await submit(browser, base, page, { ...grace, firstName: "x".repeat(5000) });
  expect(huge.page.status).toBe(400);
  expect(await usersOf(realm, grace.username)).toEqual([]);
});

test("asks for the attributes that the user profile requires of people, and accepts none that they may not edit", async () => {
  const realm = await open({ verifyEmail: false });
  const both = { view: ["user", "admin"], edit: ["user", "admin"] };
  const options = [{ value: "red", displayName: { en: "Red team" } }, { value: "blue" }];
  await realm.asMaster().patch("/settings", {
    userProfile: {
      attributes: [
        { name: "team", ...both, required: ["user"], type: "choice", options, displayName: { en: "Your team" } },
        { name: "skills", ...both, registration: true, multivalued: true, maxLength: 5 },
        { name: "salary", view: ["user", "admin"] },
        { name: "later", ...both },
      ],
    },
  });
  const browser = iam.browser();
  const { page } = await walk(browser, base, `/realms/${realm.name}/register`);
  expect(page.text).toContain("Your team");
  expect(page.text).toContain("Red team");
  expect(page.text).not.toMatch(/attribute\.(salary|later)/);
  const { firstName: _, lastName: __, ...grace } = newApplicant();
  const missing = await submit(browser, base, page, { ...grace, "attribute.team": "" });
  expect([missing.page.status, alertOf(missing.page)]).toEqual([400, expect.stringContaining("Something is missing")]);
  expect(missing.page.text).toContain('id="attribute.team-error">Fill in: Your team.');
  const wrong = await submit(browser, base, page, { ...grace, "attribute.team": "red", "attribute.skills.0": "much too long" });
  expect(wrong.page.status).toBe(400);
  expect(wrong.page.text, "what was typed stays").toContain('value="much too long"');
  const others = { "attribute.salary": "9", "attribute.later": "x", "attribute.admin": "true" };
  await submit(browser, base, page, {
    ...grace,
    ...others,
    "attribute.team": "red",
    "attribute.skills.0": "c",
    "attribute.skills.1": "lisp",
  });
  const [user] = await usersOf(realm, grace.username);
  expect(user!.attributes, "names are optional").toEqual({ team: "red", skills: ["c", "lisp"] });
});

test("accepts an address in any script, and the visible characters of names", async () => {
  const realm = await open({ verifyEmail: false, allowedEmailDomains: ["xn--bcher-kva.example"] });
  const grace = { ...newApplicant(), email: "é@bücher.example", firstName: "Gr\u202eace" };
  const browser = iam.browser();
  await submit(browser, base, (await walk(browser, base, `/realms/${realm.name}/register`)).page, grace);
  expect(signedIn(realm, browser)).toBe(true);
  expect(await usersOf(realm, grace.username)).toMatchObject([{ email: grace.email, attributes: { firstName: "Grace" } }]);
});

test("continues only to a path of this server", async () => {
  const realm = await open({ verifyEmail: false });
  for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example"]) {
    const browser = iam.browser();
    const { page } = await walk(browser, base, `/realms/${realm.name}/register?${new URLSearchParams({ return_to: target })}`);
    const done = await submit(browser, base, page, newApplicant());
    expect([done.left, signedIn(realm, browser)], target).toEqual([null, true]);
  }
});

test("is closed unless the realm opens it", async () => {
  const realm = await iam.realm();
  const browser = iam.browser();
  const page = await browser.get(`/realms/${realm.name}/register`);
  expect([page.status, heading(page)]).toEqual([403, "You can’t create an account here"]);
  expect((await browser.get(`/realms/${realm.name}/login`)).text).not.toContain("/register");
  const form = { ...newApplicant(), _csrf: browser.cookies.get("XSRF-TOKEN") ?? "" };
  expect((await browser.request("POST", `/realms/${realm.name}/register`, { form, csrf: false })).status).toBe(403);
});
