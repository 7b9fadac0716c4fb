import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { NAME_ID_FORMAT, STATUS } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import {
  type LogoutOptions,
  type LogoutProvider,
  logoutProvider,
  pairOf,
  refusalsOf,
  sessionsOf,
} from "../../../testing/logout-provider.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";

let iam: SharedHarness;
let keys: Record<"one" | "two" | "other", Identity>;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  keys = { one: await makeIdentity(), two: await makeIdentity(), other: await makeIdentity() };
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const pair = (options: LogoutOptions = {}) => pairOf(iam, keys, options);

describe("messages that end nothing", () => {
  let shared: Awaited<ReturnType<typeof pairOf>>;
  beforeAll(async () => {
    shared = await pair();
  });
  const wrong: Record<string, (one: LogoutProvider, two: LogoutProvider) => Parameters<LogoutProvider["logoutRequest"]>[0]> = {
    "another SessionIndex": () => ({ sessionIndexes: ["_another"] }),
    "the SessionIndex of another service provider": (_one, two) => ({ sessionIndexes: [two.known.sessionIndex] }),
    "another NameID": () => ({ nameId: { value: "_another" } }),
    "the NameID of another service provider": (_one, two) => ({ nameId: two.known.nameId }),
    "the NameID in another format": (one) => ({ nameId: { ...one.known.nameId, format: NAME_ID_FORMAT.email } }),
  };
  test.each(Object.keys(wrong))("%s: the principal is not known", async (what) => {
    const { realm, browser, one, two } = shared;
    const end = await one.askToLogOut(browser, wrong[what]!(one, two));
    expect(await one.answered(end)).toMatchObject({ status: { code: STATUS.requester, subCode: STATUS.unknownPrincipal } });
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
    expect(await realm.events("type=LOGOUT")).toEqual([]);
    // SOAP has the same result.
    const { soap } = await one.logoutRequest(wrong[what]!(one, two));
    const answer = await one.answeredBySoap((await one.askBySoap(soap)).body);
    expect(answer.status).toMatchObject({ code: STATUS.requester, subCode: STATUS.unknownPrincipal });
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
  });

  test("another user of the same browser is not signed out", async () => {
    const { realm, browser, one, two } = await pair();
    const stale = one.known;
    await two.askToLogOut(browser);
    await one.join(browser, await realm.user());
    const end = await one.askToLogOut(browser, { nameId: stale.nameId, sessionIndexes: [stale.sessionIndex] });
    expect(await one.answered(end)).toMatchObject({ status: { subCode: STATUS.unknownPrincipal } });
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
  });

  const bad: Record<
    string,
    { reason: string; message: (one: LogoutProvider, two: LogoutProvider) => ReturnType<LogoutProvider["logoutRequest"]> }
  > = {
    unsigned: { reason: "signature_missing", message: (one) => one.logoutRequest({ isSigned: false }) },
    "signed by another service provider": {
      reason: "signature_invalid",
      message: (one, two) => two.logoutRequest({ nameId: one.known.nameId, more: { issuer: one.entityId } }),
    },
    "sent to another realm": { reason: "destination", message: (one) => one.logoutRequest({ more: { destination: `${one.slo}x` } }) },
    "too old": { reason: "expired", message: (one) => one.logoutRequest({ more: { issueInstant: clock.now() - HOUR } }) },
    "of the future": { reason: "not_yet_valid", message: (one) => one.logoutRequest({ more: { issueInstant: clock.now() + HOUR } }) },
    "no longer to be acted on": {
      reason: "expired",
      message: (one) => one.logoutRequest({ more: { issueInstant: clock.now() - 4 * MINUTE, notOnOrAfter: clock.now() - 2 * MINUTE } }),
    },
    "of an unknown service provider": {
      reason: "unknown_client",
      message: (one) => one.logoutRequest({ more: { issuer: "https://evil.example/" } }),
    },
  };
  test.each(Object.keys(bad))("a request that is %s is refused by every binding", async (what) => {
    const { realm, browser, one, two } = shared;
    // Only twenty refusals a minute are recorded.
    clock.advance(10 * SECOND * Object.keys(bad).indexOf(what));
    const { reason, message } = bad[what]!;
    const { url, form, soap } = await message(one, two);
    const path = (of: string) => of.replace(iam.config.baseUrl, "");
    const byRedirect = await browser.get(path(url));
    const byPost = await browser.request("POST", path(one.slo), { form, csrf: false });
    const bySoap = await one.askBySoap(soap);
    expect([byRedirect.status, byPost.status, bySoap.statusCode]).toEqual([400, 400, 400]);
    expect(bySoap.body).toContain("The message was not accepted");
    expect(byRedirect.text).not.toContain(reason);
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
    expect((await refusalsOf(realm)).slice(0, 3)).toEqual([reason, reason, reason]);
  });

  test("a service provider without a certificate cannot ask", async () => {
    const realm = await iam.realm();
    const bare = await logoutProvider(iam, realm, "bare", { identity: undefined });
    const browser = iam.browser();
    await bare.join(browser, await realm.user());
    expect((await bare.askToLogOut(browser, { isSigned: false })).status).toBe(400);
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
    expect(await refusalsOf(realm)).toEqual(["no_certificate"]);
  });

  test("a message of another realm, although its signature is valid there", async () => {
    const { one, browser } = await pair();
    const elsewhere = await iam.realm();
    const twin = await logoutProvider(iam, elsewhere, "one", { identity: keys.one });
    await twin.join(browser, await elsewhere.user());
    const { url } = await one.logoutRequest({ nameId: twin.known.nameId, sessionIndexes: [] });
    const answer = await browser.get(url.replace(one.issuer, `/realms/${elsewhere.name}`));
    expect(answer.status).toBe(400);
    expect(await sessionsOf(iam, elsewhere)).toHaveLength(1);
    expect(await refusalsOf(elsewhere)).toEqual(["destination"]);
  });

  test("a request that was used before, by the same binding and by the others", async () => {
    const { realm, user, browser, one } = await pair();
    const { url, form, soap } = await one.logoutRequest({ sessionIndexes: [] });
    await browser.get(url.replace(iam.config.baseUrl, ""));
    expect(await sessionsOf(iam, realm)).toEqual([]);
    await one.join(browser, user);
    const again = [
      (await browser.get(url.replace(iam.config.baseUrl, ""))).status,
      (await one.follow(browser, await browser.request("POST", one.slo.replace(iam.config.baseUrl, ""), { form, csrf: false }))).status,
      (await one.askBySoap(soap)).statusCode,
    ];
    expect(again).toEqual([400, 400, 400]);
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
    expect(await refusalsOf(realm)).toEqual(["replay", "replay", "replay"]);
  });

  test("one of two tabs that send the same request at once ends the session", async () => {
    const { realm, browser, one } = await pair();
    const { url } = await one.logoutRequest();
    const answers = await Promise.all([1, 2].map(() => browser.get(url.replace(iam.config.baseUrl, ""))));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(await realm.events("type=LOGOUT")).toHaveLength(1);
  });
});
