import { deflateRawSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import {
  logoutRequestElement,
  logoutResponseElement,
  NAME_ID_FORMAT,
  newMessageId,
  openLogoutRequest,
  openLogoutResponse,
  readRedirect,
  readSoap,
  redirectUrl,
  render,
  STATUS,
  signed,
  soapEnvelope,
  verificationKey,
} from "../../platform/saml/index.ts";
import { type SamlBrokered, samlBrokered } from "../../testing/brokered-realm.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { logoutProvider } from "../../testing/logout-provider.ts";
import { openidPeer } from "../../testing/openid-peer.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { type SamlPeer, samlPeer } from "../../testing/saml-identity-provider.ts";
import { rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { hopOf } from "../../testing/service-provider.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: SamlPeer;
let other: Identity;
beforeAll(async () => {
  [iam, peer, other] = await Promise.all([sharedHarness({ GATEHOUSE_MODE: "development" }), samlPeer(), makeIdentity()]);
});
afterEach(() => clock.reset());
afterAll(async () => {
  await peer?.close();
  await iam?.close();
});

const RSA_SHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
const start = () => samlBrokered(iam, { metadataXml: render(peer.metadata()) });
const isIn = async ({ realm }: SamlBrokered, browser: Browser) =>
  (await browser.get(`/realms/${realm.name}/account/profile`)).status === 200;
async function signIn(sp: SamlBrokered, sessionIndex: string, value = "ada-1"): Promise<Browser> {
  const browser = iam.browser();
  const nameId = { value, format: NAME_ID_FORMAT.persistent };
  const names = ["email", "firstName", "lastName", "username"].map((name) => ({ name, values: [`${value}@example.com`] }));
  const back = await sp.signIn(peer, { assertion: { nameId, sessionIndex, attributes: names } }, browser);
  expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
  return browser;
}
const keysOf = async ({ realm }: SamlBrokered) =>
  ((await realm.asMaster().get("/keys")).body as { certificate: string }[]).map(({ certificate }) => verificationKey(certificate));

test("a logout continues at the provider by a signed LogoutRequest, and returns", async () => {
  const sp = await start();
  const { realm } = sp;
  const browser = await signIn(sp, "_one");
  await browser.get(`/realms/${realm.name}/logout`);
  const form = { _csrf: browser.cookies.get("XSRF-TOKEN")! };
  const done = await browser.request("POST", `/realms/${realm.name}/logout`, { form, csrf: false });
  expect([done.status, await isIn(sp, browser)], "signed out here before anything else").toEqual([303, false]);
  const { location } = hopOf(await browser.get(String(done.headers.location)))!;
  expect(location).toContain("/slo?SAMLRequest=");
  const received = await readRedirect(new URL(location).search.slice(1));
  const { message } = await openLogoutRequest(received, { keys: await keysOf(sp), required: true });
  expect(message).toMatchObject({ nameId: { value: "ada-1" }, sessionIndexes: ["_one"], issuer: `${iam.config.baseUrl}${sp.at}` });

  const response = logoutResponseElement({
    ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.entityId, inResponseTo: message.id, status: { code: STATUS.success } },
  });
  const answer = await redirectUrl({
    ...{ location: `${iam.config.baseUrl}${sp.at}/slo`, message: response, relayState: received.relayState, key: rs256(peer.identity) },
  });
  const back = await browser.get(answer.slice(iam.config.baseUrl.length));
  const next = await browser.get(String(back.headers.location));
  expect([next.status, next.headers.location]).toEqual([303, `/realms/${realm.name}/login?signed_out=1`]);
});

test("the provider ends exactly the sessions that it names, by Redirect, POST and SOAP, and gets a signed answer", async () => {
  const sp = await start();
  const at = `${iam.config.baseUrl}${sp.at}/slo`;
  const request = (more: Partial<Parameters<typeof logoutRequestElement>[0]> = {}) =>
    logoutRequestElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.entityId, destination: at },
      nameId: { value: "ada-1", format: NAME_ID_FORMAT.persistent },
      ...more,
    });
  const key = rs256(peer.identity);
  const byRedirect = async (message: ReturnType<typeof request>, by: typeof key | null = key) =>
    iam.browser().get((await redirectUrl({ location: at, message, relayState: "theirs", key: by })).slice(iam.config.baseUrl.length));
  const bySoap = async (message: ReturnType<typeof request>) =>
    iam.browser().request("POST", `${sp.at}/slo`, {
      ...{ body: soapEnvelope(await signed(message, key)), headers: { "content-type": "text/xml" }, csrf: false },
    });
  const statusIn = async (answer: Answer) => {
    const url = new URL(String(answer.headers.location));
    const received = await readRedirect(url.search.slice(1));
    expect(received.relayState).toBe("theirs");
    return openLogoutResponse(received, { keys: await keysOf(sp), required: true }).message.status;
  };
  const [one, two, three, eve] = [await signIn(sp, "_1"), await signIn(sp, "_2"), await signIn(sp, "_3"), await signIn(sp, "_4", "eve")];
  const standing = () => Promise.all([one, two, three, eve].map((each) => isIn(sp, each)));

  const changed = async (change: (query: string) => string) => {
    const { search } = new URL(await redirectUrl({ location: at, message: request(), relayState: "theirs", key }));
    return iam.browser().get(`${sp.at}/slo?${change(search.slice(1))}`);
  };
  const byPost = (xml: string) =>
    iam.browser().request("POST", `${sp.at}/slo`, {
      ...{ form: { SAMLRequest: Buffer.from(xml).toString("base64"), RelayState: "theirs" }, csrf: false },
    });
  // The provider signed this, but not the LogoutRequest that it lies in.
  const vouched = render(await signed(request(), key));

  // Neither forged, nor old, nor of another, nor with another's session.
  const refused: [string, () => Promise<Answer>][] = [
    ["signature_missing", () => byRedirect(request(), null)],
    ["signature_invalid", () => byRedirect(request(), rs256(other))],
    ["issuer", () => byRedirect(request({ issuer: "https://another.example" }))],
    ["destination", () => byRedirect(request({ destination: "https://another.example" }))],
    ["expired", () => byRedirect(request({ issueInstant: clock.now() - 10 * MINUTE }))],
    ["not_yet_valid", () => byRedirect(request({ issueInstant: clock.now() + 10 * MINUTE }))],
    ["expired", () => byRedirect(request({ notOnOrAfter: clock.now() - 2 * MINUTE }))],
    ["signature_invalid", () => changed((query) => query.replace("RelayState=theirs", "RelayState=%74heirs"))],
    ["signature_invalid", () => changed((query) => query.replace("RelayState=theirs", "RelayState=mine"))],
    ["signature_invalid", () => changed((query) => query.replace("rsa-sha256", "rsa-sha512"))],
    ["signature_algorithm", () => changed((query) => query.replace(/SigAlg=[^&]*/, `SigAlg=${encodeURIComponent(RSA_SHA1)}`))],
    ["binding", () => changed((query) => `${query}&${query}`)],
    ["binding", () => changed((query) => query.replace(/&SigAlg=[^&]*/, ""))],
    ["size", () => iam.browser().get(`${sp.at}/slo?SAMLRequest=${encodeURIComponent(deflateRawSync(" ".repeat(2e6)).toString("base64"))}`)],
    [
      "signature_missing",
      () => byPost(render(request()).replace("<saml:NameID", () => `<samlp:Extensions>${vouched}</samlp:Extensions><saml:NameID`)),
    ],
  ];
  for (const [reason, send] of refused) {
    const page = await send();
    expect([page.status, page.text], reason).toEqual([400, expect.stringContaining(`href="/realms/${sp.realm.name}/logout"`)]);
    expect((await sp.failures())[0]).toBe(`corp: ${reason}`);
  }
  expect(await statusIn(await byRedirect(request({ sessionIndexes: ["_4"] })))).toMatchObject({ subCode: STATUS.unknownPrincipal });
  expect(await standing()).toEqual([true, true, true, true]);

  const first = request({ sessionIndexes: ["_1"] });
  expect(await statusIn(await byRedirect(first))).toMatchObject({ code: STATUS.success });
  expect(await standing()).toEqual([false, true, true, true]);
  expect((await byRedirect(first)).status, "once").toBe(400);

  const posted = await byPost(render(await signed(request({ sessionIndexes: ["_2"] }), key)));
  expect(await statusIn(await iam.browser().get(String(posted.headers.location)))).toMatchObject({ code: STATUS.success });
  expect(await standing()).toEqual([false, false, true, true]);

  const answer = await bySoap(request());
  expect(answer.status, answer.text).toBe(200);
  const { message } = openLogoutResponse(readSoap(Buffer.from(answer.text)), { keys: await keysOf(sp), required: true });
  expect(message).toMatchObject({ status: { code: STATUS.success } });
  expect(await standing()).toEqual([false, false, false, true]);
  expect(await bySoap(request({ issuer: "https://another.example" }))).toMatchObject({
    status: 400,
    text: expect.stringContaining("Fault"),
  });
  expect(((await sp.realm.events("type=LOGOUT")) as { detail: string }[]).map(({ detail }) => detail)).toEqual(
    Array(3).fill("asked by corp"),
  );
});

