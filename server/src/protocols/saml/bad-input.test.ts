// Attacks on the endpoints of the identity provider. All get the same response, and the audit trail contains the reason.
import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import {
  authnRequestElement,
  logoutRequestElement,
  type NewAuthnRequest,
  newMessageId,
  openAuthnRequest,
  readPost,
  redirectUrl,
  render,
  type SamlError,
  signed,
  verificationKey,
} from "../../platform/saml/index.ts";
import { seededRandom } from "../../testing/api-driver/random.ts";
import type { Answer } from "../../testing/browser.ts";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { mutated, oddlySigned, rightlySigned, wrapped, wronglySigned } from "../../testing/saml-attacks.ts";
import { goodLogoutRequest, rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { ACS, type ServiceProvider, serviceProvider } from "../../testing/service-provider.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
/** The service provider that has to sign. */
let sp: ServiceProvider;
let peer: Identity;
let other: Identity;

beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  [peer, other] = await Promise.all([makeIdentity(), makeIdentity()]);
  realm = await iam.realm();
  sp = await serviceProvider(iam, realm, { identity: peer, options: { wantAuthnRequestsSigned: true } });
});
// Only twenty refusals a minute are recorded.
beforeEach(() => clock.advance(12 * SECOND));
afterAll(() => iam?.close());

const request = (more: Partial<NewAuthnRequest> = {}) =>
  authnRequestElement({
    ...{ id: newMessageId(), issueInstant: clock.now(), issuer: sp.entityId, destination: sp.sso, forceAuthn: true },
    ...more,
  });
const signedXml = async (more: Partial<NewAuthnRequest> = {}, by = peer) => render(await signed(request(more), rs256(by)));
const pathOf = (url: string) => new URL(url).pathname;
const base64 = (xml: string | Buffer) => Buffer.from(xml).toString("base64");
const postForm = (form: Record<string, string>, at = sp.sso) => iam.browser().request("POST", pathOf(at), { form, csrf: false });
const post = (xml: string | Buffer, more: Record<string, string> = {}) => postForm({ SAMLRequest: base64(xml), ...more });
const get = (query: string, at = sp.sso) => iam.browser().get(`${pathOf(at)}?${query}`);
const queryOf = async (more: Partial<NewAuthnRequest> = {}, relayState: string | null = null, by = peer) =>
  new URL(await redirectUrl({ location: sp.sso, message: request(more), relayState, key: rs256(by) })).search.slice(1);
const failures = (of = realm) => of.events("type=SAML_LOGIN&outcome=FAILURE");
/** Returns the last failure. Reading all events each time would take longer than the test itself. */
const lastFailure = async (of: RealmUnderTest) => (await of.asMaster().get("/events?size=1&type=SAML_LOGIN&outcome=FAILURE")).body.items[0];

test("an issuer of spaces costs no more than any other", async () => {
  const elsewhere = sp.sso.replace(realm.name, (await iam.realm()).name);
  const asking = (issuer: string) => {
    const message = deflateRawSync(render(request({ issuer }))).toString("base64");
    return () => get(`SAMLRequest=${encodeURIComponent(message)}`, elsewhere);
  };
  const [short, long] = await leastCpuTime(asking("x x"), asking(`x${" ".repeat(12_000)}x`));
  expect(long).toBeLessThan(10 * short!);
});

