import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { cleanUp } from "../../../cleanup.ts";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { BINDING } from "../../../platform/saml/index.ts";
import { Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";
import { ACS, postedBy, type RequestOptions, type ServiceProvider, serviceProvider } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let identity: Identity;
let other: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  [identity, other] = [await makeIdentity(), await makeIdentity()];
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

/** Sends a request by both bindings. Expects the same page each time, no session cookie, and nothing for the service provider. */
async function refusedWith(realm: RealmUnderTest, sp: ServiceProvider, options: RequestOptions, reason: string) {
  for (const by of ["redirect", "post"] as const) {
    const browser = iam.browser();
    const sent = await sp.request(options);
    const answer = by === "redirect" ? await browser.get(sent.url.slice(iam.config.baseUrl.length)) : await sp.post(browser, sent);
    expect([answer.status, answer.headers.location], `${reason} by ${by}`).toEqual([400, undefined]);
    expect(answer.text).toContain("Go back to the application and try again");
    const [event] = await realm.events("type=SAML_LOGIN");
    expect(event).toMatchObject({ outcome: "FAILURE", detail: expect.stringMatching(new RegExp(`^${reason}: `)) });
    const number = /<code>([^<]+)<\/code>/.exec(answer.text)?.[1];
    expect(await realm.events(`requestId=${number}`), "the number on the page finds it").toEqual([event]);
  }
}

describe("a request is refused", () => {
  test("that was issued too long ago, or in the future", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    await refusedWith(realm, sp, { issueInstant: clock.now() - 12 * MINUTE }, "expired");
    await refusedWith(realm, sp, { issueInstant: clock.now() + 90 * SECOND }, "not_yet_valid");
    const isTaken = async (issueInstant: number, by = sp) =>
      expect((await walk(iam.browser(), iam.config.baseUrl, (await by.request({ issueInstant })).url)).page.status).toBe(200);
    for (const issueInstant of [clock.now() - 9 * MINUTE, clock.now() + 30 * SECOND]) await isTaken(issueInstant);
    const late = await serviceProvider(iam, realm, { entityId: "https://late.example/metadata", options: { clockSkewSeconds: 180 } });
    await isTaken(clock.now() + 150 * SECOND, late);
    await refusedWith(realm, late, { issueInstant: clock.now() + 200 * SECOND }, "not_yet_valid");
    const exact = await serviceProvider(iam, realm, { entityId: "https://exact.example/metadata", options: { clockSkewSeconds: 0 } });
    await refusedWith(realm, exact, { issueInstant: clock.now() + 30 * SECOND }, "not_yet_valid");
  });

  test("if its service provider is disabled, also while the user signs in", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const browser = iam.browser();
    const user = await realm.user();
    const { page } = await walk(browser, iam.config.baseUrl, (await sp.request()).url);
    const path = `/saml-clients/${encodeURIComponent(sp.entityId)}`;
    const { body, headers } = await realm.asMaster().get(path);
    await realm.asMaster().put(path, { ...body, enabled: false }, { headers: { "if-match": String(headers.etag) } });
    const done = await submit(browser, iam.config.baseUrl, page, { username: user.username, password: user.password });
    expect(done.page.status).toBe(400);
    await refusedWith(realm, sp, {}, "disabled_client");
  });

  test("that is unsigned where signatures are required, signed by another key, or signed without a Destination", async () => {
    const realm = await iam.realm();
    const strict = await serviceProvider(iam, realm, { identity, options: { wantAuthnRequestsSigned: true } });
    await refusedWith(realm, strict, { isSigned: false }, "signature_missing");
    await refusedWith(realm, strict, { destination: null }, "destination");
    const lenient = await serviceProvider(iam, realm, { identity, entityId: "https://lenient.example" });
    const forged = { ...lenient, ...(await forger(realm, other)) };
    await refusedWith(realm, forged as ServiceProvider, {}, "signature_invalid");
    const user = await realm.user();
    for (const isSigned of [true, false]) {
      const { sent, page } = await lenient.signIn(iam.browser(), user, { isSigned });
      await lenient.accept(page, sent.id);
    }
  });

  /** Signs in the name of `https://lenient.example`, with the given key. */
  const forger = async (realm: RealmUnderTest, key: Identity) => {
    const own = await serviceProvider(iam, realm, { identity: key, entityId: "https://forger.example" });
    return { request: (options: RequestOptions = {}) => own.request({ ...options, issuer: "https://lenient.example" }) };
  };

  test("that another realm's service provider sends", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const sp = await serviceProvider(iam, elsewhere);
    const { url } = await sp.request({ destination: null });
    const moved = url.slice(iam.config.baseUrl.length).replace(elsewhere.name, realm.name);
    expect((await iam.browser().get(moved)).status).toBe(400);
    expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({ detail: expect.stringMatching(/^unknown_client/) });
    expect(await elsewhere.events("type=SAML_LOGIN")).toEqual([]);
  });

  test("that is no message at all, with an event each", async () => {
    const realm = await iam.realm();
    const path = `/realms/${realm.name}/saml/idp/sso`;
    for (const query of ["", "?SAMLRequest=%20", "?SAMLRequest=PHg%2B", "?SAMLResponse=a&SAMLRequest=b", "?posted=never-kept"])
      expect((await iam.browser().get(path + query)).status, query).toBe(400);
    for (const form of [{}, { SAMLRequest: "PHg+" }, { SAMLRequest: "!" }] as Record<string, string>[])
      expect((await iam.browser().request("POST", path, { form, csrf: false })).status).toBe(400);
    expect((await realm.events("type=SAML_LOGIN")).length).toBe(7);
  });
});

