import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { createJobWorker } from "../../platform/jobs/index.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMessageMetrics, MESSAGE_JOB, messageJob } from "../../tenancy/messaging/index.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { enrolledApp } from "../../testing/device.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { PEER_HOST } from "../../testing/message-driver-conformance.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import { fcmDriverPeer } from "../../testing/push-peers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

type User = Awaited<ReturnType<RealmUnderTest["user"]>>;
const refusal = ({ status, body }: Answer) => [status, body?.code];
const numberOn = (page: Answer) => /gh-number">(\d{2})</.exec(page.text)?.[1] ?? "";
const json = { headers: { accept: "application/json" } };
const asPage = { headers: { accept: "text/html" } };

/** Opens a browser that has given the password and waits for the phone. */
async function waiting(realm: RealmUnderTest, { username, password }: User) {
  const browser = iam.browser();
  const answer = await browser.trySignIn(realm.name, username, password);
  expect([answer.status, browser.cookies.has(`gh_${realm.name}`)]).toEqual([303, false]);
  const at = String(answer.headers.location);
  const page = await browser.get(at);
  return { browser, at, page, number: numberOn(page) };
}

const openFor = async (app: { call(method: "GET", path: string): Promise<Answer> }) => (await app.call("GET", "/push")).body;
const send = (browser: Browser, at: string, page: Answer, more: Record<string, string> = {}) => {
  const hidden = Object.fromEntries([...page.text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k!, v!]));
  const { restart: _, choose: __, ...form } = hidden;
  return browser.request("POST", at, { form: { ...form, ...more }, csrf: false });
};
const isSignedIn = (browser: Browser, realm: RealmUnderTest) => browser.cookies.has(`gh_${realm.name}`);

/** Opens a phone whose browser was signed in before there was a second factor. */
async function withPhone() {
  const realm = await iam.realm();
  const user = await realm.user();
  const phone = iam.browser();
  await phone.signIn(realm.name, user.username, user.password);
  clock.advance(10);
  const app = await enrolledApp(iam, realm, user.userId);
  return { realm, user, phone, app };
}