/** Returns the copy of the message in the links to other languages, without its time, the request id and the way back. */
const copied = (content: string) =>
  Buffer.from(content, "base64url")
    .toString()
    .replace(/,"(?:at|requestId|back)":(?:"[^"]*"|\d+|\{[^}]*\})/g, "");

/** Returns the visible text of the page, without the request id and the way back to a registered application. */
const seenOn = ({ text }: Answer) =>
  /<main.*<\/main>/s
    .exec(text)?.[0]
    .replace(/<code>[\w-]+<\/code>/, "")
    .replace(/\/realms\/\w+\/message\?shown=([\w-]+)\.[\w-]+/g, (_, content) => copied(content))
    .replace(/<div class="gh-actions"><a [^>]*href="https:\/\/sp\.example\/">[^<]*<\/a><\/div>/, "") ?? text;
let generic: string | undefined;
async function expectRefused(answer: Answer, reason: string | RegExp, of = realm): Promise<void> {
  expect(answer.status, answer.text).toBe(400);
  generic ??= seenOn(answer);
  expect(generic).toContain("couldn’t accept the application’s request");
  // All refusals look the same.
  expect(seenOn(answer)).toBe(generic);
  expect(answer.headers.location).toBeUndefined();
  const event = await lastFailure(of);
  expect(event).toMatchObject({ category: "AUTHN", type: "SAML_LOGIN", outcome: "FAILURE" });
  expect(event.detail).toMatch(typeof reason === "string" ? new RegExp(`^${reason}: `) : reason);
}

test("the valid request is accepted, by POST and by Redirect", async () => {
  expect(await post(await signedXml())).toMatchObject({ status: 303 });
  expect(await get(await queryOf({}, "relay"))).toMatchObject({ status: 303 });
  expect(await failures()).toEqual([]);
});

describe("as text:", () => {
  const inIssuer = (what: string) => (xml: string) => xml.replace("</saml:Issuer>", `${what}</saml:Issuer>`);
  const rows: [what: string, reason: string, edit: (xml: string) => string | Buffer][] = [
    ["a comment in the issuer", "forbidden_node", inIssuer("<!-- -->")],
    ["an instruction in the issuer", "forbidden_node", inIssuer("<?p x?>")],
    ["CDATA in the issuer", "forbidden_node", inIssuer("<![CDATA[]]>")],
    ["a document type", "doctype", (xml) => `<!DOCTYPE x>${xml}`],
    ["an external entity", "doctype", (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${inIssuer("&e;")(xml)}`],
    ["an entity bomb", "doctype", (xml) => `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${inIssuer("&b;")(xml)}`],
    ["two roots", "not_well_formed", (xml) => `${xml}${xml}`],
    ["UTF-16", "encoding", (xml) => Buffer.from(`\ufeff${xml}`, "utf16le")],
    ["a declaration of UTF-7", "encoding", (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}`],
    ["NUL", "encoding", inIssuer("\0")],
    ["an ID in a namespace", "namespaced_id", (xml) => xml.replace("<saml:Issuer", '<saml:Issuer xmlns:x="urn:x" x:ID="_1"')],
    [
      "an ID twice",
      "duplicate_id",
      (xml) => xml.replace("</samlp:AuthnRequest>", `<x${/ ID="[^"]*"/.exec(xml)![0]}/></samlp:AuthnRequest>`),
    ],
    ["a depth bomb", "depth", inIssuer(`${"<a>".repeat(200)}${"</a>".repeat(200)}`)],
    ["an attribute bomb", "attributes", inIssuer(`<a${Array.from({ length: 200 }, (_, at) => ` a${at}=""`).join("")}/>`)],
    ["no XML", "not_well_formed", () => "SAMLRequest"],
    ["another message", "message", (xml) => xml.replaceAll("samlp:AuthnRequest", "samlp:ManageNameIDRequest")],
    ["another version", "signature_invalid", (xml) => xml.replace('Version="2.0"', 'Version="1.1"')],
    ["an edited attribute", "signature_invalid", (xml) => xml.replace('ForceAuthn="true"', 'ForceAuthn="false"')],
    ["another issuer", "unknown_client", (xml) => xml.replace(sp.entityId, "https://unknown.example")],
    ["no issuer", "issuer", (xml) => xml.replace(/<saml:Issuer.*?<\/saml:Issuer>/, "")],
  ];
  test.each(rows)("refuses %s", async (_, reason, edit) => {
    const xml = await signedXml();
    const edited = edit(xml);
    expect(edited).not.toBe(xml);
    await expectRefused(await post(edited), reason);
  });

  test("refuses forms that contain no request", async () => {
    const [xml, field] = [await signedXml(), base64("<x/>")];
    await expectRefused(await postForm({}), "binding");
    await expectRefused(await postForm({ SAMLRequest: "***" }), "binding");
    await expectRefused(await post(xml, { SAMLResponse: field }), "binding");
    await expectRefused(await postForm({ SAMLResponse: base64(xml) }), /^(binding|message): /);
    const twice = `SAMLRequest=${encodeURIComponent(base64(xml))}&SAMLRequest=${encodeURIComponent(base64(xml))}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await expectRefused(await iam.browser().request("POST", pathOf(sp.sso), { body: twice, headers, csrf: false }), "binding");
    await expectRefused(
      await post(render(await signed(logoutRequestElement(goodLogoutRequest()), rs256(peer)))),
      /^(message|unknown_client): /,
    );
  });

  test("refuses messages that are too large", async () => {
    const answer = await post(`${await signedXml()}${" ".repeat(600_000)}`);
    expect([400, 413]).toContain(answer.status);
  });
});

describe("signatures:", () => {
  const forge = (xml: string) => xml.replace('ForceAuthn="true"', 'ForceAuthn="false"');
  const kind = { forge, extensions: "samlp:Extensions" };
  const forms = Object.keys(wrapped('<samlp:X ID="_1"><saml:Issuer></saml:Issuer><ds:Signature ></ds:Signature></samlp:X>', kind));
  test.each(forms)("refuses %s", async (name) => {
    const xml = await signedXml();
    const edited = wrapped(xml, kind)[name]!;
    expect(edited).not.toBe(xml);
    await expectRefused(await post(edited), /^(signature_\w+|duplicate_id|message): /);
  });

  test.each(rightlySigned)("%s is accepted", async (_, oddity) => {
    expect(await post(oddlySigned(render(request()), peer, oddity))).toMatchObject({ status: 303 });
  });
  test.each(wronglySigned)("refuses one %s", async (_, reason, oddity) => {
    await expectRefused(await post(oddlySigned(render(request()), peer, oddity)), reason);
  });

  test("refuses another key in the message, even beside the registered certificate", async () => {
    const forged = await signedXml({}, other);
    await expectRefused(await post(forged), "signature_invalid");
    await expectRefused(await post(forged.replace(other.certificate, peer.certificate)), "signature_invalid");
    await expectRefused(await get(await queryOf({}, null, other)), "signature_invalid");
  });

  test("refuses a missing signature where one is required", async () => {
    await expectRefused(await post(render(request())), "signature_missing");
    const query = new URL(await redirectUrl({ location: sp.sso, message: request(), relayState: null, key: null })).search.slice(1);
    await expectRefused(await get(query), "signature_missing");
    // In the Redirect binding, a signature inside the message does not count.
    const inside = deflateRawSync(await signedXml()).toString("base64");
    await expectRefused(await get(`SAMLRequest=${encodeURIComponent(inside)}`), /^(signature_missing|binding): /);
  });

  test("refuses the valid signature of another service provider, and of the same one in another realm", async () => {
    const entityId = "https://another.example/metadata";
    await serviceProvider(iam, realm, { identity: other, entityId });
    await expectRefused(await post(await signedXml({ issuer: entityId }, peer)), "signature_invalid");
    await expectRefused(await post(await signedXml({}, other)), "signature_invalid");

    const elsewhere = await iam.realm();
    const there = await serviceProvider(iam, elsewhere, { identity: other });
    expect(there.entityId).toBe(sp.entityId);
    // The message is for this realm, but signed by the key of the other realm.
    await expectRefused(await post(await signedXml({}, other)), "signature_invalid");
    // The message is for this realm, but sent to the other realm.
    const ours = { SAMLRequest: base64(await signedXml({}, other)) };
    await expectRefused(await postForm(ours, there.sso), "destination", elsewhere);
  });

  test("refuses a key once it was replaced", async () => {
    const entityId = "https://rotates.example/metadata";
    await serviceProvider(iam, realm, { identity: peer, entityId });
    const path = `/saml-clients/${encodeURIComponent(entityId)}`;
    const sendOld = async () => post(await signedXml({ issuer: entityId }, peer));
    expect(await sendOld()).toMatchObject({ status: 303 });
    expect(await realm.asMaster().patch(path, { signingCertificate: other.pem })).toMatchObject({ status: 200 });
    await expectRefused(await sendOld(), "signature_invalid");
    expect(await post(await signedXml({ issuer: entityId }, other))).toMatchObject({ status: 303 });
  });
});

test("a signature is ignored without a registered certificate, and refused if one is required", async () => {
  const strict = await iam.realm();
  const { entityId, sso } = await serviceProvider(iam, strict);
  const send = async () => postForm({ SAMLRequest: base64(await signedXml({ issuer: entityId, destination: sso }, other)) }, sso);
  expect(await send()).toMatchObject({ status: 303 });
  const settings = { saml: { wantAuthnRequestsSigned: true } };
  expect(await strict.asMaster().put("/settings", settings)).toMatchObject({ status: 200 });
  await expectRefused(await send(), "no_certificate", strict);
});

describe("the query of the Redirect binding:", () => {
  const parts = async (relayState: string | null = "relay") =>
    Object.fromEntries((await queryOf({}, relayState)).split("&").map((part) => [part.slice(0, part.indexOf("=")), part])) as Record<
      "SAMLRequest" | "RelayState" | "SigAlg" | "Signature",
      string
    >;
  type Parts = Awaited<ReturnType<typeof parts>>;
  const sha512 = encodeURIComponent("http://www.w3.org/2001/04/xmldsig-more#rsa-sha512");
  const sha1 = encodeURIComponent("http://www.w3.org/2000/09/xmldsig#rsa-sha1");
  const bomb = encodeURIComponent(deflateRawSync(Buffer.alloc(64 * 1024 * 1024, " ")).toString("base64"));
  const rows: [what: string, reason: RegExp, query: (parts: Parts) => string][] = [
    ["a request twice", /^binding: /, (p) => [p.SAMLRequest, p.SAMLRequest, p.RelayState, p.SigAlg, p.Signature].join("&")],
    ["RelayState twice", /^binding: /, (p) => [p.SAMLRequest, p.RelayState, "RelayState=evil", p.SigAlg, p.Signature].join("&")],
    ["another RelayState", /^signature_invalid: /, (p) => [p.SAMLRequest, "RelayState=evil", p.SigAlg, p.Signature].join("&")],
    ["no RelayState", /^signature_invalid: /, (p) => [p.SAMLRequest, p.SigAlg, p.Signature].join("&")],
    ["no algorithm", /^(binding|signature_\w+): /, (p) => [p.SAMLRequest, p.RelayState, p.Signature].join("&")],
    ["no signature", /^(binding|signature_\w+): /, (p) => [p.SAMLRequest, p.RelayState, p.SigAlg].join("&")],
    ["an empty signature", /^(binding|signature_\w+|encoding): /, (p) => [p.SAMLRequest, p.RelayState, p.SigAlg, "Signature="].join("&")],
    ["another algorithm", /^signature_invalid: /, (p) => [p.SAMLRequest, p.RelayState, `SigAlg=${sha512}`, p.Signature].join("&")],
    ["SHA-1", /^signature_algorithm: /, (p) => [p.SAMLRequest, p.RelayState, `SigAlg=${sha1}`, p.Signature].join("&")],
    ["another encoding of the same", /^signature_invalid: /, (p) => [p.SAMLRequest, "RelayState=r%65lay", p.SigAlg, p.Signature].join("&")],
    [
      "a name that is encoded",
      /^(binding|signature_\w+): /,
      (p) => [p.SAMLRequest, p.RelayState.replace("State", "%53tate"), p.SigAlg, p.Signature].join("&"),
    ],
    [
      "an answer beside the request",
      /^binding: /,
      (p) => [p.SAMLRequest, "SAMLResponse=AAAA", p.RelayState, p.SigAlg, p.Signature].join("&"),
    ],
    ["no deflated data", /^binding: /, (p) => [`SAMLRequest=${encodeURIComponent(base64("<x/>"))}`, p.RelayState].join("&")],
    [
      "a node bomb",
      /^nodes: /,
      () => `SAMLRequest=${encodeURIComponent(deflateRawSync(`<x>${"<a/>".repeat(20_000)}</x>`).toString("base64"))}`,
    ],
    ["a deflate bomb", /^size: /, () => `SAMLRequest=${bomb}`],
    [
      "another encoding of messages",
      /^binding: /,
      (p) => [p.SAMLRequest, "SAMLEncoding=urn%3Aevil", p.RelayState, p.SigAlg, p.Signature].join("&"),
    ],
    ["nothing", /^binding: /, () => ""],
  ];
  test.each(rows)("refuses %s", async (_, reason, make) => {
    await expectRefused(await get(make(await parts())), reason);
  });
});

describe("its content:", () => {
  const rows: [what: string, reason: string, more: () => Partial<NewAuthnRequest>][] = [
    ["an address that is not registered", "acs", () => ({ assertionConsumerServiceUrl: "https://evil.example/acs" })],
    ["a longer address", "acs", () => ({ assertionConsumerServiceUrl: `${ACS}/evil` })],
    ["a registered address and a query", "acs", () => ({ assertionConsumerServiceUrl: `${ACS}?evil` })],
    ["a registered address as a user name", "acs", () => ({ assertionConsumerServiceUrl: `${ACS}@evil.example/` })],
    ["a registered address in capitals", "acs", () => ({ assertionConsumerServiceUrl: ACS.replace("sp.", "SP.") })],
    ["a registered address by a longer way", "acs", () => ({ assertionConsumerServiceUrl: ACS.replace("/acs", "/x/../acs") })],
    ["a prefix of a registered address", "acs", () => ({ assertionConsumerServiceUrl: ACS.slice(0, -1) })],
    ["a script as an address", "acs", () => ({ assertionConsumerServiceUrl: "javascript:alert(1)" })],
    ["an index that is not registered", "acs", () => ({ assertionConsumerServiceIndex: 7 })],
    ["an address and an index", "message", () => ({ assertionConsumerServiceUrl: ACS, assertionConsumerServiceIndex: 0 })],
    ["another destination", "destination", () => ({ destination: "https://evil.example/saml/idp/sso" })],
    ["no destination, although it is signed", "destination", () => ({ destination: null })],
    ["an hour ago", "expired", () => ({ issueInstant: clock.now() - 60 * MINUTE })],
    ["in an hour", "not_yet_valid", () => ({ issueInstant: clock.now() + 60 * MINUTE })],
    [
      "an unknown comparison",
      "message",
      () => ({ requestedAuthnContext: { comparison: "any" as never, classRefs: ["urn:x"], declRefs: [] } }),
    ],
  ];
  test.each(rows)("refuses %s, by POST and by Redirect", async (_, reason, more) => {
    await expectRefused(await post(await signedXml(more())), reason);
    await expectRefused(await get(await queryOf(more())), reason);
  });

  test.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "\tjavascript:alert(1)",
    "java\tscript:alert(1)",
    "java\r\nscript\t:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "x".repeat(81),
    "é".repeat(41),
  ])("refuses the RelayState %j, by POST and by Redirect", async (relayState) => {
    await expectRefused(await post(await signedXml(), { RelayState: relayState }), "relay_state");
    await expectRefused(await get(await queryOf({}, relayState)), "relay_state");
  });

  test("refuses a service provider that is disabled, or not there", async () => {
    const entityId = "https://disabled.example/metadata";
    await serviceProvider(iam, realm, { identity: peer, entityId, enabled: false });
    await expectRefused(await post(await signedXml({ issuer: entityId })), "disabled_client");
    await expectRefused(await post(await signedXml({ issuer: `${entityId}/` })), "unknown_client");
    await expectRefused(await post(await signedXml({ issuer: entityId.toUpperCase() })), "unknown_client");
  });

  test("takes a longer RelayState where it is an address of the service provider itself", async () => {
    const page = `https://sp.example/deep?page=${"x".repeat(200)}`;
    expect(await get(await queryOf({}, page))).toMatchObject({ status: 303 });
    expect(await post(await signedXml(), { RelayState: page })).toMatchObject({ status: 303 });
    for (const evil of [
      page.replace("sp.", "evil."),
      page.replace("https:", "http:"),
      page.replace("https://", "https://evil@"),
      page.slice(8),
    ])
      await expectRefused(await get(await queryOf({}, evil)), "relay_state");
    await expectRefused(await post(await signedXml(), { RelayState: `${page}${"x".repeat(2_000)}` }), "relay_state");
  });

  test("refuses IdP-initiated sign-ins that are disabled, unknown, or have a RelayState that is not allowed", async () => {
    const start = (entityId: string, query = "") =>
      iam.browser().get(`${pathOf(sp.issuer)}/saml/idp/start/${encodeURIComponent(entityId)}${query}`);
    await expectRefused(await start(sp.entityId), "idp_initiated_off");
    await expectRefused(await start("https://unknown.example"), "unknown_client");
    const entityId = "https://portal.example/metadata";
    const options = { idpInitiatedSsoEnabled: true, allowedRelayStates: ["https://portal.example/app"] };
    await serviceProvider(iam, realm, { entityId, options });
    for (const evil of [
      "https://evil.example/",
      "https://portal.example/apple",
      "https://portal.example/app/../admin",
      "javascript:alert(1)",
    ])
      await expectRefused(await start(entityId, `?RelayState=${encodeURIComponent(evil)}`), "relay_state");
    expect(await start(entityId, "?RelayState=https%3A%2F%2Fportal.example%2Fapp%2F1")).toMatchObject({ status: 303 });
  });
});

test("a thousand mutations of a valid request are refused, except those with the same content", async () => {
  const next = seededRandom(16).below;
  const good = await signedXml();
  const trust = { keys: [verificationKey(peer.certificate)], required: true };
  const open = async (xml: string) => (await openAuthnRequest(readPost({ SAMLRequest: base64(xml) }), trust)).message;
  const expected = await open(good);
  let refused = 0;
  const send = async (xml: string) => {
    const { status } = await post(xml);
    if (status === 400) refused++;
    else {
      expect(status, xml).toBe(303);
      // An accepted message has the signed content. The change is in KeyInfo, or another encoding of the same characters.
      expect(await open(xml).catch((error: SamlError) => error.reason), xml).toEqual(expected);
    }
  };
  for (let round = 0; round < 50; round++) await Promise.all(Array.from({ length: 20 }, () => send(mutated(good, next))));
  expect(refused).toBeGreaterThan(600);
});