test("of many refusals, twenty a minute are recorded, and all are counted", async () => {
  const realm = await iam.realm();
  const path = `/realms/${realm.name}/saml/idp/sso?SAMLRequest=x`;
  const browser = iam.browser();
  for (let sent = 0; sent < 30; sent++) await browser.get(path);
  expect(await realm.events("type=SAML_LOGIN")).toHaveLength(20);
  clock.advance(MINUTE);
  await browser.get(path);
  clock.reset();
  expect(await realm.events("type=SAML_LOGIN")).toHaveLength(21);
  const { text } = await browser.get("/monitoring/metrics");
  expect(text).toContain(`svc_saml_login_total{realm="${realm.name}",outcome="failure"} 31`);
});

describe("a request is answered once", () => {
  test("the same message again, after the answer, gets a page", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const browser = iam.browser();
    const user = await realm.user();
    const { sent, page } = await sp.signIn(browser, user);
    await sp.accept(page, sent.id);
    for (const again of [
      await browser.get(sent.url.slice(iam.config.baseUrl.length)),
      (await walk(browser, iam.config.baseUrl, await sp.post(browser, sent))).page,
    ])
      expect([again.status, again.text.includes("SAMLResponse")]).toEqual([400, false]);
    expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({
      outcome: "FAILURE",
      actor: user.username,
      detail: expect.stringMatching(/^replay/),
    });
  });

  test("only one of many concurrent requests gets the assertion", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const browser = iam.browser();
    const user = await realm.user();
    await sp.signIn(browser, user);
    const { url } = await sp.request();
    const answers = await Promise.all(Array.from({ length: 6 }, () => browser.get(url.slice(iam.config.baseUrl.length))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
    expect((await realm.events("type=SAML_LOGIN&outcome=SUCCESS")).length).toBe(2);
  });

  test("the same message waits in two tabs: the second gets nothing, however late it is", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const user = await realm.user();
    const sent = await sp.request();
    const [one, two] = [iam.browser(), iam.browser()];
    const first = await walk(one, iam.config.baseUrl, sent.url);
    clock.advance(10 * MINUTE);
    const second = await walk(two, iam.config.baseUrl, sent.url);
    const { username, password } = user;
    await sp.accept((await submit(one, iam.config.baseUrl, first.page, { username, password })).page, sent.id);
    clock.advance(20 * MINUTE);
    await cleanUp(iam.core.db);
    const late = await submit(two, iam.config.baseUrl, second.page, { username, password });
    expect([late.page.status, late.page.text.includes("SAMLResponse")]).toEqual([400, false]);
  });

  test("another service provider may use the same ID", async () => {
    const realm = await iam.realm();
    const [one, two] = [await serviceProvider(iam, realm), await serviceProvider(iam, realm, { entityId: "https://two.example" })];
    const browser = iam.browser();
    const user = await realm.user();
    for (const sp of [one, two]) {
      const { page } = await sp.signIn(browser, user, { id: "_same" });
      await sp.accept(page, "_same");
    }
  });

  test("an answered message is forgotten when it would be refused for its age", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    await sp.signIn(iam.browser(), await realm.user());
    const rows = () => iam.core.db.selectFrom("saml_answered_requests").selectAll().where("realm_id", "=", realm.name).execute();
    expect(await rows()).toHaveLength(1);
    await cleanUp(iam.core.db);
    expect(await rows()).toHaveLength(1);
    clock.advance(77 * MINUTE);
    await cleanUp(iam.core.db);
    expect(await rows()).toEqual([]);
  });
});

