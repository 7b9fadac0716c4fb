import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const json = { headers: { accept: "application/json" } };
const asPage = { headers: { accept: "text/html" } };
const codeOn = (page: Answer) => /gh-number">(\d{4})</.exec(page.text)?.[1] ?? "";

/** Creates a realm whose sign-in offers the QR code next to the password. */
async function withQr(config: Record<string, unknown> = {}) {
  const realm = await iam.realm();
  const { body: flow } = await realm.asMaster().get("/flows/browser");
  const steps = flow.steps.map((step: { authenticator?: string }) =>
    step.authenticator === "qr" ? { ...step, requirement: "ALTERNATIVE", config } : step,
  );
  const saved = await realm.asMaster().put("/flows/browser", { ...flow, steps });
  expect(saved.status, saved.text).toBe(200);
  return { realm, user: await realm.user() };
}

const idIn = async (realm: RealmUnderTest) => {
  const rows = await iam.core.db
    .selectFrom("device_challenges")
    .select("challenge_id")
    .where("realm_id", "=", realm.name)
    .where("kind", "=", "qr")
    .orderBy("challenge_id", "desc")
    .execute();
  return rows[0]!.challenge_id;
};

/** Opens a browser that shows the QR code, with the address in it. */
async function showing(realm: RealmUnderTest) {
  const browser = iam.browser();
  const login = `/realms/${realm.name}/login`;
  const first = await browser.get(login);
  const form = [...first.text.matchAll(/<form class="gh-other".*?<\/form>/gs)].find(([text]) => text.includes("QR code"))![0];
  const hidden = Object.fromEntries([...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k!, v!]));
  const chosen = await browser.request("POST", login, { form: hidden, csrf: false });
  const at = String(chosen.headers.location);
  const page = await browser.get(at);
  const url = `${login.replace("/login", "/qr")}/${await idIn(realm)}`;
  return { browser, at, page, url, code: codeOn(page) };
}

async function phoneOf(realm: RealmUnderTest, user: { username: string; password: string }): Promise<Browser> {
  const phone = iam.browser();
  await phone.signIn(realm.name, user.username, user.password);
  return phone;
}

const confirm = (phone: Browser, url: string, page: Answer) =>
  phone.request("POST", `${url}/confirm`, {
    ...asPage,
    form: { _csrf: /name="_csrf" value="([^"]+)"/.exec(page.text)![1]! },
    csrf: false,
  });

