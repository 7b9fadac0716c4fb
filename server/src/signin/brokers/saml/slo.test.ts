import { deflateRawSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
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
} from "../../../platform/saml/index.ts";
import { type SamlBrokered, samlBrokered } from "../../../testing/brokered-realm.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type Harness, harness } from "../../../testing/harness.ts";
import { type SamlPeer, samlPeer } from "../../../testing/saml-identity-provider.ts";
import { rs256 } from "../../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";
import { hopOf } from "../../../testing/service-provider.ts";
import { isSignedIn } from "../../../testing/step-pages.ts";

let iam: Harness;
let peer: SamlPeer;
let other: Identity;
beforeAll(async () => {
  [iam, peer, other] = await Promise.all([harness({ GATEHOUSE_MODE: "development" }), samlPeer(), makeIdentity()]);
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

test("a logout here goes on at the provider by a signed LogoutRequest, and comes back", async () => {
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
    ["binding", () => changed((query) => query.split("&").reverse().join("&"))],
    ["binding", () => changed((query) => `${query}&${query}`)],
    ["binding", () => changed((query) => query.replace(/&SigAlg=[^&]*/, ""))],
    ["size", () => iam.browser().get(`${sp.at}/slo?SAMLRequest=${encodeURIComponent(deflateRawSync(" ".repeat(2e6)).toString("base64"))}`)],
    [
      "signature_missing",
      () => byPost(render(request()).replace("<saml:NameID", () => `<samlp:Extensions>${vouched}</samlp:Extensions><saml:NameID`)),
    ],
  ];
  for (const [reason, send] of refused) {
    expect((await send()).status, reason).toBe(400);
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