describe("the target of the answer", () => {
  const options = {
    additionalAcsUrls: ["https://sp.example/second"],
    acsEndpoints: [
      { url: ACS, binding: "post", index: 3, isDefault: false },
      { url: "https://sp.example/second", binding: "post", index: 5, isDefault: true },
    ],
  };
  let sp: ServiceProvider;
  let user: Awaited<ReturnType<RealmUnderTest["user"]>>;
  let browser: Browser;
  beforeAll(async () => {
    const realm = await iam.realm();
    sp = await serviceProvider(iam, realm, { options });
    user = await realm.user();
    browser = iam.browser();
  });
  test.each([
    ["to the default, where the request says nothing", {}, "https://sp.example/second"],
    ["by index", { assertionConsumerServiceIndex: 3 }, ACS],
    ["by its address", { assertionConsumerServiceUrl: ACS }, ACS],
    ["by its address and binding", { assertionConsumerServiceUrl: ACS, protocolBinding: BINDING.post }, ACS],
  ] as const)("%s", async (_, request, expected) => {
    const { page, sent } = await sp.signIn(browser, user, request);
    expect(postedBy(page).action).toBe(expected);
    await sp.accept(page, sent.id);
  });
});

test("RelayStates may be long only if an administrator has allowed their prefix", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options: { allowedRelayStates: ["https://app.example", "token-"] } });
  const browser = iam.browser();
  const user = await realm.user();
  const long = `https://app.example/${"a".repeat(500)}`;
  for (const relayState of [long, "https://app.example", "https://app.example?x", "token-1", `token-${"é".repeat(900)}`]) {
    const { page } = await sp.signIn(browser, user, { relayState });
    expect(postedBy(page).fields.RelayState).toBe(relayState);
  }
  for (const relayState of [
    "https://app.example.evil.example/",
    "https://app.example@evil.example",
    "https://evil.example",
    "token",
    `token-${"x".repeat(2_048)}`,
  ])
    await refusedWith(realm, sp, { relayState }, "relay_state");
});

test("RelayStates are opaque: those of up to 2,048 bytes are returned where the client's option says so, scripts never", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { options: { relayStateBytes: 2_048 } });
  const user = await realm.user();
  const opaque = JSON.stringify({ c: "x".repeat(1_100), u: "https://elsewhere.example/é?a=b&c" });
  const { page } = await sp.signIn(iam.browser(), user, { relayState: opaque });
  expect(postedBy(page).fields.RelayState).toBe(opaque);
  for (const relayState of ["y".repeat(2_049), `java\tscript:${"a".repeat(100)}`])
    await refusedWith(realm, sp, { relayState }, "relay_state");
  const strict = await serviceProvider(iam, realm, { entityId: "https://strict.example/metadata" });
  await refusedWith(realm, strict, { relayState: opaque }, "relay_state");
});

test("the sign-ins that an address begins are limited, by either binding; users with a session are not", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const at = () => new Browser(iam.server.app, "192.0.2.9");
  const known = at();
  const user = await realm.user();
  await sp.signIn(known, user);
  await realm.asMaster().patch("/settings", { rateLimits: { authorizations: 20 } });
  const sent = await sp.request();
  const answers = [];
  for (let count = 0; count < 25; count++) answers.push(await at().get(sent.url.slice(iam.config.baseUrl.length)));
  expect(answers.map(({ status }) => status)).toContain(429);
  // No place is regained during the test. Setting the clock back further would reset the limit.
  clock.advance(-4 * SECOND);
  expect((await sp.post(at(), sent)).status).toBe(429);
  clock.reset();
  const { page } = await sp.signIn(known, user);
  expect(page.text).toContain("SAMLResponse");
});
