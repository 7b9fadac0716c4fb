import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { clock } from "../../kernel/clock.ts";
import { createPasswordHasher, type PasswordHasher } from "../../platform/passwords/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { type Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { masked } from "../../testing/step-pages.ts";

let iam: SharedHarness;
const others: Server[] = [];
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock and end the harness's own session.
  await iam.server.jobs.stop();
});
afterEach(() => {
  vi.useRealTimers();
  clock.reset();
});
afterAll(async () => {
  for (const other of others) await other.close();
  await iam?.close();
});

/** Starts another server on the same database, with some part of it replaced. */
async function serverWith(change: { hasher?: PasswordHasher; baseUrl?: string }) {
  const { baseUrl = iam.config.baseUrl, ...parts } = change;
  const server = await createApp({ ...iam.core, metrics: createMetrics(), ...parts, config: { ...iam.config, baseUrl } });
  others.push(server);
  await server.app.ready();
  return () => new Browser(server.app);
}

const setCookies = ({ headers }: Answer) => [headers["set-cookie"] ?? []].flat();
const cookieOf = (answer: Answer, name: string) => setCookies(answer).find((line) => line.startsWith(`${name}=`));

describe("signing in", () => {
  test("answers 303 with the session's cookie and a new CSRF token, and writes to the audit trail", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const browser = iam.browser();
    const answer = await browser.trySignIn(realm.name, username, password, { return_to: "/console?x=1#y" });
    expect([answer.status, answer.headers.location, answer.headers["cache-control"]]).toEqual([303, "/console?x=1#y", "no-store"]);
    expect(cookieOf(answer, `gh_${realm.name}`)).toMatch(/^gh_[a-z0-9]+=s\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookieOf(answer, "XSRF-TOKEN")).toMatch(/^XSRF-TOKEN=[\w-]{43}\.[\w-]+; Path=\/; SameSite=Lax$/);
    const [event] = await realm.events("type=LOGIN_SUCCESS");
    expect(event).toMatchObject({ actor: username, category: "AUTHN", outcome: "SUCCESS", realm: realm.name });
    expect(await realm.events(`type=LOGIN_SUCCESS&actor=${userId}`)).toHaveLength(1);
    expect(answer.text).not.toContain(password);
  });

  test("cookies are Secure where the base URL is https", async () => {
    const realm = await iam.realm();
    const browser = (await serverWith({ baseUrl: "https://id.example.org" }))();
    const answer = await browser.trySignIn(realm.name, "admin", realm.adminPassword);
    for (const name of [`__Host-gh_${realm.name}`, "XSRF-TOKEN"]) expect(cookieOf(answer, name)).toMatch(/; Secure/);
    expect(answer.headers["strict-transport-security"]).toMatch(/max-age/);
    const page = await (await serverWith({ baseUrl: "https://id.example.org" }))().get(`/realms/${realm.name}/login?lang=nl`);
    expect(setCookies(page).filter((line) => !line.includes("Secure"))).toEqual([]);
  });

  test("tells the user of an expired page what to do, without a request number, because there is nothing to look up", async () => {
    const realm = await iam.realm();
    const old = await iam.browser().get(`/realms/${realm.name}/login?interaction=018f0000-0000-7000-8000-000000000000`);
    expect([old.status, old.text.includes("This page was open for too long")]).toEqual([400, true]);
    expect(old.text).not.toContain("Request number");
    expect((await iam.browser().get(`/realms/${realm.name}/login?lang=de&lang=fr`)).status).toBe(400);
    expect((await iam.browser().get(`/realms/${realm.name}/login?lang=${"x".repeat(99)}`)).text).toContain("Request number");
  });

  test("finds the user by username or email address, in any letter case and Unicode form", async () => {
    const realm = await iam.realm();
    const { body } = await realm.asMaster().post("/users", { username: "Zoë", email: "Zoe@Example.org" });
    await realm.asMaster().put(`/users/${body.userId}/password`, { newPassword: "a password for tests" });
    for (const name of ["Zoë", "ZOË", "zoe\u0308", "ＺＯË", "zoe@example.ORG"])
      expect([name, (await iam.browser().trySignIn(realm.name, name, "a password for tests")).status]).toEqual([name, 303]);
    expect((await iam.browser().trySignIn(realm.name, "zoe", "a password for tests")).status).toBe(401);
  });

  test("only in the user's own realm", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const { username, password } = await one.user(`only-${one.name}`);
    expect((await iam.browser().trySignIn(two.name, username, password)).status).toBe(401);
    expect((await iam.browser().trySignIn("nowhere", username, password)).status).toBe(404);
  });
});

