import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { backFrom, fakeBroker, SITE } from "../../testing/fake-broker.tsx";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { leadsTo, relyingParty, walk } from "../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn, setBrowserFlow } from "../../testing/step-pages.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
const broker = fakeBroker();
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(async () => {
  broker.unplug();
  await iam?.close();
});

const step = (authenticator: string) => ({ authenticator, requirement: "REQUIRED", config: {} }) as const;

/** Creates a realm whose applications sign in at the broker, and then as its flow says. */
async function brokered(...after: string[]) {
  const realm = await iam.realm();
  const user = await realm.user();
  await setBrowserFlow(iam, realm, [step("fake-broker"), ...after.map(step)]);
  return { realm, user, party: await relyingParty(iam, realm) };
}

/** Goes from an application to the page of the step, and by its button to the broker. */
async function leave(realm: RealmUnderTest, url: string, browser = iam.browser()) {
  const { page } = await walk(browser, iam.config.baseUrl, url);
  const answer = await answerPage(browser, realm.name, page, {});
  // A redirect to another site never answers one of our forms.
  expect([answer.status, answer.headers.location, answer.headers["cache-control"]], answer.text).toEqual([200, undefined, "no-store"]);
  return { browser, page, left: new URL(leadsTo(answer)!) };
}
const cookieOf = (browser: Browser, realm: RealmUnderTest) => browser.cookies.has(`gh_${realm.name}`);
const statusAndPlace = ({ status, headers }: Answer) => [status, String(headers.location ?? "").split("?")[0]];

test("a step leaves for another site and signs in with what that sends back", async () => {
  const { realm, user, party } = await brokered();
  const { browser, page, left } = await leave(realm, party.url());
  expect(left.origin).toBe(SITE);
  expect(left.searchParams.get("redirect_uri")).toBe(`${iam.config.baseUrl}/realms/${realm.name}/login/continue`);
  expect(left.searchParams.get("state")!.length, "RelayState has room for 80").toBeLessThanOrEqual(80);
  expect(String(page.headers["content-security-policy"])).toContain("form-action 'self';");
  const stored = await iam.core.db.selectFrom("interactions").select("state").where("realm_id", "=", realm.name).executeTakeFirstOrThrow();
  expect(JSON.stringify(stored.state), "only its hash is stored").not.toContain(left.searchParams.get("state")!.split(".")[1]!);

  const back = await browser.get(broker.signIn(left, user.userId));
  expect(isSignedIn(back, realm.name), back.text).toBe(true);
  const { left: done } = await walk(browser, iam.config.baseUrl, back);
  const tokens = await party.exchange(done);
  expect(tokens.status, tokens.text).toBe(200);
  expect(await realm.events("type=LOGIN_SUCCESS")).toMatchObject([{ actor: user.username }]);
});

test("the return leads to the steps after it", async () => {
  const { realm, user, party } = await brokered("totp");
  const code = await giveTotp(iam, realm.name, user.userId);
  const { browser, left } = await leave(realm, party.url());
  const next = await browser.get(broker.signIn(left, user.userId));
  expect([next.status, cookieOf(browser, realm)]).toEqual([303, false]);
  const done = await answerPage(browser, realm.name, await followed(browser, next), { code: code() });
  expect(isSignedIn(done, realm.name), done.text).toBe(true);
});

test("it works once, whatever the result", async () => {
  const { realm, user, party } = await brokered("totp");
  await giveTotp(iam, realm.name, user.userId);
  const { browser, left } = await leave(realm, party.url());
  const wrong = await browser.get(backFrom(left, { code: "none" }));
  expect(wrong.status).toBe(401);
  expect(await realm.events("type=LOGIN_FAILURE")).toHaveLength(1);

  // The same `state` is used again, with a code that would be right. Nothing is checked.
  const late = broker.signIn(left, user.userId);
  const replay = await browser.get(late);
  expect(statusAndPlace(replay)).toEqual([303, `/realms/${realm.name}/login`]);
  expect((await followed(browser, replay)).text, "still at the first step").not.toContain('name="code"');

  const { left: anew } = await leave(realm, party.url(), browser);
  const path = broker.signIn(anew, user.userId);
  const both = await Promise.all([browser.get(path), browser.get(path)]);
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect((await realm.events("type=MFA_CHALLENGE")).length, "one of two at once counts").toBe(1);
});

test("it is bound to the browser, the sign-in, the step and the realm that left", async () => {
  const { realm, user, party } = await brokered();
  const elsewhere = await brokered();
  const { browser, left } = await leave(realm, party.url());
  const other = await leave(realm, party.url());
  const path = broker.signIn(left, user.userId);

  // Another browser has its own sign-in. The attacker's answer signs no user in there.
  expect((await other.browser.get(path)).status).toBe(400);
  expect((await iam.browser().get(path)).status).toBe(400);
  expect((await browser.get(path.replace(realm.name, elsewhere.realm.name))).status).toBe(400);
  const [id, token] = left.searchParams.get("state")!.split(".");
  const [otherId, otherToken] = other.left.searchParams.get("state")!.split(".");
  for (const [state, status] of [
    [`${id}.${otherToken}`, 303],
    [`${otherId}.${token}`, 400],
    [`${newId()}.${token}`, 400],
    [`${id}.`, 400],
    ["", 400],
    ["x".repeat(129), 400],
  ] as const) {
    const answer = await browser.get(`${path.split("?")[0]}?${new URLSearchParams({ state, code: "any" })}`);
    expect(answer.status, `${state}: ${answer.text}`).toBe(status);
  }
  expect([browser, other.browser].map((each) => cookieOf(each, realm))).toEqual([false, false]);
  expect(await realm.events("type=LOGIN_FAILURE"), "none of it was an answer").toEqual([]);

  // Nothing of it was used up.
  expect(isSignedIn(await browser.get(path), realm.name)).toBe(true);
});

test("a sign-in that was restarted or has ended accepts no answer", async () => {
  const { realm, user, party } = await brokered();
  const { browser, page, left } = await leave(realm, party.url());
  await answerPage(browser, realm.name, page, { restart: "1" });
  const stale = await browser.get(broker.signIn(left, user.userId));
  expect([statusAndPlace(stale), cookieOf(browser, realm)]).toEqual([[303, `/realms/${realm.name}/login`], false]);

  const late = await leave(realm, party.url());
  clock.advance(31 * MINUTE);
  expect((await late.browser.get(broker.signIn(late.left, user.userId))).status).toBe(400);
});

test("if the user declines there, the application gets an error", async () => {
  const { realm, party } = await brokered();
  const { browser, left } = await leave(realm, party.url());
  const { left: refused } = await walk(browser, iam.config.baseUrl, await browser.get(backFrom(left, { error: "access_denied" })));
  expect(refused?.searchParams.get("error")).toBe("access_denied");
});

test("a user who may not sign in is refused also after another site", async () => {
  const { realm, user, party } = await brokered();
  const { body } = await realm.asMaster().get(`/users/${user.userId}`);
  expect((await realm.asMaster().put(`/users/${user.userId}`, { ...body, enabled: false })).status).toBe(200);
  const { browser, left } = await leave(realm, party.url());
  const back = await browser.get(broker.signIn(left, user.userId));
  expect([back.status, cookieOf(browser, realm)]).toEqual([401, false]);
});
