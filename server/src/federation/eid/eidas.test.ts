import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { xmlsecPath } from "../../../test/peers/index.mjs";
import { clock } from "../../kernel/clock.ts";
import { type BrokeredRealm, brokeredRealm } from "../../testing/brokered-realm.ts";
import { newId } from "../../testing/eid-messages.ts";
import { company, type EidAnswer, type EidasPeer, eidasPeer, LEGAL, NATURAL, person, readRequest } from "../../testing/eid-peers.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { haveSchemas, makeIdentity, schemaComplaints, xmlsecVerifies } from "../../testing/saml-peers.ts";
import { followed } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: EidasPeer;
beforeAll(async () => {
  [iam, peer] = await Promise.all([sharedHarness({ GATEHOUSE_MODE: "development" }), eidasPeer()]);
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const LOA = "http://eidas.europa.eu/LoA/";
const NON_NOTIFIED = "http://eidas.europa.eu/NonNotified/LoA/";
const NATURAL_NAMES = "http://eidas.europa.eu/attributes/naturalperson/";

const brokered = (config: Record<string, unknown> = {}) =>
  brokeredRealm(iam, { alias: "eu", protocol: "eidas", config: { ...peer.config, ...config } });

async function leave(sp: BrokeredRealm) {
  const { browser, left } = await sp.leave();
  return { browser, asked: readRequest(left) };
}

async function signIn(sp: BrokeredRealm, answer: EidAnswer = {}) {
  const { browser, asked } = await leave(sp);
  return sp.post(browser, peer.respond(asked, answer));
}

test("a natural person signs in by their identifier, with the names that are in Latin script; again it is the same account", async () => {
  const sp = await brokered();
  const mapper = { name: "Born", type: "attribute", claim: `${NATURAL_NAMES}DateOfBirth`, attribute: "birthdate" };
  await sp.realm.asMaster().post("/identity-providers/eu/mappers", mapper);
  const back = await signIn(sp);
  expect(await sp.subjects(), back.text).toEqual(["ES/NL/02635542Y"]);
  expect((await sp.users())[0]?.attributes).toMatchObject({ firstName: "Alexander", lastName: "Onassis", birthdate: "1965-01-01" });
  // RSA-PSS, another cipher and the older key transport are the scheme's as well.
  await signIn(sp, {
    signing: { identity: peer.rsaSigner, by: "pss" },
    encrypting: { cipher: "aes128-gcm", transport: "mgf1p" },
    loa: `${LOA}high`,
  });
  expect(await sp.subjects()).toHaveLength(1);
  expect(await sp.realm.events("type=BROKER_LOGIN&outcome=FAILURE")).toEqual([]);
});

test("people cannot change attributes that the scheme supplied, on the profile page and in the account API; an administrator can", async () => {
  const sp = await brokered();
  const master = sp.realm.asMaster();
  const mapper = { name: "Born", type: "attribute", claim: `${NATURAL_NAMES}DateOfBirth`, attribute: "birthdate" };
  await master.post("/identity-providers/eu/mappers", mapper);
  const { body: settings } = await master.get("/settings");
  await master.put("/settings", { ...settings, account: { ...settings.account, changeEmail: true } });
  const { browser, asked } = await leave(sp);
  const page = await followed(browser, await sp.post(browser, peer.respond(asked, {})));
  const fields = [...page.text.matchAll(/name="(firstName|lastName|email)"/g)].map(([, name]) => name);
  expect(fields, "only what is missing is asked for").toEqual(["email"]);
  const [{ userId }] = await sp.users();
  await sql`update users set required_actions = '[]' where realm_id = ${sp.realm.name} and user_id = ${userId}`.execute(iam.core.db);
  const again = await leave(sp);
  await sp.post(again.browser, peer.respond(again.asked, {}));
  const at = `/realms/${sp.realm.name}/account/profile`;
  const { body: profile } = await again.browser.get(at);
  const refused = await again.browser.put(at, {
    ...profile,
    lastName: "Other",
    attributes: { ...profile.attributes, birthdate: "2000-01-01" },
  });
  expect([refused.status, refused.body.code], refused.text).toEqual([409, "users.supplied_by_provider"]);
  expect(refused.body.detail).toContain("lastName");
  expect((await again.browser.put(at, { ...profile, locale: "nl" })).status).toBe(200);
  expect((await master.patch(`/users/${userId}`, { attributes: { lastName: "Corrected" } })).status).toBe(200);
});

test("a company signs in by its own identifier, and a representative for it where the operator opted in", async () => {
  const sp = await brokered({ subjectAttribute: "LegalPersonIdentifier", representation: true });
  await signIn(sp, { attributes: LEGAL });
  await signIn(sp, { attributes: [company("LegalPersonIdentifier", "ES/NL/B2"), company("LegalName", "Two"), ...NATURAL] });
  const representative = NATURAL.map((attribute) => attribute.replace("naturalperson/", "naturalperson/representative/"));
  await signIn(sp, { attributes: [company("LegalPersonIdentifier", "ES/NL/B3"), company("LegalName", "Three"), ...representative] });
  expect(await sp.subjects()).toEqual(["ES/NL/B12345678", "ES/NL/B2", "ES/NL/B3"]);
  await signIn(sp, {
    attributes: [company("LegalPersonIdentifier", "ES/NL/B4"), company("LegalName", "Four"), ...representative.slice(1)],
  });
  expect((await sp.realm.events("type=BROKER_LOGIN"))[0]).toMatchObject({ outcome: "FAILURE", detail: "eu: attributes" });
});

test("the request is what a node asks for, signed by ECDSA or RSA-PSS", async () => {
  const sp = await brokered({ requestedAttributes: [`${NATURAL_NAMES}PlaceOfBirth`] });
  const { asked } = await leave(sp);
  const { xml } = asked;
  expect(asked.location).toBe(peer.config.ssoUrl);
  expect(xml).toMatch(/ForceAuthn="true" ID="[^"]+" IsPassive="false"/);
  expect(xml).toContain('ProviderName="Gemeente"');
  expect(xml).toMatch(/<samlp:Extensions><eidas:SPType xmlns:eidas="http:\/\/eidas.europa.eu\/saml-extensions">public<\/eidas:SPType>/);
  const requested = [...xml.matchAll(/<eidas:RequestedAttribute Name="[^"]*\/(\w+)" NameFormat="[^"]*:uri" isRequired="(\w+)"/g)];
  expect(requested.map(([, name, isRequired]) => `${name} ${isRequired}`)).toEqual([
    "PersonIdentifier true",
    "CurrentFamilyName true",
    "CurrentGivenName true",
    "DateOfBirth true",
    "PlaceOfBirth false",
  ]);
  expect(xml).toMatch(new RegExp(`<samlp:RequestedAuthnContext Comparison="minimum"><saml:AuthnContextClassRef[^>]*>${LOA}substantial<`));
  expect(xml).toContain("ecdsa-sha256");
  expect(xml).not.toContain("NameIDPolicy");
  if (xmlsecPath()) expect(xmlsecVerifies(xml, peer.sp)).toMatchObject({ ok: true });
  if (haveSchemas()) expect(schemaComplaints(xml)).toBeNull();

  const privatePem = peer.decryption.privateKey.export({ type: "pkcs8", format: "pem" });
  const rsa = { spSigningPrivateKey: privatePem, spSigningCertificate: peer.decryption.pem, subjectAttribute: "LegalPersonIdentifier" };
  const other = await leave(await brokered({ ...rsa, spType: "private", minimumLoa: "high", allowNonNotified: true }));
  expect(other.asked.xml).toContain("sha256-rsa-MGF1");
  expect(other.asked.xml).toContain(">private</eidas:SPType>");
  expect(other.asked.xml).toContain("/legalperson/LegalName");
  expect(other.asked.xml).toMatch(/Comparison="exact".*>http:\/\/eidas.europa.eu\/LoA\/high<.*\/NonNotified\/LoA\/high</);

  const metadata = (await iam.browser().get(`/realms/${sp.realm.name}/broker/eu/metadata`)).text;
  expect(metadata).toMatch(/AuthnRequestsSigned="true" WantAssertionsSigned="true"/);
  expect(metadata).toContain("PersonIdentifier");
  if (haveSchemas()) expect(schemaComplaints(metadata)).toBeNull();
});

test("a node may encrypt for an EC key, by ECDH-ES; the metadata says so", async () => {
  const [ours, another] = await Promise.all([makeIdentity("P-384"), makeIdentity("P-384")]);
  const key = String(ours.privateKey.export({ type: "pkcs8", format: "pem" }));
  const sp = await brokered({ spDecryptionPrivateKey: key, spDecryptionCertificate: ours.pem });
  await signIn(sp, { recipient: ours });
  expect(await sp.subjects()).toEqual(["ES/NL/02635542Y"]);
  for (const recipient of [another, peer.decryption]) await signIn(sp, { recipient });
  expect(await sp.failures()).toEqual(["eu: decryption", "eu: decryption"]);
  const metadata = (await iam.browser().get(`${sp.at}/metadata`)).text;
  expect(metadata).toContain("xmlenc11#ECDH-ES");
  expect(metadata).not.toContain("rsa-oaep");
  if (haveSchemas()) expect(schemaComplaints(metadata)).toBeNull();
});

test("a scheme that is not notified counts only where it is allowed, and by the same ranks", async () => {
  const sp = await brokered({ allowNonNotified: true });
  await signIn(sp, { loa: `${NON_NOTIFIED}substantial` });
  expect(await sp.subjects()).toHaveLength(1);
  await signIn(sp, { loa: `${NON_NOTIFIED}low` });
  expect((await sp.realm.events("type=BROKER_LOGIN"))[0]).toMatchObject({ outcome: "FAILURE", detail: "eu: loa_too_low" });
});

const without = (name: string) => NATURAL.filter((attribute) => !attribute.includes(`/${name}"`));
const twice = (pattern: RegExp) => (xml: string) => xml.replace(pattern, (one) => `${one}${one}`);

const wrong: [what: string, reason: string, answer: () => EidAnswer][] = [
  ["a level below the least", "loa_too_low", () => ({ loa: `${LOA}low` })],
  ["an unknown level", "loa_unknown", () => ({ loa: `${LOA}extreme` })],
  ["a scheme that is not notified", "non_notified", () => ({ loa: `${NON_NOTIFIED}high` })],
  ["no identifier", "attributes", () => ({ attributes: without("PersonIdentifier") })],
  [
    "two identifiers",
    "attributes",
    () => ({ attributes: [...without("PersonIdentifier"), person("PersonIdentifier", "ES/NL/1", "ES/NL/2")] }),
  ],
  ["no date of birth", "attributes", () => ({ attributes: without("DateOfBirth") })],
  ["an empty name", "attributes", () => ({ attributes: [...without("CurrentFamilyName"), person("CurrentFamilyName", " ")] })],
  ["half a company", "attributes", () => ({ more: LEGAL.slice(1) })],
  ["a company alone", "attributes", () => ({ attributes: LEGAL })],
  ["a representative", "mandate", () => ({ more: [person("representative/PersonIdentifier", "ES/NL/3")] })],
  ["two AuthnStatements", "authn_statement", () => ({ edit: twice(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/s) })],
  ["two AttributeStatements", "attribute_statement", () => ({ edit: twice(/<saml:AttributeStatement.*<\/saml:AttributeStatement>/s) })],
  ["two confirmations", "subject_confirmation", () => ({ edit: twice(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/s) })],
  ["RSA with PKCS#1", "signature_algorithm", () => ({ signing: { identity: peer.rsaSigner, by: "pkcs1" } })],
  ["another's signature", "signature_invalid", () => ({ signing: { identity: peer.other, by: "pss" } })],
  ["an unsigned Response", "unsigned", () => ({ isResponseSigned: false })],
  ["an unsigned assertion", "unsigned", () => ({ isAssertionSigned: false })],
  ["a plain assertion", "unencrypted", () => ({ isEncrypted: false })],
  ["two assertions", "assertion_count", () => ({ content: (xml) => `${xml}${xml.replaceAll(/Id="[^"]+"/g, `Id="${newId()}"`)}` })],
  ["CBC", "encryption_algorithm", () => ({ encrypting: { cipher: "aes256-cbc" } })],
  ["RSA PKCS#1 1.5", "encryption_algorithm", () => ({ encrypting: { transport: "rsa-1_5" } })],
  ["a cut tag", "decryption", () => ({ encrypting: { change: (bytes) => bytes.subarray(0, -4) } })],
  ["another's key", "decryption", () => ({ recipient: peer.other })],
];

test("a refused response signs no user in, and is recorded", async () => {
  let sp = await brokered();
  for (const [i, [what, reason, answer]] of wrong.entries()) {
    // The first refusals of a flood in one realm are recorded.
    if (i === 15) sp = await brokered();
    await signIn(sp, answer());
    const [event] = await sp.realm.events("type=BROKER_LOGIN");
    expect([what, event?.outcome, event?.detail]).toEqual([what, "FAILURE", `eu: ${reason}`]);
    expect(await sp.subjects(), what).toEqual([]);
  }
});
