import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { allowMessages, outbox } from "../../testing/outbox.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { answerPage, followed, isSignedIn, masked, setBrowserFlow } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // Messages wait in the outbox, and nothing is cleaned up by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const required = (authenticator: string) => ({ authenticator, requirement: "REQUIRED" as const, config: {} });

async function realmWithLinks() {
  const realm = await iam.realm();
  await allowMessages(realm);
  await setBrowserFlow(iam, realm, [required("username"), required("magic-link")]);
  const { body } = await realm.asMaster().post("/users", { username: "ada", email: "ada@example.com" });
  return { realm, userId: body.userId as string };
}
async function begin(browser: Browser, realm: RealmUnderTest, username = "ada") {
  const page = await browser.get(`/realms/${realm.name}/login?return_to=/console`);
  const requested = await answerPage(browser, realm.name, page, { username });
  return { at: String(requested.headers.location), page: await followed(browser, requested) };
}
const linksOf = async (realm: RealmUnderTest) =>
  (await outbox(iam, realm)).map(({ text }) => new URL(/https?:\/\/\S+/.exec(text)![0])).map(({ pathname, search }) => pathname + search);

/** Presses the button of the page that the link opened. */
async function confirm(browser: Browser, link: string, more: Record<string, string> = {}): Promise<Answer> {
  const { pathname, searchParams } = new URL(link, "http://localhost");
  const form = { ...Object.fromEntries(searchParams), _csrf: browser.cookies.get("XSRF-TOKEN") ?? "", ...more };
  return browser.request("POST", pathname, { form, csrf: false });
}
const GONE = "This link no longer works";
const ELSEWHERE = "Did you ask for this link?";
const codeIn = ({ text }: Answer) => /gh-number">(\d{6})</.exec(text)?.[1] ?? null;

