import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { xmlsecPath } from "../../../test/peers/index.mjs";
import { clock } from "../../kernel/clock.ts";
import { type BrokeredRealm, brokeredRealm } from "../../testing/brokered-realm.ts";
import { assertionXml, attribute, newId, signedBy } from "../../testing/eid-messages.ts";
import {
  type EherkenningPeer,
  type EidAnswer,
  eherkenningPeer,
  KVK,
  nameId,
  PSEUDO,
  RSIN,
  readRequest,
  SERVICE_ID,
  SERVICE_UUID,
} from "../../testing/eid-peers.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { haveSchemas, schemaComplaints, xmlsecVerifies } from "../../testing/saml-peers.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: EherkenningPeer;
beforeAll(async () => {
  [iam, peer] = await Promise.all([sharedHarness({ GATEHOUSE_MODE: "development" }), eherkenningPeer()]);
});
afterEach(() => clock.reset());
afterAll(async () => {
  await peer?.close();
  await iam?.close();
});

const LOA = "urn:etoegang:core:assurance-class:";
const LEGAL = "urn:etoegang:core:LegalSubjectID";
const ACTING = "urn:etoegang:core:ActingSubjectID";

const brokered = (config: Record<string, unknown> = {}) =>
  brokeredRealm(iam, { alias: "eh", protocol: "eherkenning", config: { ...peer.config, ...config } });

async function leave(sp: BrokeredRealm) {
  const { browser, left } = await sp.leave();
  return { browser, asked: readRequest(left) };
}

async function signIn(sp: BrokeredRealm, answer: EidAnswer = {}) {
  const { browser, asked } = await leave(sp);
  const query = peer.artifact(asked, answer);
  return { browser, asked, query, back: await sp.bring(browser, query) };
}

test("an artifact that is resolved after the deadline signs no one in, and leads back", async () => {
  const { server } = await iam.secondNode({ GATEHOUSE_PROVIDER_TIMEOUT_MS: "1000" });
  const sp = await brokered();
  const { browser, left } = await sp.leave(iam.browser().elsewhere(server.app));
  const query = peer.artifact(readRequest(left));
  // Within the time of a single call.
  peer.slow(2_500);
  const back = await sp.bring(browser, query);
  peer.slow(0);
  expect([back.status, back.text.includes("We can’t reach that provider"), back.text.includes("Continue with Corporate")]).toEqual([
    400,
    true,
    true,
  ]);
  expect([await sp.users(), await sp.failures()]).toEqual([[], ["eh: timeout"]]);
});