test("the provider ends a session whose user is linked by an attribute, also where logouts here do not go on there", async () => {
  const config = { metadataXml: render(peer.metadata()), subjectAttribute: "username", logoutUpstream: false };
  const sp = await samlBrokered(iam, config);
  const browser = await signIn(sp, "_1");
  const location = `${iam.config.baseUrl}${sp.at}/slo`;
  const ask = async (value: string) => {
    const message = logoutRequestElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.entityId, destination: location, sessionIndexes: ["_1"] },
      nameId: { value, format: NAME_ID_FORMAT.persistent },
    });
    const url = await redirectUrl({ location, message, relayState: null, key: rs256(peer.identity) });
    await iam.browser().get(url.slice(iam.config.baseUrl.length));
    return isIn(sp, browser);
  };
  expect([await ask("another"), await ask("ada-1")]).toEqual([true, false]);
});

describe("applications of the session", () => {
  const NO_ONE = { username: "", password: "" };
  /** A browser that is signed in by the provider, and so at an application that only browsers reach. */
  async function joined(config: Record<string, unknown> = {}) {
    const sp = await samlBrokered(iam, { metadataXml: render(peer.metadata()), ...config });
    const browser = await signIn(sp, "_1");
    const app = await logoutProvider(iam, sp.realm, "one", { identity: other });
    await app.join(browser, NO_ONE);
    return { sp, browser, app };
  }
  const path = (url: string) => url.slice(iam.config.baseUrl.length);
  async function requestOf({ at }: SamlBrokered) {
    const location = `${iam.config.baseUrl}${at}/slo`;
    const message = logoutRequestElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.entityId, destination: location },
      nameId: { value: "ada-1", format: NAME_ID_FORMAT.persistent },
    });
    const key = rs256(peer.identity);
    const xml = render(await signed(message, key));
    return {
      url: path(await redirectUrl({ location, message, relayState: "theirs", key })),
      form: { SAMLRequest: Buffer.from(xml).toString("base64"), RelayState: "theirs" },
    };
  }
  async function answeredWith(sp: SamlBrokered, answer: Answer) {
    expect(String(answer.headers.location), answer.text).toContain(`${peer.entityId.replace("/entity", "/slo")}?SAMLResponse=`);
    const received = await readRedirect(new URL(String(answer.headers.location)).search.slice(1));
    expect(received.relayState).toBe("theirs");
    return openLogoutResponse(received, { keys: await keysOf(sp), required: true }).message.status;
  }

  test.each(["redirect", "post"] as const)(
    "are notified in the browser of a LogoutRequest by %s, and then the provider is answered",
    async (by) => {
      const { sp, browser, app } = await joined();
      const frame = "https://app.example/signed-out";
      const party = await relyingParty(iam, sp.realm, { frontchannelLogoutUri: frame });
      await party.signIn(browser, NO_ONE);
      const { url, form } = await requestOf(sp);
      const posted = by === "post" ? await iam.browser().request("POST", `${sp.at}/slo`, { form, csrf: false }) : null;
      if (posted) expect(await isIn(sp, browser), "which session is the browser's is not known yet").toBe(true);
      const page = await app.follow(browser, await browser.get(posted ? String(posted.headers.location) : url));
      expect(await isIn(sp, browser), "signed out before anything else").toBe(false);
      const last = await app.answer(browser, (await app.asked(page)).id);
      expect(last.text, "frames of OpenID Connect on the last page").toContain(frame);
      const finish = /href="([^"]+finish=1)"/.exec(last.text)![1]!;
      const done = await app.follow(browser, await browser.get(finish.replaceAll("&amp;", "&")));
      expect(await answeredWith(sp, done)).toMatchObject({ code: STATUS.success, subCode: null });
      const again = posted ? await browser.get(String(posted.headers.location)) : await browser.get(url);
      expect([again.status, (await sp.failures())[0]]).toEqual([400, "corp: replay"]);
    },
  );

  test("that do not answer, or belong to another browser's session, make it a partial logout", async () => {
    const { sp, browser, app } = await joined();
    const page = await app.follow(browser, await browser.get((await requestOf(sp)).url));
    await app.asked(page);
    const logout = /href="([^"]*\/saml\/idp\/slo\/[^"?]+)/.exec(page.text)![1]!;
    const done = await app.follow(browser, await browser.get(`${logout}?finish=1`));
    expect(await answeredWith(sp, done)).toMatchObject({ code: STATUS.success, subCode: STATUS.partialLogout });

    const elsewhere = await signIn(sp, "_2");
    await app.join(elsewhere, NO_ONE);
    const other = await iam.browser().get((await requestOf(sp)).url);
    expect(await answeredWith(sp, other)).toMatchObject({ code: STATUS.success, subCode: STATUS.partialLogout });
    expect(await isIn(sp, elsewhere)).toBe(false);
  });

  test("a message that waits for its browser serves its own purpose only", async () => {
    const { sp, browser } = await joined();
    const { form } = await requestOf(sp);
    const posted = await iam.browser().request("POST", `${sp.at}/slo`, { form, csrf: false });
    const [, handle = ""] = /posted=(.*)$/.exec(String(posted.headers.location)) ?? [];
    const { browser: other, left } = await sp.leave();
    const { relayState } = await peer.read(left);
    expect((await other.get(`${sp.at}/endpoint?answer=${handle}&state=${relayState}`)).status).toBe(400);
    const next = await sp.leave();
    const asked = await peer.read(next.left);
    const waits = await iam.browser().request("POST", `${sp.at}/endpoint`, { form: await peer.answer(asked), csrf: false });
    const [, answer = ""] = /answer=([^&]*)/.exec(String(waits.headers.location)) ?? [];
    expect((await browser.get(`${sp.at}/slo?posted=${answer}`)).status).toBe(400);
    expect(await isIn(sp, browser)).toBe(true);
  });

  test("a logout by one of them continues at the provider, where configured, and then the application is answered", async () => {
    const { browser, app } = await joined();
    const page = await app.askToLogOut(browser, { relayState: "its own" });
    const { location } = hopOf(page)!;
    expect(location).toContain("/slo?SAMLRequest=");
    const received = await readRedirect(new URL(location).search.slice(1));
    const message = logoutResponseElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.entityId, inResponseTo: "_any", status: { code: STATUS.success } },
    });
    const { relayState } = received;
    const back = await redirectUrl({ location: `${app.issuer}/broker/corp/slo`, message, relayState, key: rs256(peer.identity) });
    const end = await app.follow(browser, await browser.get(path(back)));
    expect(await app.answered(end)).toMatchObject({ status: { code: STATUS.success, subCode: null }, relayState: "its own" });

    const without = await joined({ logoutUpstream: false });
    expect(await without.app.answered(await without.app.askToLogOut(without.browser))).toMatchObject({ status: { code: STATUS.success } });
  });

  test("so does one of a session that came by OpenID Connect", async () => {
    const upstream = await openidPeer();
    upstream.discover({ end_session_endpoint: `${upstream.issuer}/end` });
    const realm = await iam.realm();
    const config = { issuer: upstream.issuer, clientId: "gatehouse", clientSecret: "a-secret" };
    expect((await realm.asMaster().post("/identity-providers", { alias: "corp", protocol: "oidc", config })).status).toBe(201);
    const browser = iam.browser();
    const left = new URL(String((await browser.get(`/realms/${realm.name}/broker/corp/login`)).headers.location));
    const claims = { given_name: "Ada", family_name: "Lovelace", preferred_username: "ada" };
    const back = await browser.get(`/realms/${realm.name}/broker/corp/endpoint?${new URLSearchParams(upstream.signIn(left, { claims }))}`);
    expect(isSignedIn(back, realm.name), back.text).toBe(true);
    const app = await logoutProvider(iam, realm, "one", { identity: other });
    await app.join(browser, NO_ONE);
    const hop = new URL(hopOf(await app.askToLogOut(browser))!.location);
    expect(hop.href).toContain(`${upstream.issuer}/end?`);
    const { post_logout_redirect_uri: returnTo = "", state = "" } = Object.fromEntries(hop.searchParams);
    const end = await app.follow(browser, await browser.get(`${path(returnTo)}?state=${state}`));
    expect(await app.answered(end)).toMatchObject({ status: { code: STATUS.success, subCode: null } });
    await upstream.close();
  });
});
