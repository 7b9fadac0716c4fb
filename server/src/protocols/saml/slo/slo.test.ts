import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { STATUS } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { type LogoutOptions, logoutProvider, pairOf, refusalsOf, sessionsOf } from "../../../testing/logout-provider.ts";
import { onPostgres } from "../../../testing/on-postgres.ts";
import { relyingParty, submit } from "../../../testing/relying-party.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints } from "../../../testing/saml-peers.ts";
import { hopOf, serviceProvider } from "../../../testing/service-provider.ts";

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

describe("a service provider asks by the browser", () => {
  test.each([
    ["redirect", "redirect"],
    ["post", "post"],
    ["post", "redirect"],
  ] as const)("by %s, and the other is notified by %s: both are signed out, and the first gets its answer", async (by, binding) => {
    const { realm, user, browser, one, two } = await pair({ binding });
    const page = await one.askToLogOut(browser, { by, relayState: "back & forth" });
    expect(await sessionsOf(iam, realm), "the session ends before the others are notified").toEqual([]);
    expect(await realm.events("type=LOGOUT")).toMatchObject([{ actor: user.username, detail: `asked by ${one.entityId}` }]);
    const asked = await two.asked(page);
    expect(asked).toMatchObject({ issuer: one.issuer, destination: two.location, sessionIndexes: [two.known.sessionIndex] });
    expect(asked.nameId).toEqual(two.known.nameId);
    const end = await two.answer(browser, asked.id, { by: binding });
    expect(await one.answered(end)).toMatchObject({ status: { code: STATUS.success, subCode: null }, relayState: "back & forth" });
    expect(await realm.events("type=LOGOUT")).toHaveLength(1);
  });

  test("answers the request, at the address for responses", async () => {
    const { browser, one, two } = await pair();
    const { id, url } = await one.logoutRequest();
    const page = await one.follow(browser, await browser.get(url.replace(iam.config.baseUrl, "")));
    const end = await two.answer(browser, (await two.asked(page)).id);
    expect(await one.answered(end)).toMatchObject({ inResponseTo: id, destination: `${one.location}/answer`, issuer: one.issuer });
  });

  test.skipIf(!haveSchemas())("every message fits the schemas", async () => {
    const { browser, one, two } = await pair({ binding: "post" });
    const page = await one.askToLogOut(browser, { by: "post" });
    const asked = await two.asked(page);
    const end = await two.answer(browser, asked.id, { by: "post" });
    for (const [shown, field] of [
      [page, "SAMLRequest"],
      [end, "SAMLResponse"],
    ] as const)
      expect(schemaComplaints(Buffer.from(hopOf(shown)!.form![field]!, "base64").toString())).toBeNull();
  });

  test("without a SessionIndex it means the browser's session, too; what it leaves out of the NameID does not matter", async () => {
    const { realm, browser, one } = await pair();
    const { value } = one.known.nameId;
    await one.askToLogOut(browser, { sessionIndexes: [], nameId: { value } });
    expect(await sessionsOf(iam, realm)).toEqual([]);
  });

  onPostgres("a transient NameID of any assertion of the session names it, to the service provider and to us", async () => {
    const { realm, user, browser, one, two } = await pair({ members: { options: { nameIdFormat: "transient" } } });
    const { nameId } = one.known;
    await one.join(browser, user);
    const elsewhere = iam.browser();
    const later = await two.join(elsewhere, user);
    await two.join(browser, user);
    const page = await one.askToLogOut(browser, { sessionIndexes: [], nameId: { value: nameId.value } });
    const asked = await two.asked(page);
    expect(asked.nameId).toEqual(two.known.nameId);
    expect(asked.nameId!.value).not.toBe(later.nameId.value);
    expect(await one.answered(await two.answer(browser, asked.id))).toMatchObject({ status: { code: STATUS.success, subCode: null } });
    expect(await sessionsOf(iam, realm), "the other browser stays signed in").toHaveLength(1);
  });

  onPostgres("in a browser without a session there is nothing to end: success", async () => {
    const { realm, one } = await pair();
    expect(await one.answered(await one.askToLogOut(iam.browser()))).toMatchObject({ status: { code: STATUS.success, subCode: null } });
    expect(await sessionsOf(iam, realm)).toHaveLength(1);
  });

  test("one without an address for answers leaves the browser at our own page", async () => {
    const realm = await iam.realm();
    const one = await logoutProvider(iam, realm, "one", {
      identity: keys.one,
      members: { singleLogoutServiceUrl: null, options: { sloEndpoints: [] } },
    });
    const browser = iam.browser();
    await one.join(browser, await realm.user());
    const page = await one.askToLogOut(browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("You are signed out")]);
    expect(await sessionsOf(iam, realm)).toEqual([]);
  });
});