test("an artifact leads to the company's account, by the broker's answer over SOAP; again it is the same account", async () => {
  const sp = await brokered();
  const mapper = { name: "KvK", type: "attribute", claim: KVK, attribute: "kvk" };
  expect((await sp.realm.asMaster().post("/identity-providers/eh/mappers", mapper)).status).toBe(201);
  const { back, asked } = await signIn(sp);
  expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
  expect(asked.location).toBe(peer.config.ssoUrl);
  expect(await sp.subjects()).toEqual([`${KVK} 12345678`]);
  expect((await sp.users())[0]?.attributes).toMatchObject({ firstName: "Ada", lastName: "Lovelace", kvk: "12345678" });
  expect(await sp.realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", detail: "eh" }]);

  // The NameID of the subject was another one; so is the form this time.
  const { browser, asked: again } = await leave(sp);
  const posted = await browser.request("POST", new URL(again.acs).pathname, { form: peer.artifact(again), csrf: false });
  const { pathname, search } = new URL(String(posted.headers.location), iam.config.baseUrl);
  expect(isSignedIn(await browser.get(`${pathname}${search}`), sp.realm.name)).toBe(true);
  expect(await sp.subjects()).toHaveLength(1);
});

test("the request is what the scheme asks for: signed by a named key, always fresh, for one service, at the least level", async () => {
  const sp = await brokered();
  const { asked } = await signIn(sp);
  const { xml } = asked;
  expect(xml).toMatch(/ForceAuthn="true" ID="[^"]+" IsPassive="false"/);
  expect(xml).toContain('AttributeConsumingServiceIndex="1"');
  expect(xml).toContain('ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact"');
  expect(xml).toContain(`<samlp:RequestedAuthnContext Comparison="minimum">`);
  expect(xml).toContain(`>${LOA}loa3</saml:AuthnContextClassRef>`);
  expect(xml).not.toContain("NameIDPolicy");
  expect(xml).not.toContain("X509");
  expect(xml).toMatch(/<ds:KeyInfo><ds:KeyName>[0-9a-f]{64}<\/ds:KeyName><\/ds:KeyInfo>/);
  expect(asked.issuer).toBe(peer.spEntityId);
  expect(Buffer.byteLength(asked.relayState)).toBeLessThanOrEqual(80);
  const resolve = peer.resolves.at(-1)!.replace(/^.*?<soap:Body>|<\/soap:Body>.*$/gs, "");
  if (xmlsecPath()) for (const message of [xml, resolve]) expect(xmlsecVerifies(message, peer.sp)).toMatchObject({ ok: true });
  if (haveSchemas()) for (const message of [xml, resolve]) expect(schemaComplaints(message)).toBeNull();
  expect(resolve).not.toContain("X509");

  const without = await brokered({
    requestLoa: false,
    attributeConsumingServiceIndex: 7,
    providerName: "Gemeente",
    spSigningKeyName: "mine",
  });
  const { asked: plain } = await leave(without);
  expect(plain.xml).not.toContain("RequestedAuthnContext");
  expect(plain.xml).toMatch(/AttributeConsumingServiceIndex="7".* ProviderName="Gemeente"/);
  expect(plain.xml).toContain("<ds:KeyName>mine</ds:KeyName>");
});

test("the metadata is signed, names both keys and the service", async () => {
  const sp = await brokered({ requestedAttributes: ["urn:etoegang:1.9:attribute:FirstName"], spDecryptionKeyName: "for <us>" });
  const { status, text } = await iam.browser().get(`/realms/${sp.realm.name}/broker/eh/metadata`);
  expect(status, text).toBe(200);
  expect(text).toContain(`entityID="${peer.spEntityId}"`);
  expect(text).toMatch(/<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true"/);
  expect(text).toMatch(/<md:KeyDescriptor use="signing"><ds:KeyInfo[^>]*><ds:KeyName>[0-9a-f]{64}<\/ds:KeyName><ds:X509Data>/);
  expect(text).toMatch(/<md:KeyDescriptor use="encryption"><ds:KeyInfo[^>]*><ds:KeyName>for &lt;us&gt;<\/ds:KeyName><ds:X509Data>/);
  expect(text).toMatch(/<md:AssertionConsumerService Binding="[^"]*HTTP-Artifact"/);
  expect(text).toMatch(
    new RegExp(
      `<md:AttributeConsumingService index="1" isDefault="true"><md:ServiceName xml:lang="en">Corporate</md:ServiceName><md:RequestedAttribute Name="${SERVICE_ID}" isRequired="true"`,
    ),
  );
  if (xmlsecPath()) expect(xmlsecVerifies(text, peer.sp)).toMatchObject({ ok: true });
  if (haveSchemas()) expect(schemaComplaints(text)).toBeNull();
});

describe("the account", () => {
  const legal = (...values: [string, string][]) => attribute(LEGAL, ...values.map(([type, value]) => peer.identifier(type, value)));
  const acting = () => attribute(ACTING, peer.identifier(PSEUDO, "AB@CD"));
  const service = () => [attribute("urn:etoegang:core:ServiceID", SERVICE_ID), attribute("urn:etoegang:core:ServiceUUID", SERVICE_UUID)];

  test("is of the type that is configured, of the best known one, or of the only one", async () => {
    const both = () => ({ attributes: [...service(), legal([RSIN, "001234567"], [KVK, "12345678"])] });
    const first = await brokered();
    await signIn(first, both());
    expect(await first.subjects()).toEqual([`${KVK} 12345678`]);
    const rsin = await brokered({ subjectQualifier: RSIN });
    await signIn(rsin, both());
    // The same number of another type is another account.
    await signIn(rsin, { attributes: [...service(), legal([RSIN, "12345678"])] });
    expect(await rsin.subjects()).toEqual([`${RSIN} 001234567`, `${RSIN} 12345678`]);
    expect(isSignedIn((await signIn(rsin, { attributes: [...service(), legal([KVK, "1"])] })).back, rsin.realm.name)).toBe(false);
    await signIn(first, { attributes: [...service(), legal([PSEUDO, "12345678"])] });
    expect(await first.subjects()).toEqual([`${PSEUDO} 12345678`, `${KVK} 12345678`].sort());
  });

  test("belongs to the person and the company: a person's pseudonym is the same for every company that they act for", async () => {
    const sp = await brokered({ subjectAttribute: ACTING });
    for (const number of ["11111111", "22222222"]) await signIn(sp, { attributes: [...service(), legal([KVK, number]), acting()] });
    await signIn(sp, { attributes: [...service(), acting()] });
    expect(await sp.subjects()).toEqual([`${PSEUDO} AB@CD`, `${PSEUDO} AB@CD ${KVK} 11111111`, `${PSEUDO} AB@CD ${KVK} 22222222`]);
  });
});

describe("a mandate", () => {
  const REPRESENTATION = "urn:etoegang:core:Representation";
  const INTERMEDIATE = "urn:etoegang:1.9:IntermediateEntityID:KvKnr";
  const BRANCH = "urn:etoegang:1.9:ServiceRestriction:Vestigingsnr";

  test("is taken where the operator opted in, with the attributes that they listed and no other", async () => {
    const sp = await brokered({ representation: true, representationAttributes: [REPRESENTATION, INTERMEDIATE] });
    const mapper = { name: "By", type: "attribute", claim: INTERMEDIATE, attribute: "intermediary" };
    await sp.realm.asMaster().post("/identity-providers/eh/mappers", mapper);
    const more = () => [attribute(REPRESENTATION, "true"), attribute(INTERMEDIATE, peer.identifier(INTERMEDIATE, "87654321"))];
    expect(isSignedIn((await signIn(sp, { more: more() })).back, sp.realm.name)).toBe(true);
    expect((await sp.users())[0]?.attributes).toMatchObject({ intermediary: "87654321" });
    const limited = await signIn(sp, { more: [...more(), attribute(BRANCH, "000012345678")] });
    expect(isSignedIn(limited.back, sp.realm.name), "a branch is less than the company").toBe(false);
    expect((await sp.realm.events("type=BROKER_LOGIN&outcome=FAILURE"))[0]).toMatchObject({ detail: "eh: mandate" });
  });

  test("is none where the answer says so", async () => {
    const sp = await brokered();
    expect(isSignedIn((await signIn(sp, { more: [attribute(REPRESENTATION, "false")] })).back, sp.realm.name)).toBe(true);
  });
});

describe("is refused, signs no user in, and is recorded:", () => {
  const MANDATES = [
    attribute("urn:etoegang:core:Representation", "true"),
    attribute("urn:etoegang:core:AuthorizationRegistryID", "urn:etoegang:MR:1:entities:1"),
    attribute("urn:etoegang:1.9:IntermediateEntityID:KvKnr", "87654321"),
    attribute("urn:etoegang:1.13:ServiceRestriction:Vestigingsnr", "1"),
  ];
  const service = (id = SERVICE_ID, uuid = SERVICE_UUID) => [
    attribute("urn:etoegang:core:ServiceID", id),
    attribute("urn:etoegang:core:ServiceUUID", uuid),
  ];
  const legal = (content: string) => [...service(), attribute(LEGAL, content)];
  const advice = () => {
    const id = newId();
    const inner = { id, now: clock.now(), issuer: peer.entityId, audience: peer.spEntityId, recipient: "https://x", inResponseTo: "_x" };
    return signedBy({ identity: peer.signer, by: "pkcs1" }, assertionXml({ ...inner, loa: `${LOA}loa4`, attributes: [] }), id);
  };
  const second = /<saml:AuthnStatement.*<\/saml:AuthnStatement>/s;

  const wrong: [what: string, reason: string, answer: () => EidAnswer][] = [
    ["a level below the least", "loa_too_low", () => ({ loa: `${LOA}loa2plus` })],
    ["the withdrawn level", "loa_too_low", () => ({ loa: `${LOA}loa1` })],
    ["an unknown level", "loa_unknown", () => ({ loa: `${LOA}loa5` })],
    ["a level of another scheme", "loa_unknown", () => ({ loa: "http://eidas.europa.eu/LoA/high" })],
    ["no level", "loa_unknown", () => ({ edit: (xml) => xml.replace(/<saml:AuthnContextClassRef>.*?<\/saml:AuthnContextClassRef>/, "") })],
    ["a level in Advice alone", "loa_too_low", () => ({ loa: `${LOA}loa2`, advice: advice() })],
    ["two levels", "authn_statement", () => ({ edit: (xml) => xml.replace(second, (one) => `${one.replace("loa3", "loa2")}${one}`) })],
    ["no subject attribute", "subject", () => ({ attributes: service() })],
    ["a subject attribute of the person alone", "subject", () => ({ attributes: [...service(), attribute(ACTING, nameId(PSEUDO, "x"))] })],
    ["a subject that is text", "subject", () => ({ attributes: legal("12345678") })],
    ["a subject without a type", "subject", () => ({ attributes: legal(nameId("", "12345678").replace(' NameQualifier=""', "")) })],
    ["two subjects of a type", "subject", () => ({ attributes: legal(nameId(KVK, "1")), more: [attribute(LEGAL, nameId(KVK, "2"))] })],
    ["another service", "service", () => ({ attributes: [...service(`${SERVICE_ID}9`), attribute(LEGAL, nameId(KVK, "1"))] })],
    ["another UUID", "service", () => ({ attributes: [...service(SERVICE_ID, newId()), attribute(LEGAL, nameId(KVK, "1"))] })],
    ["no service", "service", () => ({ attributes: [attribute(LEGAL, nameId(KVK, "1"))] })],
    ...MANDATES.map((more, i): [string, string, () => EidAnswer] => [`mandate ${i + 1}`, "mandate", () => ({ more: [more] })]),
    ["an unsigned assertion", "unsigned", () => ({ isAssertionSigned: false })],
    ["another's signature", "signature_invalid", () => ({ signing: { identity: peer.other, by: "pkcs1" } })],
    ["RSA-PSS, which is not the scheme's", "signature_algorithm", () => ({ signing: { identity: peer.signer, by: "pss" } })],
    ["two assertions", "assertion_count", () => ({ content: (xml) => `${xml}${xml.replace(/ (I[Dd])="([^"]+)"/g, ' $1="$2x"')}` })],
    ["an identifier for another", "decryption", () => ({ recipient: peer.other })],
    ["RSA PKCS#1 1.5", "encryption_algorithm", () => ({ encrypting: { transport: "rsa-1_5" } })],
    ["broken CBC", "decryption", () => ({ encrypting: { change: (bytes) => bytes.fill(0, 16, 32) } })],
    ["broken padding", "decryption", () => ({ encrypting: { change: (bytes) => bytes.fill(7, bytes.length - 16) } })],
    ["a cut tag", "decryption", () => ({ encrypting: { cipher: "aes256-gcm", change: (bytes) => bytes.subarray(0, -4) } })],
    ["a small cipher", "encryption_algorithm", () => ({ encrypting: { cipher: "aes128-gcm" } })],
    ["an EncryptedID that is no NameID", "decryption", () => ({ attributes: legal(peer.identifier(KVK, "1", {}, "<x/>")) })],
  ];

  test("each", async () => {
    let sp = await brokered();
    for (const [i, [what, reason, answer]] of wrong.entries()) {
      // The first refusals of a flood in one realm are recorded.
      if (i === 15) sp = await brokered();
      const { back } = await signIn(sp, answer());
      expect(isSignedIn(back, sp.realm.name), what).toBe(false);
      const [event] = await sp.realm.events("type=BROKER_LOGIN");
      expect([what, event?.outcome, event?.detail]).toEqual([what, "FAILURE", `eh: ${reason}`]);
    }
    expect(await sp.subjects()).toEqual([]);
  });

  test("an artifact that was resolved, one of another broker, and a Response by POST", async () => {
    const sp = await brokered();
    const { browser, query } = await signIn(sp);
    expect(isSignedIn(await sp.bring(browser, query), sp.realm.name)).toBe(false);
    const { browser: other, asked } = await leave(sp);
    // The same artifact in a sign-in of another browser: the broker gives it once.
    expect(isSignedIn(await sp.bring(other, { ...query, RelayState: asked.relayState }), sp.realm.name)).toBe(false);
    const [event] = await sp.realm.events("type=BROKER_LOGIN");
    expect(event).toMatchObject({ outcome: "FAILURE", detail: "eh: no_answer" });
    const { browser: third, asked: again } = await leave(sp);
    const foreign = { ...peer.artifact(again), SAMLart: Buffer.alloc(44, 4).fill(0, 0, 1).fill(0, 2, 4).toString("base64") };
    expect(isSignedIn(await sp.bring(third, foreign), sp.realm.name)).toBe(false);
    const form = { SAMLResponse: Buffer.from(peer.response(again)).toString("base64"), RelayState: again.relayState };
    const posted = await third.request("POST", new URL(again.acs).pathname, { form, csrf: false });
    expect(String(posted.headers.location)).toContain("error=");
    expect(await sp.subjects()).toHaveLength(1);
  });
});