describe("a sign-in that the phone approves", () => {
  test("by the app's signature continues by itself, once", async () => {
    const { realm, user, app } = await withPhone();
    const { browser, at, page, number } = await waiting(realm, user);
    expect(page.text).toContain("Look at your phone");
    expect(page.headers.refresh).toBe(`5; url=${at}`);
    const [asked] = await openFor(app);
    expect(asked).toMatchObject({ status: "PENDING", clientId: null, sourceIp: expect.stringMatching(/^203\./) });
    // The number is typed and not picked, so nothing that the phone gets contains it.
    expect(asked).not.toHaveProperty("choices");
    expect(Object.values(asked)).not.toContain(number);
    // Nothing is approved yet.
    expect((await browser.get(at)).status).toBe(200);
    const approved = await app.call("POST", `/push/${asked.id}/approve`, { number });
    expect([approved.status, approved.body]).toEqual([200, { status: "APPROVED" }]);
    expect(isSignedIn(browser, realm)).toBe(false);
    expect((await browser.get(at)).status).toBe(303);
    expect(isSignedIn(browser, realm)).toBe(true);
    expect((await realm.events("type=MFA_SUCCESS"))[0]).toMatchObject({ actor: user.username, detail: "push" });
    const [session] = await iam.core.db
      .selectFrom("sessions")
      .select(["acr", "amr"])
      .where("realm_id", "=", realm.name)
      .orderBy("created_at", "desc")
      .execute();
    expect(session).toMatchObject({ acr: "2", amr: ["pwd", "push", "mfa"] });
    expect(refusal(await app.call("POST", `/push/${asked.id}/approve`, { number }))).toEqual([409, "devices.answered"]);
    expect(refusal(await app.call("POST", `/push/${asked.id}/deny`))).toEqual([409, "devices.answered"]);
    expect((await app.call("GET", `/push/${asked.id}`)).body).toMatchObject({ status: "APPROVED" });
  });

  test("on its page, where the number is typed, inside a code flow that it names", async () => {
    const { realm, user, phone } = await withPhone();
    const party = await relyingParty(iam, realm, { name: "Web shop" });
    const browser = iam.browser();
    const { baseUrl } = iam.config;
    const first = await walk(browser, baseUrl, party.url());
    const { page } = await submit(browser, baseUrl, first.page, { username: user.username, password: user.password });
    const number = numberOn(page);
    const asked = await phone.get(`/realms/${realm.name}/push`, asPage);
    const shown = await phone.get(String(asked.headers.location), asPage);
    for (const words of ["Are you signing in?", "Web shop", "203.0.113.", user.username]) expect(shown.text).toContain(words);
    expect(shown.text).toMatch(/<input[^>]*name="number"/);
    expect(shown.text).not.toMatch(new RegExp(`(>|value=")${number}[<"]`));
    const action = /action="([^"]+\/approve)"/.exec(shown.text)![1]!;
    const done = await send(phone, action, shown, { number });
    expect([done.status, /Approved/.test(done.text)]).toEqual([200, true]);
    // The button continues without waiting.
    const { left } = await submit(browser, baseUrl, page, {});
    expect((await party.exchange(left)).status).toBe(200);
  });

  test("in the language that is chosen on its page, which stays chosen", async () => {
    const { realm, user, phone, app } = await withPhone();
    const { number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const path = `/realms/${realm.name}/push/${asked.id}`;
    const shown = await phone.get(path, asPage);
    expect(shown.text).toContain(`href="${path}?lang=de"`);
    const german = await phone.get(`${path}?lang=de`, asPage);
    expect(german.text).toContain("Melden Sie sich gerade an?");
    const done = await send(phone, `${path}/approve`, german, { number });
    expect(done.text).toContain("Bestätigt");
    expect((await phone.get(`${path}?lang=de&lang=fr`, asPage)).status).toBe(400);
  });

  test("is denied: the page and the audit trail say so, and the phone is not asked for a while", async () => {
    const { realm, user, phone, app } = await withPhone();
    const { browser, at } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const shown = await phone.get(`/realms/${realm.name}/push/${asked.id}`, asPage);
    const denied = await send(phone, /action="([^"]+\/deny)"/.exec(shown.text)![1]!, shown);
    expect([denied.status, /The sign-in was stopped/.test(denied.text)]).toEqual([200, true]);
    expect(await realm.events("type=PUSH_DENIED")).toMatchObject([
      { category: "SECURITY", actor: user.username, resourceId: user.userId, detail: expect.stringContaining("203.0.113.") },
    ]);
    const page = await browser.get(at);
    expect([page.text.includes("The sign-in was denied"), page.headers.refresh]).toEqual([true, undefined]);
    const again = await send(browser, `/realms/${realm.name}/login`, page, { resend: "true" });
    expect(again.text).toContain("We’ve stopped asking your phone for now");
    expect([await openFor(app), isSignedIn(browser, realm)]).toEqual([[], false]);
    expect((await waiting(realm, user)).page.text).toContain("We’ve stopped asking your phone for now");
    clock.advance(10 * MINUTE + 1);
    expect(numberOn(await send(browser, `/realms/${realm.name}/login`, page, { resend: "true" }))).toMatch(/\d\d/);
  });

  test("may be answered with a wrong number twice; the third ends it", async () => {
    const { realm, user, app } = await withPhone();
    const { browser, at, number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const guess = (n: number) => app.call("POST", `/push/${asked.id}/approve`, { number: String(((Number(number) - 10 + n) % 90) + 10) });
    for (const wrong of [1, 2]) {
      expect(refusal(await guess(wrong))).toEqual([403, "devices.wrong_number"]);
      expect((await app.call("GET", `/push/${asked.id}`)).body.status).toBe("PENDING");
    }
    expect(refusal(await guess(3))).toEqual([403, "devices.wrong_numbers"]);
    expect(refusal(await app.call("POST", `/push/${asked.id}/approve`, { number }))).toEqual([409, "devices.answered"]);
    expect((await browser.get(at)).text).toContain("That was the wrong number");
    expect(isSignedIn(browser, realm)).toBe(false);
    const failure = { actor: user.username, outcome: "FAILURE" };
    expect(await realm.events("type=MFA_FAILURE")).toMatchObject([failure, failure, failure]);
  });

  test("is still approved by the right number after a wrong one, which its page shows", async () => {
    const { realm, user, phone, app } = await withPhone();
    const { browser, at, number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const path = `/realms/${realm.name}/push/${asked.id}`;
    const shown = await phone.get(path, asPage);
    const wrong = await send(phone, `${path}/approve`, shown, { number: number === "10" ? "11" : "10" });
    expect([wrong.status, wrong.text.includes("That was the wrong number"), wrong.text.includes('name="number"')]).toEqual([
      403,
      true,
      true,
    ]);
    expect((await send(phone, `${path}/approve`, wrong, { number: ` ${number} ` })).status).toBe(200);
    expect((await browser.get(at)).status).toBe(303);
  });

  test("cannot be guessed by many guesses at once", async () => {
    const { realm, user, app } = await withPhone();
    const { browser, number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const wrong = Array.from({ length: 8 }, (_, n) => String(((Number(number) - 10 + n + 1) % 90) + 10));
    const answers = await Promise.all(wrong.map((guess) => app.call("POST", `/push/${asked.id}/approve`, { number: guess })));
    expect(answers.map((answer) => refusal(answer)[1]).sort()).toEqual([
      ...Array(5).fill("devices.answered"),
      ...Array(2).fill("devices.wrong_number"),
      "devices.wrong_numbers",
    ]);
    expect(refusal(await app.call("POST", `/push/${asked.id}/approve`, { number }))).toEqual([409, "devices.answered"]);
    expect(isSignedIn(browser, realm)).toBe(false);
  });

  test("expires after two minutes, and an unused approval a minute later", async () => {
    const { realm, user, app } = await withPhone();
    const late = await waiting(realm, user);
    const [asked] = await openFor(app);
    clock.advance(2 * MINUTE + 1);
    expect(await openFor(app)).toEqual([]);
    expect(refusal(await app.call("POST", `/push/${asked.id}/approve`, { number: late.number }))).toEqual([409, "devices.answered"]);
    expect((await late.browser.get(late.at)).text).toContain("Your phone didn’t answer");
    const unused = await waiting(realm, user);
    const [next] = await openFor(app);
    expect((await app.call("POST", `/push/${next.id}/approve`, { number: unused.number })).status).toBe(200);
    clock.advance(3 * MINUTE + 1);
    expect((await unused.browser.get(unused.at)).status).toBe(200);
    expect(isSignedIn(unused.browser, realm)).toBe(false);
  });

  test("is not sent again and again: three unanswered, and no more than three at a time", async () => {
    const { realm, user, app } = await withPhone();
    const one = await waiting(realm, user);
    const many = await Promise.all([1, 2, 3].map(() => waiting(realm, user)));
    expect(await openFor(app)).toHaveLength(3);
    expect([one, ...many].filter(({ page }) => page.text.includes("We’ve stopped asking your phone for now"))).toHaveLength(1);
    clock.advance(2 * MINUTE + 1);
    expect((await waiting(realm, user)).page.text).toContain("We’ve stopped asking your phone for now");
    clock.advance(10 * MINUTE);
    expect((await waiting(realm, user)).number).toMatch(/\d\d/);
  });
});

describe("cannot be approved", () => {
  test("for another user, from another realm, or without a session", async () => {
    const { realm, user, app } = await withPhone();
    const eve = await realm.user();
    const hers = iam.browser();
    await hers.signIn(realm.name, eve.username, eve.password);
    const herApp = await enrolledApp(iam, realm, eve.userId);
    const other = await iam.realm();
    const foreign = await enrolledApp(iam, other, (await other.user()).userId);
    const { number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const at = `/realms/${realm.name}/push/${asked.id}`;
    for (const path of [at, `${at}/approve`, `${at}/deny`]) {
      const method = path === at ? "GET" : "POST";
      expect(refusal(await hers.request(method, path, { ...json, ...(method === "POST" && { body: { number } }) }))).toEqual([
        404,
        "devices.not_found",
      ]);
      expect(refusal(await iam.browser().request(method, path, json))).toEqual([401, "devices.no_session"]);
    }
    expect(refusal(await herApp.call("POST", `/push/${asked.id}/approve`, { number }))).toEqual([404, "devices.not_found"]);
    expect(refusal(await foreign.call("POST", `/push/${asked.id}/approve`, { number }))).toEqual([404, "devices.not_found"]);
    // A browser is redirected to the sign-in and back.
    expect((await iam.browser().get(at, asPage)).headers.location).toMatch(/\/login\?interaction=/);
    expect(await openFor(app)).toHaveLength(1);
  });

  test("with a proof that was replayed, is meant for another address, is old, or belongs to a removed device", async () => {
    const { realm, user, app } = await withPhone();
    const { number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    const at = `/push/${asked.id}/approve`;
    const sign = (header: Record<string, unknown>, claims: Record<string, unknown>) =>
      app.key.jws({ typ: "gatehouse-device+jwt", kid: app.deviceId, ...header }, { aud: `${issuer}${at}`, number, ...claims });
    const approve = (jws: string) =>
      iam.browser().request("POST", `/realms/${realm.name}${at}`, { headers: { authorization: `Device ${jws}` } });
    const bad = [401, "devices.bad_proof"];
    expect(refusal(await approve(sign({}, { aud: `${issuer}/push/${asked.id}/deny` })))).toEqual(bad);
    expect(refusal(await approve(sign({}, { iat: Math.floor(clock.now() / 1000) - 120 })))).toEqual(bad);
    expect(refusal(await approve(sign({ typ: "gatehouse-tx+jwt" }, {})))).toEqual(bad);
    expect(refusal(await approve(sign({ kid: user.userId }, {})))).toEqual(bad);
    expect(refusal(await approve(`${sign({}, {})}x`))).toEqual(bad);
    expect(refusal(await approve(""))).toEqual(bad);
    const good = sign({}, {});
    expect((await approve(good)).status).toBe(200);
    expect(refusal(await approve(good))).toEqual([409, "devices.answered"]);
    const next = await waiting(realm, user);
    const [second] = await openFor(app);
    // A signature for the first challenge does not count for the second.
    const replayed = await iam
      .browser()
      .request("POST", `/realms/${realm.name}/push/${second.id}/approve`, { headers: { authorization: `Device ${good}` } });
    expect(refusal(replayed)).toEqual(bad);
    await realm.asMaster().delete(`/users/${user.userId}/credentials/push/${app.deviceId}`);
    expect((await app.call("POST", `/push/${second.id}/approve`, { number: next.number })).status).toBe(401);
  });

  test("from the browser that waits, by a session of a password alone, as an impersonator, or without the CSRF token", async () => {
    const { realm, user, phone, app } = await withPhone();
    const { browser, number } = await waiting(realm, user);
    const [asked] = await openFor(app);
    const at = `/realms/${realm.name}/push/${asked.id}`;
    expect(refusal(await phone.request("POST", `${at}/approve`, { ...json, body: { number }, csrf: false }))).toEqual([
      403,
      "devices.csrf",
    ]);
    expect((await phone.request("POST", `${at}/approve`, { ...asPage, form: { number }, csrf: false })).status).toBe(403);
    // This is the same browser, with the phone's cookie put into it.
    const cookie = phone.cookies.get(`gh_${realm.name}`)!;
    browser.cookies.set(`gh_${realm.name}`, cookie);
    expect(refusal(await browser.get(at, json))).toEqual([403, "devices.same_browser"]);
    expect((await browser.get(at, asPage)).text).toContain("This browser is the one signing in");
    // This session was opened later by a password alone, in a flow that asks for nothing more.
    const authTime = clock.now() + 1_000;
    const proof = { flow: "browser", at: authTime };
    const passed = [
      { ...proof, authenticator: "username-password", factor: "knowledge", amr: ["pwd"] } as const,
      { ...proof, authenticator: "push", factor: "possession", amr: ["otp"] } as const,
    ];
    await iam.core.db
      .updateTable("sessions")
      .set({ auth_time: authTime })
      .where("realm_id", "=", realm.name)
      .where("user_id", "=", user.userId)
      .execute();
    expect(refusal(await phone.get(at, json))).toEqual([403, "devices.weak_session"]);
    await iam.core.db
      .updateTable("sessions")
      .set({ amr: JSON.stringify(["pwd", "otp", "mfa"]), proofs: JSON.stringify({ authTime, passed }) })
      .where("realm_id", "=", realm.name)
      .where("user_id", "=", user.userId)
      .execute();
    expect((await phone.get(at, json)).status).toBe(200);
    const admin = await realm.as("manage-users", "view-users");
    const { body } = await admin.post(`/users/${user.userId}/impersonate`);
    await admin.browser.get(body.url.replace(iam.config.baseUrl, ""));
    expect(refusal(await admin.browser.get(at, json))).toEqual([403, "devices.impersonated"]);
    expect(refusal(await admin.browser.request("POST", `${at}/approve`, { ...json, body: { number } }))).toEqual([
      403,
      "devices.impersonated",
    ]);
    expect(await openFor(app)).toHaveLength(1);
  });
});

test("the push message is sent with the challenge, names the address for the app, and never the number", async () => {
  const authority = await privateAuthority();
  const peer = await fcmDriverPeer({ authority, trap: "https://127.0.0.1:1/" });
  const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
  const outbound = createOutbound({ ca: authority.ca, resolve, allowedHosts: ["127.0.0.1", PEER_HOST], allowLoopbackHttp: false });
  const { db, vault, realms } = iam.core;
  const log = pino({ level: "silent" });
  const worker = createJobWorker(
    db,
    { [MESSAGE_JOB]: messageJob({ db, vault, outbound, realms, metrics: createMessageMetrics(new Registry()), mailbox: null, log }) },
    log,
  );
  try {
    const realm = await iam.realm();
    const user = await realm.user();
    const { config, secret } = peer.provider;
    expect((await realm.asMaster().put("/messaging/providers", { channel: "PUSH", driver: "fcm", config, secret })).status).toBe(201);
    const app = await enrolledApp(iam, realm, user.userId, { pushToken: { driver: "fcm", token: peer.to } });
    const { browser, at, number } = await waiting(realm, user);
    await worker.runDue();
    const { data } = peer.messages.at(-1)!;
    expect(peer.arrived.at(-1)).toMatchObject({ to: [peer.to], title: `Sign in to ${realm.name}?` });
    expect(data).toMatchObject({ type: "push-approval", url: `${iam.config.baseUrl}/realms/${realm.name}/push/${data.challenge}` });
    expect(Object.values(data)).not.toContain(number);
    expect((await app.call("POST", `/push/${data.challenge}/approve`, { number })).status).toBe(200);
    expect((await browser.get(at)).status).toBe(303);
  } finally {
    await outbound.close();
    await peer.listening.close();
  }
});
