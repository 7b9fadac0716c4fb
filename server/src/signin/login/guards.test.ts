import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { userWithPasskey } from "../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, formOf, isSignedIn, pastPassword, setBrowserFlow } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED", config: {} }) as const;
const keyOn = ({ text }: Answer) => /gh-key"[^>]*>([^<]+)</.exec(text)?.[1];
const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ["2"] } } });

async function withApp(realm: RealmUnderTest) {
  const user = await realm.user();
  return { ...user, code: await giveTotp(iam, realm.name, user.userId) };
}

describe("a factor that a flow demands", () => {
  test("is set up by a user who has none, and never by the password alone of a user who has another", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await userWithPasskey(iam, realm), await realm.user()];
    await setBrowserFlow(iam, realm, [step("username-password"), step("totp")]);
    expect(keyOn(await pastPassword(iam.browser(), realm.name, bob))).toMatch(/\w{4} \w{4}/);

    const thief = iam.browser();
    const page = await pastPassword(thief, realm.name, ada);
    expect([page.status, keyOn(page)], "the passkey that she has comes first").toEqual([200, undefined]);
    expect(page.text).toContain('data-passkey="get"');
    const { body } = await realm.asMaster().get(`/users/${ada.userId}/credentials`);
    expect(body.map(({ type }: { type: string }) => type).sort()).toEqual(["passkey", "password", "recovery-code"]);
  });

  test("opened in two tabs at once, both show the same, and neither an error", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    await setBrowserFlow(iam, realm, [step("username-password"), step("totp")]);
    const browser = iam.browser();
    const next = await browser.trySignIn(realm.name, user.username, user.password);
    const tabs = await Promise.all(
      [1, 2, 3].map(async () => {
        const opened = await followed(browser, next);
        return opened.status === 303 ? followed(browser, opened) : opened;
      }),
    );
    expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(tabs.map(keyOn)).size).toBe(1);
    expect(keyOn(tabs[0]!)).toBeDefined();
  });
});

describe("an existing session", () => {
  test("does not count for a step-up that began in it once the session has ended", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", {
      displayName: "Sign in",
      steps: [
        { authenticator: "cookie", requirement: "ALTERNATIVE" },
        { authenticator: "username-password", requirement: "ALTERNATIVE" },
      ],
    });
    const party = await relyingParty(iam, realm);
    const user = await userWithPasskey(iam, realm);
    const code = await giveTotp(iam, realm.name, user.userId);
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    const offered = await walk(browser, base, party.url({ claims: essential }));
    // The user chooses another way than the first. The sign-in keeps the choice and what the session had proven.
    const choose = /name="choose" value="([^"]+)"/.exec(offered.page.text)?.[1] ?? "";
    const page = await followed(browser, await answerPage(browser, realm.name, offered.page, { choose }));
    expect(page.text).toContain('name="code"');
    const [session] = (await realm.asMaster().get("/sessions")).body;
    expect((await realm.asMaster().delete(`/sessions/${session.id ?? session.sessionId}`)).status).toBe(204);

    const { interaction } = formOf(page);
    const later = await browser.get(`/realms/${realm.name}/login?interaction=${interaction}`);
    const form = { ...formOf(later), ...formOf(page), _csrf: formOf(later)._csrf ?? "", code: code() };
    const answered = await browser.request("POST", `/realms/${realm.name}/login`, { form, csrf: false });
    expect(isSignedIn(answered, realm.name)).toBe(false);
    expect([later.text.includes('name="password"'), later.text.includes('name="code"')]).toEqual([true, false]);
  });

  test("does not count while an administrator impersonates its user", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const admin = await realm.as("manage-users", "view-users");
    const user = await realm.user();
    const { body } = await admin.post(`/users/${user.userId}/impersonate`);
    expect((await admin.browser.get(String(body.url).replace(base, ""))).status).toBe(303);
    // An impersonator proves nothing for the user: neither a requested level nor a recent authentication.
    const { page, left } = await walk(admin.browser, base, party.url({ claims: essential }));
    expect(left).toBeNull();
    expect(page.text).toContain('name="password"');
  });
});

describe("the checkbox on the first page of two", () => {
  test("to stay signed in still counts after the second", async () => {
    const realm = await iam.realm();
    const user = await withApp(realm);
    for (const [more, remembered] of [
      [{ rememberMe: "true" }, true],
      [{}, false],
    ] as const) {
      const browser = iam.browser();
      const page = await followed(browser, await browser.trySignIn(realm.name, user.username, user.password, more));
      const done = await answerPage(browser, realm.name, page, { code: user.code() });
      expect(isSignedIn(done, realm.name)).toBe(true);
      const cookie = [done.headers["set-cookie"] ?? []].flat().find((line) => line.startsWith(`gh_${realm.name}=`));
      expect(/Max-Age=\d{5,}/i.test(String(cookie))).toBe(remembered);
      const { body } = await browser.get(`/realms/${realm.name}/account/sessions`);
      expect(body.map((each: { remembered: boolean }) => each.remembered)).toContain(remembered);
      clock.advance(60_000); // The code is used already, so the next step needs a later one.
    }
  });

  test.each([
    ["/realms/master/login?x=1", "there"],
    ["https://evil.example/", "home"],
    ["//evil.example/", "home"],
    ["/\\evil.example", "home"],
  ])("to go on to %s, leads %s after the second, whatever that one says", async (requested, led) => {
    const realm = await iam.realm();
    const user = await withApp(realm);
    const browser = iam.browser();
    const page = await followed(browser, await browser.trySignIn(realm.name, user.username, user.password, { return_to: requested }));
    const done = await answerPage(browser, realm.name, page, { code: user.code(), return_to: "https://evil.example/" });
    const home = `/realms/${realm.name}/account/`;
    expect([isSignedIn(done, realm.name), done.headers.location]).toEqual([true, led === "home" ? home : requested]);
    expect((await browser.get(`/realms/${realm.name}/login`)).text, "and from there on").toContain(`href="${home}"`);
  });
});