describe("a link by mail", () => {
  test("is opened, confirmed by its button, and the page that waits goes on by itself", async () => {
    const { realm, userId } = await realmWithLinks();
    const browser = iam.browser();
    const { at, page } = await begin(browser, realm);
    expect([page.status, String(page.headers.refresh)]).toEqual([200, expect.stringMatching(/^4; ?url=\/realms\/.*interaction=/i)]);
    expect(page.text).toContain("If there’s an account");
    expect(page.text).not.toContain("example.com");
    const [link] = await linksOf(realm);

    // The link is not confirmed yet, so the page waits however often it polls.
    expect((await browser.get(at)).text).toContain("Check your email");
    expect((await answerPage(browser, realm.name, page, {})).text).toContain("You haven’t opened the link yet");
    const opened = await browser.get(link!);
    expect([opened.status, opened.headers["referrer-policy"]]).toEqual([200, "no-referrer"]);
    expect(opened.text).toMatch(/<form[^>]*method="post"[^>]*\/login\/link"/);
    // The page in another language has the same link.
    const french = /href="([^"]+lang=fr)"/.exec(opened.text)![1]!.replaceAll("&amp;", "&");
    expect((await browser.get(french)).text).toContain("Continuez seulement si vous venez de demander ce lien");
    await browser.get(`${link}&lang=en`);
    expect((await browser.get(at)).status).toBe(200);

    const confirmed = await confirm(browser, link!);
    expect([confirmed.status, isSignedIn(confirmed, realm.name)]).toEqual([200, false]);
    expect(confirmed.text).toContain("It’s you");
    const continued = await browser.get(at);
    expect([isSignedIn(continued, realm.name), continued.headers.location]).toEqual([true, "/console"]);
    expect((await realm.asMaster().get(`/users/${userId}`)).body.emailVerified).toBe(true);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect(session.amr).toEqual(["email"]);
    expect((await realm.events("category=AUTHN")).map(({ type }: { type: string }) => type)).toEqual(["LOGIN_SUCCESS"]);
    expect(iam.output.join("")).not.toContain(new URL(link!, "http://localhost").searchParams.get("token"));
  });

  test("a program that opens the links of a mail changes nothing, even at the same time", async () => {
    const { realm } = await realmWithLinks();
    const browser = iam.browser();
    const { at } = await begin(browser, realm);
    const [link] = await linksOf(realm);
    for (const method of ["GET", "HEAD", "GET"]) await iam.browser().request(method, link!);
    expect((await browser.get(at)).status).toBe(200);
    expect((await confirm(browser, link!)).status).toBe(200);
    expect(isSignedIn(await browser.get(at), realm.name)).toBe(true);
  });

  test("works once: neither again after it was confirmed, nor after the sign-in, nor twice at once", async () => {
    const { realm } = await realmWithLinks();
    const browser = iam.browser();
    const { at } = await begin(browser, realm);
    const [link] = await linksOf(realm);
    await browser.get(link!);
    const both = await Promise.all([confirm(browser, link!), confirm(browser, link!)]);
    expect(both.map(({ status }) => status).sort()).not.toEqual([200, 200]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const again = await browser.get(link!);
    expect([again.status, again.text.includes(GONE)]).toEqual([400, true]);
    expect(isSignedIn(await browser.get(at), realm.name)).toBe(true);
    const after = [await browser.get(link!), await confirm(browser, link!)];
    for (const answer of after) expect([answer.status, isSignedIn(answer, realm.name)]).toEqual([400, false]);
  });

  test("opened in another browser says who asked, and then shows a code to type where it was asked for", async () => {
    const { realm } = await realmWithLinks();
    const [browser, other] = [new Browser(iam.server.app, "192.0.2.77"), iam.browser()];
    const agent = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    const first = await browser.get(`/realms/${realm.name}/login?return_to=/console`);
    const requested = await browser.request("POST", `/realms/${realm.name}/login`, {
      ...{ headers: agent, csrf: false },
      form: {
        username: "ada",
        return_to: "/console",
        _csrf: browser.cookies.get("XSRF-TOKEN") ?? "",
        step: /name="step" value="([^"]+)"/.exec(first.text)![1]!,
      },
    });
    const at = String(requested.headers.location);
    await browser.get(at, { headers: agent });
    const [link] = await linksOf(realm);
    const opened = await other.get(link!);
    const words = opened.text.replaceAll(/<[^>]+>/g, " ");
    expect([opened.status, words.includes(ELSEWHERE), codeIn(opened)]).toEqual([200, true, null]);
    for (const fact of ["Firefox, Linux", "192.0.2.77"]) expect(words).toContain(fact);
    const waiting = await browser.get(at);
    expect([waiting.headers.refresh === undefined, waiting.text.includes('name="code"')], "looked at only").toEqual([false, false]);

    const offered = await confirm(other, link!);
    const code = codeIn(offered)!;
    expect([offered.status, isSignedIn(offered, realm.name)]).toEqual([200, false]);
    const asks = await browser.get(at);
    expect([asks.headers.refresh, asks.text.includes('name="code"')]).toEqual([undefined, true]);
    const wrong = await answerPage(browser, realm.name, asks, { code: code === "000000" ? "000001" : "000000" });
    expect([wrong.status, isSignedIn(wrong, realm.name)]).toEqual([401, false]);
    const done = await answerPage(browser, realm.name, asks, { code });
    expect([isSignedIn(done, realm.name), done.headers.location]).toEqual([true, "/console"]);
    for (const late of [await other.get(link!), await confirm(other, link!)]) expect([late.status, codeIn(late)]).toEqual([400, null]);
    expect(iam.output.join("")).not.toMatch(new RegExp(`\\b${code}\\b`));
  });

  test("its code is guessed five times at most, and no code works that was not shown", async () => {
    const { realm } = await realmWithLinks();
    const [browser, other] = [iam.browser(), iam.browser()];
    const { at, page } = await begin(browser, realm);
    const [link] = await linksOf(realm);
    await other.get(link!);
    const code = codeIn(await confirm(other, link!))!;
    const wrong = code === "000000" ? "000001" : "000000";
    const form = await browser.get(at);
    for (let tries = 0; tries < 5; tries++) expect((await answerPage(browser, realm.name, form, { code: wrong })).status).toBe(401);
    const late = await answerPage(browser, realm.name, form, { code });
    expect([late.status, isSignedIn(late, realm.name)]).toEqual([400, false]);
    // This requests a new link, whose code nobody has seen.
    clock.advance(31 * SECOND);
    await answerPage(browser, realm.name, form, { resend: "true" });
    expect(isSignedIn(await answerPage(browser, realm.name, page, { code }), realm.name)).toBe(false);
    expect((await browser.get(at)).text).not.toContain('name="code"');
    expect((await other.get(link!)).status, "the link before").toBe(400);
    const [, newest] = await linksOf(realm);
    const tampered = newest!.replace(/(?<=[?&]token=)./, (first) => (first === "A" ? "B" : "A"));
    expect(tampered).not.toBe(newest);
    expect((await other.get(tampered)).status).toBe(400);
    expect((await other.get(newest!)).status).toBe(200);
  });

  test("belongs to the requesting browser: another one is not signed in by it", async () => {
    const { realm } = await realmWithLinks();
    const [browser, other] = [iam.browser(), iam.browser()];
    const { at } = await begin(browser, realm);
    const [link] = await linksOf(realm);
    await other.get(`/realms/${realm.name}/login`);
    const forced = await confirm(other, link!);
    expect([forced.status, isSignedIn(forced, realm.name)]).toEqual([200, false]);
    expect((await browser.get(at)).status).toBe(200);
    // A sign-in of the other browser's own does not accept the link either.
    const own = await begin(other, realm);
    const interaction = new URL(own.at, "http://localhost").searchParams.get("interaction")!;
    expect((await confirm(other, link!, { interaction })).status).toBe(400);
    expect((await other.get(own.at)).status).toBe(200);
    expect((await confirm(browser, link!)).status).toBe(200);
  });

  test("belongs to its realm, needs the form of our page, and lasts ten minutes", async () => {
    const { realm } = await realmWithLinks();
    const elsewhere = await realmWithLinks();
    const browser = iam.browser();
    const { at } = await begin(browser, realm);
    const [link] = await linksOf(realm);
    const moved = link!.replace(realm.name, elsewhere.realm.name);
    expect([(await browser.get(moved)).status, (await confirm(browser, moved)).status]).toEqual([400, 403]);
    expect((await confirm(browser, link!, { _csrf: "" })).status).toBe(403);
    expect((await confirm(browser, link!, { token: "x".repeat(43) })).status).toBe(400);
    expect((await confirm(browser, link!, { step: "0" })).status).toBe(400);
    expect((await browser.get(at)).status).toBe(200);
    clock.advance(10 * MINUTE);
    expect([(await browser.get(link!)).status, (await confirm(browser, link!)).status]).toEqual([400, 400]);
    const other = iam.browser();
    const next = await begin(other, realm);
    clock.advance(9 * MINUTE);
    expect((await confirm(other, (await linksOf(realm)).at(-1)!)).status).toBe(200);
    // A confirmation that was not used expires with the link.
    clock.advance(MINUTE);
    expect((await other.get(next.at)).status).toBe(200);
  });

  test("confirms the address that it went to, and no other", async () => {
    const { realm, userId } = await realmWithLinks();
    const browser = iam.browser();
    const { at } = await begin(browser, realm);
    expect((await confirm(browser, (await linksOf(realm))[0]!)).status).toBe(200);
    const { body } = await realm.asMaster().get(`/users/${userId}`);
    await realm.asMaster().put(`/users/${userId}`, { ...body, email: "other@example.com" });
    const waits = await browser.get(at);
    expect([waits.status, isSignedIn(waits, realm.name)]).toEqual([200, false]);
    expect((await realm.asMaster().get(`/users/${userId}`)).body.emailVerified).toBe(false);
  });

  test("a newer one takes its place", async () => {
    const { realm } = await realmWithLinks();
    const browser = iam.browser();
    const { at, page } = await begin(browser, realm);
    expect((await answerPage(browser, realm.name, page, { resend: "true" })).status).toBe(400);
    clock.advance(31 * SECOND);
    const resent = await answerPage(browser, realm.name, page, { resend: "true" });
    expect([resent.status, String(resent.headers.refresh)]).toEqual([200, expect.stringContaining("interaction=")]);
    const [old, link] = await linksOf(realm);
    expect([(await browser.get(old!)).status, (await confirm(browser, old!)).status]).toEqual([400, 400]);
    expect((await confirm(browser, link!)).status).toBe(200);
    expect(isSignedIn(await browser.get(at), realm.name)).toBe(true);
  });

  test("no message is sent for an unknown name, and the page does not reveal it", async () => {
    const { realm } = await realmWithLinks();
    const seen: string[] = [];
    for (const name of ["ada", "nobody"]) {
      const browser = iam.browser();
      const { page } = await begin(browser, realm, name);
      seen.push(masked(page.text, name));
    }
    expect(seen[1]).toBe(seen[0]);
    expect(await linksOf(realm)).toHaveLength(1);
  });
});