describe("a QR code", () => {
  test("lets the screen that shows it in, as the user who confirms it on a signed-in phone", async () => {
    const { realm, user } = await withQr();
    const { browser, at, page, url, code } = await showing(realm);
    expect(page.text).toMatch(/<svg class="gh-qr" role="img"/);
    expect([code.length, page.headers.refresh]).toEqual([4, `5; url=${at}`]);
    const phone = await phoneOf(realm, user);
    const requested = await phone.get(url, asPage);
    for (const words of [code, user.username, "203.0.113.", "Confirm only if you started this yourself"])
      expect(requested.text).toContain(words);
    expect((await phone.get(`${url}?lang=nl`, asPage)).text).toContain("Inloggen op het andere scherm?");
    expect((await phone.get(`${url}?lang=en`, asPage)).text).toContain(`href="${url}?lang=nl"`);
    expect((await browser.get(at)).status).toBe(200);
    const done = await confirm(phone, url, requested);
    expect([done.status, done.text.includes("Confirmed")]).toEqual([200, true]);
    expect((await browser.get(at)).status).toBe(303);
    const { body } = await browser.get(`/realms/${realm.name}/account/profile`);
    expect(body).toMatchObject({ userId: user.userId });
    // The phone had given a password and nothing more, so the screen has proven the same.
    const [session] = (await realm.asMaster().get(`/sessions?search=${user.userId}`)).body;
    const [row] = await iam.core.db
      .selectFrom("sessions")
      .select(["acr", "amr"])
      .where("realm_id", "=", realm.name)
      .where("session_id", "=", session.id)
      .execute();
    expect(row).toMatchObject({ acr: "1", amr: ["pwd"] });
  });

  test.each([
    ["with a second factor confirms is something that one has", ["pwd", "otp", "mfa"], "2", ["qr"]],
    ["signed in by a provider alone confirms proves the same once more", ["fed"], "1", ["fed"]],
  ])("that a phone %s", async (_, methods, acr, amr) => {
    const { realm, user } = await withQr();
    const { browser, at, url } = await showing(realm);
    const phone = await phoneOf(realm, user);
    await iam.core.db
      .updateTable("sessions")
      .set({ amr: JSON.stringify(methods), acr })
      .where("realm_id", "=", realm.name)
      .execute();
    expect((await confirm(phone, url, await phone.get(url, asPage))).status).toBe(200);
    expect((await browser.get(at)).status).toBe(303);
    const rows = await iam.core.db
      .selectFrom("sessions")
      .select(["acr", "amr"])
      .where("realm_id", "=", realm.name)
      .orderBy("session_id", "desc")
      .execute();
    expect(rows[0]).toMatchObject({ acr: "1", amr });
  });

  test("is confirmed once, also by two concurrent requests, and not afterwards", async () => {
    const { realm, user } = await withQr();
    const { browser, at, url } = await showing(realm);
    const [one, two] = [await phoneOf(realm, user), await phoneOf(realm, await realm.user())];
    const pages = await Promise.all([one, two].map((phone) => phone.get(url, asPage)));
    const answers = await Promise.all([confirm(one, url, pages[0]!), confirm(two, url, pages[1]!)]);
    const [won, lost] = answers[0]!.status === 200 ? [one, two] : [two, one];
    expect(answers.map(({ status }) => status).sort()[0]).toBe(200);
    expect(refusal(await lost.get(url, json))).toEqual([404, "devices.not_found"]);
    expect(refusal(await won.request("POST", `${url}/confirm`, json))).toEqual([409, "devices.answered"]);
    expect((await browser.get(at)).status).toBe(303);
    // The same page in another browser leads nowhere.
    expect((await iam.browser().get(at)).status).toBe(400);
  });

  test("lets nobody in whose confirmation was followed by a sign-out everywhere else, or by a new password", async () => {
    const { realm, user } = await withQr();
    const phone = await phoneOf(realm, user);
    const ends = [
      () => phone.delete(`/realms/${realm.name}/account/sessions`),
      () => realm.asMaster().put(`/users/${user.userId}/password`, { newPassword: "another long sentence" }),
    ];
    for (const end of ends) {
      const { browser, at, url } = await showing(realm);
      expect((await confirm(phone, url, await phone.get(url, asPage))).status).toBe(200);
      expect((await end()).status).toBe(204);
      expect((await browser.get(at)).status).toBe(200);
    }
  });

  test("expires after two minutes; another is shown on request, and the first does not count any more", async () => {
    const { realm, user } = await withQr();
    const { browser, at, page, url } = await showing(realm);
    const phone = await phoneOf(realm, user);
    const requested = await phone.get(url, asPage);
    clock.advance(2 * MINUTE + 1);
    expect((await browser.get(at)).text).toContain("This code has expired");
    expect((await confirm(phone, url, requested)).status).toBe(409);
    const hidden = Object.fromEntries(
      [.../<form class="gh-form".*?<\/form>/s.exec(page.text)![0].matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k!, v!]),
    );
    const again = await browser.request("POST", `/realms/${realm.name}/login`, { form: { ...hidden, resend: "true" }, csrf: false });
    expect(codeOn(again)).toMatch(/\d{4}/);
    const next = url.replace(/[^/]+$/, await idIn(realm));
    expect(next).not.toBe(url);
    expect((await confirm(phone, next, await phone.get(next, asPage))).status).toBe(200);
    expect((await browser.get(at)).status).toBe(303);
  });

  test("needs a fresh session: a user who signed in long ago signs in again, and returns", async () => {
    const { realm, user } = await withQr({ freshMinutes: 3 });
    const phone = await phoneOf(realm, user);
    clock.advance(3 * MINUTE + 1);
    const { url } = await showing(realm);
    expect(refusal(await phone.get(url, json))).toEqual([403, "devices.stale_session"]);
    expect(refusal(await phone.request("POST", `${url}/confirm`, json))).toEqual([403, "devices.stale_session"]);
    const requested = await phone.get(url, asPage);
    expect([requested.status, requested.headers.location]).toEqual([303, expect.stringMatching(/\/login\?interaction=/)]);
    const login = await phone.get(String(requested.headers.location));
    expect(login.text).toContain('name="password"');
    const hidden = Object.fromEntries(
      [.../<form class="gh-form".*?<\/form>/s.exec(login.text)![0].matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, k, v]) => [k!, v!],
      ),
    );
    const form = { ...hidden, username: user.username, password: user.password };
    const back = await phone.request("POST", `/realms/${realm.name}/login`, { form, csrf: false });
    expect([back.status, back.headers.location]).toEqual([303, url]);
    expect((await confirm(phone, url, await phone.get(url, asPage))).status).toBe(200);
  });

  test("is not confirmed without a session or a CSRF token, by an impersonator, in its own browser, or in another realm", async () => {
    const { realm, user } = await withQr();
    const other = await withQr();
    const { browser, at, url } = await showing(realm);
    const phone = await phoneOf(realm, user);
    expect(refusal(await iam.browser().get(url, json))).toEqual([401, "devices.no_session"]);
    expect((await iam.browser().get(url, asPage)).headers.location).toMatch(/\/login\?interaction=/);
    expect(refusal(await phone.request("POST", `${url}/confirm`, { ...json, csrf: false }))).toEqual([403, "devices.csrf"]);
    const foreign = await phoneOf(other.realm, other.user);
    expect(refusal(await foreign.get(url, json))).toEqual([401, "devices.no_session"]);
    expect(refusal(await foreign.get(url.replace(realm.name, other.realm.name), json))).toEqual([404, "devices.not_found"]);
    const admin = await realm.as("manage-users", "view-users");
    const { body } = await admin.post(`/users/${user.userId}/impersonate`);
    await admin.browser.get(body.url.replace(iam.config.baseUrl, ""));
    expect(refusal(await admin.browser.request("POST", `${url}/confirm`, json))).toEqual([403, "devices.impersonated"]);
    const before = new Map(browser.cookies);
    browser.cookies.set(`gh_${realm.name}`, phone.cookies.get(`gh_${realm.name}`)!);
    expect(refusal(await browser.get(url, json))).toEqual([403, "devices.same_browser"]);
    browser.cookies.clear();
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect((await browser.get(at)).status).toBe(200);
    for (const bad of ["x", "00000000-0000-7000-8000-000000000000"])
      expect((await phone.get(url.replace(/[^/]+$/, bad), json)).status).toBe(404);
  });
});