describe("notifying the others", () => {
  test("one that does not answer is skipped, named, can be notified again, and makes it a partial logout", async () => {
    const { browser, one, two } = await pair();
    const three = await logoutProvider(iam, one.realm, "zebra", { identity: keys.other });
    await three.join(browser, { username: "", password: "" });
    let page = await one.askToLogOut(browser);
    const first = await two.asked(page);
    const progress = /data-next="([^"]+)"/.exec(page.text)![1]!;
    // It never answers. The page's own script opens the page again after five seconds, or the user does.
    page = await browser.get(progress);
    page = await three.answer(browser, (await three.asked(page)).id);
    expect(page.status).toBe(200);
    expect(page.text).toContain("<strong>two</strong> <span>didn’t answer; you may still be signed in there</span>");
    expect(page.text).toContain("<strong>zebra</strong> <span>signed out</span>");
    expect(page.text).toContain("data-stays");
    const finish = await browser.get(`${progress}?finish=1`);
    expect(await one.answered(finish)).toMatchObject({ status: { code: STATUS.success, subCode: STATUS.partialLogout } });
    const again = /href="([^"]+again=0)"/.exec(page.text)![1]!;
    page = await one.follow(browser, await browser.get(again));
    const second = await two.asked(page);
    expect(second.id).not.toBe(first.id);
    const end = await two.answer(browser, second.id);
    expect(await one.answered(end)).toMatchObject({ status: { code: STATUS.success, subCode: null } });
  });

  onPostgres(
    "one that refuses is named; one that has no single logout service is, too, and stops the page only where no application waits",
    async () => {
      const { browser, one, two } = await pair();
      let page = await one.askToLogOut(browser);
      page = await two.answer(browser, (await two.asked(page)).id, { status: { code: STATUS.responder, subCode: STATUS.requestDenied } });
      expect(page.text).toContain("<strong>two</strong> <span>couldn’t sign you out; you may still be signed in there</span>");

      const realm = await iam.realm();
      const asking = await logoutProvider(iam, realm, "one", { identity: keys.one });
      const deaf = await logoutProvider(iam, realm, "deaf", {
        identity: keys.two,
        members: { singleLogoutServiceUrl: null, options: { sloEndpoints: [] } },
      });
      const [user, other] = [await realm.user(), iam.browser()];
      await deaf.join(other, user);
      await asking.join(other, user);
      expect(await asking.answered(await asking.askToLogOut(other))).toMatchObject({ status: { subCode: STATUS.partialLogout } });

      // No application requested the logout, so our own page confirms it.
      await deaf.join(other, user);
      const confirm = await other.get(`/realms/${realm.name}/logout`);
      const { page: own } = await submit(other, iam.config.baseUrl, confirm, {});
      expect(own.text).toContain("<strong>deaf</strong> <span>can’t be signed out from here; sign out there, too</span>");
      expect(own.text).toContain("not all applications have confirmed it");
      const finish = /data-next="([^"]+)" data-stays/.exec(own.text)![1]!;
      expect((await other.get(finish)).headers.location).toBe(`/realms/${realm.name}/login?signed_out=1`);
    },
  );

  test("a response has to be signed, by the requested provider, and in the same browser; a bad one does not stop the logout", async () => {
    const { realm, browser, one, two } = await pair();
    const page = await one.askToLogOut(browser);
    const { id } = await two.asked(page);
    expect((await two.answer(browser, id, { isSigned: false, by: "post" })).text).toContain("didn’t answer");
    expect((await two.answer(browser, id, { isSigned: false })).text).toContain("<strong>two</strong> <span>didn’t answer");
    expect((await one.answer(browser, id)).text).toContain("<strong>two</strong> <span>didn’t answer");
    expect((await two.answer(browser, "_another")).text).toContain("<strong>two</strong> <span>didn’t answer");
    expect((await two.answer(iam.browser(), id)).status).toBe(400);
    expect(await refusalsOf(realm)).toEqual([
      "in_response_to",
      "in_response_to",
      "in_response_to",
      "signature_missing",
      "signature_missing",
    ]);
    expect(await one.answered(await two.answer(browser, id))).toMatchObject({ status: { subCode: null } });
  });

  test("the page of a logout opens in the browser that began it, for ten minutes", async () => {
    const { browser, one } = await pair();
    const page = await one.askToLogOut(browser);
    const progress = /data-next="([^"]+)"/.exec(page.text)![1]!;
    expect((await iam.browser().get(progress)).status).toBe(400);
    expect((await browser.get(progress)).status).toBe(200);
    clock.advance(11 * MINUTE);
    expect((await browser.get(progress)).status).toBe(400);
  });
});