describe("users who may not sign in", () => {
  test("get the same answer for every reason, at the cost of one hash", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    let hashes = 0;
    const { hasher } = iam.core;
    const counted =
      <A extends unknown[], R>(work: (...args: A) => R) =>
      (...args: A) => {
        hashes++;
        return work(...args);
      };
    const open = await serverWith({
      hasher: { ...hasher, verify: counted(hasher.verify), verifyNothing: counted(hasher.verifyNothing), hash: counted(hasher.hash) },
    });
    const [known, disabled, locked] = [await realm.user(), await realm.user(), await realm.user()];
    const { body: bareUser } = await boss.post("/users", { username: "without-password" });
    const change = async (userId: string, members: object) =>
      expect((await boss.put(`/users/${userId}`, { ...(await boss.get(`/users/${userId}`)).body, ...members })).status).toBe(200);
    await change(disabled.userId, { enabled: false });
    await change(locked.userId, { locked: true });

    const answers: unknown[] = [];
    for (const [name, password] of [
      [known.username, "a wrong password"],
      ["nobody-at-all", "a wrong password"],
      [bareUser.username, "a wrong password"],
      [disabled.username, disabled.password],
      [disabled.username, "a wrong password"],
      [locked.username, locked.password],
    ] as const) {
      hashes = 0;
      const browser = open();
      const answer = await browser.trySignIn(realm.name, name, password);
      const { "x-request-id": _, date: __, "set-cookie": cookies, ...headers } = answer.headers;
      const { "content-security-policy": csp, "content-length": ___, ratelimit: ____, ...rest } = headers;
      answers.push([answer.status, masked(answer.text, name), String(csp).replace(/nonce-[^']+/g, "nonce"), rest, hashes, cookies]);
    }
    expect(answers[0]).toMatchObject([401, expect.stringContaining("NAME"), expect.any(String), expect.any(Object), 1, undefined]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    // Only administrators learn why.
    const failures = await realm.events("type=LOGIN_FAILURE");
    const reasons = new Map(failures.map(({ actor, detail }) => [actor, detail]));
    expect(reasons.get("nobody-at-all")).toBe("username-password: unknown name");
    expect(reasons.get(disabled.username)).toBe("username-password: the user is disabled");
    expect(reasons.get(locked.username)).toBe("username-password: the user is locked");
    expect(failures.map(({ detail, outcome }) => [detail, outcome])).toContainEqual(["username-password: wrong", "FAILURE"]);
  });

  test("a password set, or a user disabled, while the old one is being checked does not open a session", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const victim = await realm.user();
    const { hasher } = iam.core;
    let meanwhile: () => Promise<unknown> = async () => {};
    const open = await serverWith({
      hasher: {
        ...hasher,
        async verify(phc, password) {
          const right = await hasher.verify(phc, password);
          await meanwhile();
          return right;
        },
      },
    });
    meanwhile = () => boss.put(`/users/${victim.userId}/password`, { newPassword: "a new password" });
    expect((await open().trySignIn(realm.name, victim.username, victim.password)).status).toBe(401);

    meanwhile = async () => boss.put(`/users/${victim.userId}`, { ...(await boss.get(`/users/${victim.userId}`)).body, enabled: false });
    expect((await open().trySignIn(realm.name, victim.username, "a new password")).status).toBe(401);
    expect((await boss.get(`/sessions?search=${victim.userId}`)).body).toEqual([]);
  });
});

describe("the form", () => {
  const post = (browser: Browser, realm: RealmUnderTest, form: Record<string, string>) =>
    browser.request("POST", `/realms/${realm.name}/login`, { form, csrf: false });

  test("without a CSRF token that fits is a 403 with the page, whatever else it holds", async () => {
    const realm = await iam.realm();
    const [mine, other] = [iam.browser(), iam.browser()];
    await mine.get(`/realms/${realm.name}/login`);
    await other.get(`/realms/${realm.name}/login`);
    const right = { username: "admin", password: realm.adminPassword };
    const theirs = other.cookies.get("XSRF-TOKEN")!;
    for (const form of [right, { ...right, _csrf: "" }, { ...right, _csrf: theirs }, {}, { ...right, _csrf: "x".repeat(600) }]) {
      const answer = await post(mine, realm, form as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('name="_csrf"');
    }
    // The cookie and the field of another browser are equal, but were not issued for this one.
    mine.cookies.set("XSRF-TOKEN", theirs);
    expect((await post(mine, realm, { ...right, _csrf: theirs })).status).toBe(403);
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
    // The error page has a token with which the form works.
    expect((await post(mine, realm, { ...right, _csrf: mine.cookies.get("XSRF-TOKEN")! })).status).toBe(303);
  });

  test("is refused when it is malformed", async () => {
    const realm = await iam.realm();
    const browser = iam.browser();
    await browser.get(`/realms/${realm.name}/login`);
    const _csrf = browser.cookies.get("XSRF-TOKEN")!;
    const send = async (body: string, type = "application/x-www-form-urlencoded") =>
      (await browser.request("POST", `/realms/${realm.name}/login`, { body, headers: { "content-type": type } })).status;
    const form = (members: string) => `_csrf=${encodeURIComponent(_csrf)}&${members}`;

    expect(await send(form("username=a"))).toBe(400);
    expect(await send(form("username=a&password="))).toBe(401);
    expect(await send(form("username=a&username=b&password=x"))).toBe(400);
    expect(await send(form(`username=${"x".repeat(1025)}&password=x`))).toBe(400);
    expect(await send(form(`username=a&password=${"x".repeat(8193)}`))).toBe(400);
    expect(await send(form("username=a%00b&password=x"))).toBe(400);
    expect(await send(form("username=a&password=x%00"))).toBe(400);
    expect(await send(form("username=a&password=x&interaction=%00"))).toBe(400);
    expect(await send(form(`username=${"x".repeat(65_536)}&password=x`))).toBe(413);
    expect(await send(JSON.stringify({ username: "admin", password: realm.adminPassword, _csrf }), "application/json")).toBe(415);
    expect(await send("x", "text/plain")).toBe(415);
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
    // Bytes that are not UTF-8 become U+FFFD when they are read. They are a wrong password, not an error of the server.
    expect(await send(form("username=%ED%A0%80&password=%FF"))).toBe(401);
  });

  test("a password over the maximum length is wrong like any other", async () => {
    const realm = await iam.realm();
    expect((await iam.browser().trySignIn(realm.name, "admin", "x".repeat(2000))).status).toBe(401);
    expect((await iam.browser().trySignIn(realm.name, "admin", "\u{1F511}".repeat(2000))).status).toBe(401);
  });

  test("shows what was typed as text, never as markup", async () => {
    const realm = await iam.realm();
    const evil = `"><script>alert(1)</script>`;
    const answer = await iam.browser().trySignIn(realm.name, evil, "x", { return_to: evil });
    expect(answer.text).not.toContain("<script>alert");
    expect((await iam.browser().get(`/realms/${realm.name}/login?return_to=${encodeURIComponent(evil)}`)).text).not.toContain(
      "<script>alert",
    );
  });

  test("overload is a 503 with Retry-After, and does not count as an attempt", async () => {
    const realm = await iam.realm();
    const hasher = createPasswordHasher({ concurrency: 1, maxQueue: 0 });
    // One hash after the other keeps the only place busy.
    let isBusy = true;
    const busy = (async () => {
      while (isBusy) await hasher.verifyNothing("another user's password");
    })();
    const browser = (await serverWith({ hasher }))();
    await browser.get(`/realms/${realm.name}/login`);
    const form = () => ({ username: "admin", password: realm.adminPassword, _csrf: browser.cookies.get("XSRF-TOKEN")! });
    const signIn = () => browser.request("POST", `/realms/${realm.name}/login`, { form: form(), csrf: false });
    const pages = ["jwks", "login", "theme.css", ".well-known/openid-configuration"];
    const [answers, meanwhile] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, signIn)),
      Promise.all(pages.map((page) => browser.get(`/realms/${realm.name}/${page}`))),
    ]);
    isBusy = false;
    await busy;
    for (const { status, headers } of answers) expect([status, headers["retry-after"]]).toEqual([503, "2"]);
    // A sign-in without a password is not affected.
    expect(meanwhile.map(({ status }) => status)).toEqual(pages.map(() => 200));
    const counters = await iam.core.db.selectFrom("login_attempts").select("failures").where("realm_id", "=", realm.name).execute();
    expect(counters.filter(({ failures }) => failures > 0)).toEqual([]);
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
    expect((await signIn()).status).toBe(303);
  });

  test("an address that posts too often gets the page for it, with 429", async () => {
    const realm = await iam.realm();
    // The budget recovers with each second, so the test stops the clock.
    vi.useFakeTimers({ toFake: ["Date"] });
    const flood = new Browser(iam.server.app, "192.0.2.77");
    expect((await realm.asMaster().put("/settings", { rateLimits: { signIns: 50 } })).status).toBe(200);
    const post = () => flood.request("POST", `/realms/${realm.name}/login`);
    let last = await post();
    for (let posts = 1; posts < 90 && last.status !== 429; posts++) last = await post();
    const answer = await flood.trySignIn(realm.name, "admin", realm.adminPassword);
    expect(answer.status).toBe(429);
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect((await new Browser(iam.server.app, "192.0.2.78").trySignIn(realm.name, "admin", realm.adminPassword)).status).toBe(303);
  });
});