describe("two service providers and an OIDC client in one session", () => {
  const CALLBACK = "https://app.example/bye";
  async function three() {
    const { realm, user, browser, one, two } = await pair();
    const party = await relyingParty(iam, realm, {
      frontchannelLogoutUri: "https://app.example/out",
      postLogoutRedirectUris: [CALLBACK],
    });
    const tokens = (await party.signIn(browser, user)).body;
    return { realm, browser, one, two, party, tokens };
  }

  onPostgres(
    "the OIDC client asks: the service providers are notified one after the other, its frame is on the last page, and it gets its user back",
    async () => {
      const { realm, browser, one, two, tokens } = await three();
      const out = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: CALLBACK, state: "s" });
      let page = await one.follow(browser, await browser.get(`/realms/${realm.name}/logout?${out}`));
      expect(await sessionsOf(iam, realm)).toEqual([]);
      expect(await realm.events("type=LOGOUT")).toMatchObject([{ detail: "asked by app" }]);
      page = await one.answer(browser, (await one.asked(page)).id);
      page = await two.answer(browser, (await two.asked(page)).id);
      expect(page.text).toContain('<iframe src="https://app.example/out"');
      const finish = /data-next="([^"]+)"/.exec(page.text)![1]!;
      expect((await browser.get(finish)).headers.location).toBe(`${CALLBACK}?state=s`);
    },
  );

  onPostgres("a service provider asks: the other is notified, then the client by its frame, and the first gets its answer", async () => {
    const { realm, browser, one, two, tokens, party } = await three();
    const page = await two.askToLogOut(browser);
    const end = await one.answer(browser, (await one.asked(page)).id);
    expect(end.text).toContain('<iframe src="https://app.example/out"');
    expect(await sessionsOf(iam, realm)).toEqual([]);
    expect((await party.post("/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token })).status).toBe(400);
    const finish = /data-next="([^"]+)"/.exec(end.text)![1]!;
    expect(await two.answered(await browser.get(finish))).toMatchObject({ status: { code: STATUS.success, subCode: null } });
  });

  onPostgres("the user signs out at our own page: all are notified, and the user is at our page again", async () => {
    const { realm, browser, one, two } = await three();
    const confirm = await browser.get(`/realms/${realm.name}/logout`);
    let page = (await submit(browser, iam.config.baseUrl, confirm, {})).page;
    page = await one.answer(browser, (await one.asked(page)).id);
    page = await two.answer(browser, (await two.asked(page)).id);
    const finish = /data-next="([^"]+)"/.exec(page.text)![1]!;
    expect((await browser.get(finish)).headers.location).toBe(`/realms/${realm.name}/login?signed_out=1`);
    expect(await realm.events("type=LOGOUT")).toMatchObject([{ detail: null }]);
  });

  test("a browser that did not return from an application continues the logout when it signs out again", async () => {
    const { realm, browser, one, two } = await three();
    const confirm = await browser.get(`/realms/${realm.name}/logout`);
    const { page } = await submit(browser, iam.config.baseUrl, confirm, {});
    await one.asked(page);
    const back = await one.follow(browser, await browser.get(`/realms/${realm.name}/logout`));
    await two.asked(back);
  });
});

test("a posted message that waits for its browser does not name the user in the database", async () => {
  const { realm, user, browser, one } = await pair();
  const sp = await serviceProvider(iam, realm);
  const subject = { value: user.username, format: null, nameQualifier: null, spNameQualifier: null };
  const waiting = [
    await browser.request("POST", one.slo.replace(iam.config.baseUrl, ""), { form: (await one.logoutRequest()).form, csrf: false }),
    await sp.post(browser, await sp.request({ subject } as never)),
  ];
  for (const { headers } of waiting) expect(headers.location).toContain("?posted=");
  const kept = await iam.core.db.selectFrom("oidc_records").selectAll().where("realm_id", "=", realm.name).execute();
  expect(kept.map(({ model }) => model).sort()).toEqual(expect.arrayContaining(["SamlLogout", "SamlRequest"]));
  for (const secret of [one.known.nameId.value, one.known.sessionIndex, user.username]) expect(JSON.stringify(kept)).not.toContain(secret);
  // The browser that returns for it gets the whole message.
  await one.follow(browser, waiting[0]!);
  expect(await sessionsOf(iam, realm)).toEqual([]);
});
