// Attacks on a realm as a service provider: every case is refused by the same page, and its reason is in the audit trail.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { DATA_ENCRYPTION, errorResponse, logoutRequestElement, newMessageId, render, STATUS, signed } from "../../platform/saml/index.ts";
import { type SamlBrokered, samlBrokered } from "../../testing/brokered-realm.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { encrypted, signedBy } from "../../testing/eid-messages.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { inclusivelySigned, oddlySigned, rightlySigned, SIGNATURE, wrapped, wronglySigned } from "../../testing/saml-attacks.ts";
import { type Asked, type SamlPeer, type SamlPeerAnswer, samlPeer } from "../../testing/saml-identity-provider.ts";
import { goodLogoutRequest, rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: SamlPeer;
let other: Identity;
let ours: Identity;
/** Takes what is signed as a whole or in its assertion, and what is encrypted. */
let sp: SamlBrokered;
beforeAll(async () => {
  [iam, peer, other, ours] = await Promise.all([
    sharedHarness({ GATEHOUSE_MODE: "development" }),
    samlPeer(),
    makeIdentity(),
    makeIdentity(),
  ]);
  await iam.server.jobs.stop();
  const key = String(ours.privateKey.export({ type: "pkcs8", format: "pem" }));
  sp = await samlBrokered(iam, { ...peer.config, spDecryptionPrivateKey: key });
});
// Twenty refusals a minute are recorded.
beforeEach(() => clock.advance(12 * SECOND));
afterAll(async () => {
  clock.reset();
  await peer?.close();
  await iam?.close();
});

/** Only the assertion, or only the Response, is signed: each must hold alone. */
const ASSERTION: SamlPeerAnswer = { protection: { signAssertion: true, signResponse: false } };
const RESPONSE: SamlPeerAnswer = { protection: { signAssertion: false, signResponse: true } };
const UNSIGNED: SamlPeerAnswer = { protection: { signAssertion: false, signResponse: false } };

interface Run {
  readonly browser: Browser;
  readonly asked: Asked;
}
async function begin(at: SamlBrokered = sp): Promise<Run> {
  const { browser, left } = await at.leave();
  return { browser, asked: await peer.read(left) };
}
const xmlOf = async ({ asked }: Run, said: SamlPeerAnswer = {}) => render(await peer.message(asked, said));
const send = ({ browser, asked }: Run, xml: string | Buffer, at = sp) => at.post(browser, peer.form(xml as string, asked.relayState));

/** The part of the page about the refusal. */
const seenOn = ({ text }: Answer) => /<div id="gh-error">.*?<\/div>/s.exec(text)?.[0] ?? text;
let generic: string | undefined;
async function expectRefused(answer: Answer, reason: string | RegExp, at = sp): Promise<void> {
  expect(answer.status, answer.text).toBe(400);
  generic ??= seenOn(answer);
  expect(generic).toContain("couldn’t sign you in");
  // All refusals look alike.
  expect(seenOn(answer)).toBe(generic);
  const [detail] = await at.failures();
  expect(detail).toMatch(typeof reason === "string" ? new RegExp(`^corp: ${reason}$`) : reason);
}

test("the good answers are taken: signed as a whole, in the assertion, or both, and encrypted", async () => {
  const recipient = { key: ours.publicKey };
  for (const said of [{}, ASSERTION, RESPONSE, { protection: { recipient } }, { protection: { ...ASSERTION.protection, recipient } }]) {
    const run = await begin();
    const back = await send(run, await xmlOf(run, said));
    expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
  }
  expect(await sp.failures()).toEqual([]);
});

describe("as text:", () => {
  const inNameId = (what: string) => (xml: string) => xml.replace("ada-1<", `ada-1${what}<`);
  const rows: [what: string, reason: string, edit: (xml: string) => string | Buffer][] = [
    ["a comment in the NameID", "forbidden_node", inNameId("<!-- -->")],
    ["an instruction in the NameID", "forbidden_node", inNameId("<?p x?>")],
    ["CDATA in the NameID", "forbidden_node", inNameId("<![CDATA[]]>")],
    ["a document type", "doctype", (xml) => `<!DOCTYPE x>${xml}`],
    ["an external entity", "doctype", (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${inNameId("&e;")(xml)}`],
    ["an entity bomb", "doctype", (xml) => `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${inNameId("&b;")(xml)}`],
    ["two roots", "not_well_formed", (xml) => `${xml}${xml}`],
    ["UTF-16", "encoding", (xml) => Buffer.from(`\ufeff${xml}`, "utf16le")],
    ["a declaration of UTF-7", "encoding", (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}`],
    ["NUL", "encoding", inNameId("\0")],
    ["an ID in a namespace", "namespaced_id", (xml) => xml.replace("<saml:Issuer", '<saml:Issuer xmlns:x="urn:x" x:ID="_1"')],
    ["an ID twice", "duplicate_id", (xml) => xml.replace("</samlp:Response>", `<x${/ ID="[^"]*"/.exec(xml)![0]}/></samlp:Response>`)],
    ["a depth bomb", "depth", inNameId(`${"<a>".repeat(200)}${"</a>".repeat(200)}`)],
    ["a namespace bomb", "attributes", inNameId(`<a${Array.from({ length: 200 }, (_, at) => ` xmlns:a${at}="urn:x"`).join("")}/>`)],
    ["a comment in the DigestValue", "forbidden_node", (xml) => xml.replace("</ds:DigestValue>", "<!-- --></ds:DigestValue>")],
    ["an attribute bomb", "attributes", inNameId(`<a${Array.from({ length: 200 }, (_, at) => ` a${at}=""`).join("")}/>`)],
    ["no XML", "not_well_formed", () => "SAMLResponse"],
    ["another message", "message", (xml) => xml.replaceAll("samlp:Response", "samlp:ManageNameIDResponse")],
    ["an edited NameID", "signature_invalid", (xml) => xml.replace("ada-1", "admin")],
    ["an edited Response", "signature_invalid", (xml) => xml.replace(/InResponseTo="[^"]*"/, 'InResponseTo="_x"')],
    ["more than a message may be", "size", (xml) => `${xml}${" ".repeat(600_000)}`],
  ];
  test.each(rows)("refuses %s", async (_, reason, edit) => {
    const run = await begin();
    const xml = await xmlOf(run);
    expect(edit(xml)).not.toBe(xml);
    await expectRefused(await send(run, edit(xml)), reason);
  });

  test("refuses what is no form of a response", async () => {
    for (const fields of [{}, { SAMLResponse: "***" }] as Record<string, string>[]) {
      const { asked, browser } = await begin();
      await expectRefused(await sp.post(browser, { RelayState: asked.relayState!, ...fields }), "binding");
    }
    const request = Buffer.from(render(await signed(logoutRequestElement(goodLogoutRequest()), rs256(peer.identity)))).toString("base64");
    const run = await begin();
    await expectRefused(await sp.post(run.browser, { RelayState: run.asked.relayState!, SAMLRequest: request }), "message");
  });
});

describe("signatures:", () => {
  const forge = (xml: string) => xml.replace("ada-1", "admin");
  const names = (extensions: string) =>
    Object.keys(wrapped('<saml:X ID="_1"><saml:Issuer></saml:Issuer><ds:Signature ></ds:Signature></saml:X>', { forge, extensions }));

  test.each(names("samlp:Extensions"))("refuses the Response with %s", async (name) => {
    const run = await begin();
    const forms = wrapped(await xmlOf(run, RESPONSE), { forge, extensions: "samlp:Extensions" });
    await expectRefused(await send(run, forms[name]!), /^corp: (?!in_response_to)/);
  });

  test.each(names("saml:Advice"))("refuses the assertion with %s", async (name) => {
    const run = await begin();
    const xml = await xmlOf(run, ASSERTION);
    const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0];
    const forms = wrapped(assertion, { forge, extensions: "saml:Advice" });
    await expectRefused(
      await send(
        run,
        xml.replace(assertion, () => forms[name]!),
      ),
      /^corp: (?!in_response_to)/,
    );
  });

  test("refuses a signed assertion that lies elsewhere, and two of them", async () => {
    const rows: [string, (assertion: string, forged: string) => string][] = [
      ["in Extensions", (assertion, forged) => `<samlp:Extensions>${assertion}</samlp:Extensions>${forged}`],
      ["first of two", (assertion, forged) => `${assertion}${forged}`],
      ["second of two", (assertion, forged) => `${forged}${assertion}`],
      ["alone in Extensions", (assertion) => `<samlp:Extensions>${assertion}</samlp:Extensions>`],
      ["alone in StatusDetail", (assertion) => `<samlp:StatusDetail>${assertion}</samlp:StatusDetail>`],
    ];
    for (const [what, place] of rows) {
      const run = await begin();
      const xml = await xmlOf(run, ASSERTION);
      const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0];
      const forged = forge(assertion.replace(SIGNATURE, "").replace(/ ID="[^"]*"/, ' ID="_evil"'));
      const answer = await send(
        run,
        xml.replace(assertion, () => place(assertion, forged)),
      );
      await expectRefused(answer, /^corp: (assertion_count|unsigned|duplicate_id|message|status)$/);
      expect(what).toBeDefined();
    }
  });

  test("refuses an artifact whose message lies elsewhere in the SOAP answer, or is not vouched for", async () => {
    const at = await samlBrokered(iam, { metadataXml: render(peer.metadata()), responseBinding: "artifact" });
    const forged = (xml: string) =>
      forge(xml.replaceAll(new RegExp(SIGNATURE, "gs"), "")).replace(/ ID="[^"]*"/g, (id) => `${id.slice(0, -1)}x"`);
    const rows: [what: string, change: (soap: string, message: string) => string][] = [
      [
        "in the header",
        (soap, message) =>
          soap
            .replace("<soap:Body>", `<soap:Header>${message}</soap:Header><soap:Body>`)
            .replace(/(?<=<soap:Body>).*(?=<.soap:Body>)/s, forged(message)),
      ],
      ["beside a forged one", (soap, message) => soap.replace("</soap:Body>", () => `${forged(message)}</soap:Body>`)],
      [
        "in Extensions of a forged one",
        (soap, message) =>
          soap.replace(message, () =>
            forged(message).replace("<samlp:Status>", () => `<samlp:Extensions>${message}</samlp:Extensions><samlp:Status>`),
          ),
      ],
      [
        "an assertion without its Response",
        (soap) => soap.replace(/<samlp:Response.*?(?=<saml:Assertion)/s, "").replace("</samlp:Response>", ""),
      ],
      ["forged and unsigned", (soap, message) => soap.replace(message, () => forged(message))],
      ["edited", (soap) => forge(soap)],
    ];
    for (const [what, change] of rows) {
      const { asked, browser } = await begin(at);
      peer.tamper((soap) => change(soap, /(?<=<soap:Body>).*(?=<.soap:Body>)/s.exec(soap)![0]));
      const back = await at.bring(browser, await peer.artifact(asked));
      expect([what, back.status, isSignedIn(back, at.realm.name)]).toEqual([what, 400, false]);
      expect((await at.failures())[0], what).toMatch(
        /^corp: (message|unsigned|signature_\w+|duplicate_id|binding|assertion_count|in_response_to)$/,
      );
    }
    expect(await at.users()).toEqual([]);
  });

  test.each([...wronglySigned, ...inclusivelySigned])("refuses an assertion that is signed %s", async (_, reason, oddity) => {
    const run = await begin();
    const xml = await xmlOf(run, UNSIGNED);
    const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0];
    const odd = oddlySigned(assertion, peer.identity, oddity);
    await expectRefused(
      await send(
        run,
        xml.replace(assertion, () => odd),
      ),
      reason,
    );
  });

  test("takes one that is signed rightly, however its signature says it", async () => {
    for (const [, oddity] of rightlySigned) {
      const run = await begin();
      const xml = await xmlOf(run, UNSIGNED);
      const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0];
      const back = await send(
        run,
        xml.replace(assertion, () => oddlySigned(assertion, peer.identity, oddity)),
      );
      expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
    }
  });

  test("refuses what is unsigned, signed by another key, also one that it carries, and what a provider has to sign and did not", async () => {
    const said = async (more: SamlPeerAnswer, reason: string) => {
      const run = await begin();
      await expectRefused(await send(run, await xmlOf(run, more)), reason);
    };
    await said(UNSIGNED, "unsigned");
    // Also where it is the key of another provider of this realm.
    const config = { ...peer.config, idpEntityId: "https://another.example", idpSigningCertificate: other.pem };
    expect((await sp.realm.asMaster().post("/identity-providers", { alias: "another", protocol: "saml", config })).status).toBe(201);
    await said({ protection: { key: rs256(other) } }, "signature_invalid");
    const strict = await samlBrokered(iam, { ...peer.config, wantAssertionsSigned: true, wantResponseSigned: true });
    for (const more of [ASSERTION, RESPONSE]) {
      const run = await begin(strict);
      await expectRefused(await send(run, await xmlOf(run, more), strict), "unsigned", strict);
    }
    const run = await begin(strict);
    expect(isSignedIn(await send(run, await xmlOf(run), strict), strict.realm.name)).toBe(true);
  });
});

describe("encryption:", () => {
  const rows: [what: string, reason: string, said: () => SamlPeerAnswer][] = [
    ["for another recipient", "decryption", () => ({ protection: { recipient: { key: other.publicKey } } })],
    [
      "by AES-CBC",
      "encryption_algorithm",
      () => ({ protection: { recipient: { key: ours.publicKey, algorithm: DATA_ENCRYPTION.aes256cbc } } }),
    ],
    ["and unsigned", "unsigned", () => ({ protection: { ...UNSIGNED.protection, recipient: { key: ours.publicKey } } })],
  ];
  test.each(rows)("refuses an assertion that is encrypted %s", async (_, reason, said) => {
    const run = await begin();
    await expectRefused(await send(run, await xmlOf(run, said())), reason);
  });

  const edits: [what: string, reason: string, edit: (xml: string) => string][] = [
    ["RSA 1.5", "encryption_algorithm", (xml) => xml.replace(/xmlenc#rsa-oaep-mgf1p/, "xmlenc#rsa-1_5")],
    ["an unknown cipher", "encryption_algorithm", (xml) => xml.replace(/xmlenc11#aes256-gcm/, "xmlenc#tripledes-cbc")],
    ["a truncated ciphertext", "decryption", (xml) => cipherValue(xml, (bytes) => bytes.subarray(0, -4))],
    ["a changed ciphertext", "decryption", (xml) => cipherValue(xml, (bytes) => bytes.fill(1, 40, 60))],
    ["no ciphertext", "decryption", (xml) => cipherValue(xml, () => randomBytes(8))],
  ];
  /** Changes the CipherValue of the data, which comes after that of the key. */
  const cipherValue = (xml: string, change: (bytes: Buffer) => Buffer) =>
    xml.replace(
      /(.*<xenc:CipherValue>)([^<]*)/s,
      (_, before: string, value: string) => before + change(Buffer.from(value, "base64")).toString("base64"),
    );
  test.each(edits)("refuses %s", async (_, reason, edit) => {
    const run = await begin();
    const xml = await xmlOf(run, { protection: { ...ASSERTION.protection, recipient: { key: ours.publicKey } } });
    expect(edit(xml)).not.toBe(xml);
    await expectRefused(await send(run, edit(xml)), reason);
  });
});

describe("meaning:", () => {
  const now = () => clock.now();
  const rows: [what: string, reason: string, said: () => SamlPeerAnswer][] = [
    ["another audience", "audience", () => ({ assertion: { audiences: ["https://another.example"] } })],
    ["no audience", "audience", () => ({ assertion: { audiences: [] } })],
    ["another recipient", "subject_confirmation", () => ({ assertion: { recipient: "https://another.example/acs" } })],
    ["another destination", "destination", () => ({ response: { destination: "https://another.example/acs" } })],
    ["no destination", "destination", () => ({ response: { destination: null } })],
    ["another issuer of the Response", "issuer", () => ({ response: { issuer: "https://another.example" } })],
    ["another issuer of the assertion", "issuer", () => ({ assertion: { issuer: "https://another.example" } })],
    [
      "another request in the Response",
      "subject_confirmation",
      () => ({ response: { inResponseTo: "_another" }, assertion: { inResponseTo: "_x" } }),
    ],
    ["another request", "in_response_to", () => ({ response: { inResponseTo: "_another" } })],
    ["another request in the confirmation", "subject_confirmation", () => ({ assertion: { inResponseTo: "_another" } })],
    ["no request in the confirmation", "subject_confirmation", () => ({ assertion: { inResponseTo: null } })],
    ["no request in the Response", "subject_confirmation", () => ({ response: { inResponseTo: null }, assertion: { inResponseTo: "_x" } })],
    ["no request at all", "unsolicited", () => ({ response: { inResponseTo: null }, assertion: { inResponseTo: null } })],
    ["an end in the past", "expired", () => ({ assertion: { notBefore: now() - HOUR, notOnOrAfter: now() - 2 * MINUTE } })],
    ["a beginning in the future", "not_yet_valid", () => ({ assertion: { notBefore: now() + 5 * MINUTE, notOnOrAfter: now() + HOUR } })],
    ["an authentication in the future", "authn_statement", () => ({ assertion: { authnInstant: now() + 10 * MINUTE } })],
    ["a session that has ended", "expired", () => ({ assertion: { sessionNotOnOrAfter: now() - 2 * MINUTE } })],
    ["an assertion of yesterday", "expired", () => ({ assertion: { issueInstant: now() - DAY - 1, notOnOrAfter: now() + DAY } })],
    ["an assertion of tomorrow", "not_yet_valid", () => ({ assertion: { issueInstant: now() + 10 * MINUTE } })],
    [
      "a transient NameID",
      "subject",
      () => ({ assertion: { nameId: { value: "x", format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" } } }),
    ],
    ["a NameID with a control character", "subject", () => ({ assertion: { nameId: { value: "a\tb" } } })],
    ["a NameID without end", "subject", () => ({ assertion: { nameId: { value: "x".repeat(2000) } } })],
  ];
  test.each(rows)("refuses %s", async (_, reason, said) => {
    const run = await begin();
    await expectRefused(await send(run, await xmlOf(run, said())), reason);
    expect(await sp.users()).toHaveLength(1);
  });

  /** Edited first and signed afterwards, by the right key. */
  const edited: [what: string, reason: string, edit: (assertion: string) => string][] = [
    [
      "one of two audiences",
      "audience",
      (xml) => xml.replace(/<saml:AudienceRestriction>.*(?=<.saml:Conditions>)/s, (one) => one + ELSEWHERE),
    ],
    ["one of two audiences, the other way round", "audience", (xml) => xml.replace("<saml:AudienceRestriction>", (tag) => ELSEWHERE + tag)],
    [
      "an empty AudienceRestriction",
      "audience",
      (xml) => xml.replace(/<saml:Audience>.*?<.saml:Audience>/s, "<saml:Audience></saml:Audience>"),
    ],
    ["no Conditions", "conditions", (xml) => xml.replace(/<saml:Conditions.*<.saml:Conditions>/s, "")],
    ["a confirmation by sender-vouches", "subject_confirmation", (xml) => xml.replace("cm:bearer", "cm:sender-vouches")],
    ["a confirmation by holder-of-key", "subject_confirmation", (xml) => xml.replace("cm:bearer", "cm:holder-of-key")],
    [
      "a confirmation without an end",
      "subject_confirmation",
      (xml) => xml.replace(/(<saml:SubjectConfirmationData[^>]*) NotOnOrAfter="[^"]*"/, "$1"),
    ],
    [
      "a confirmation with a beginning",
      "subject_confirmation",
      (xml) => xml.replace("<saml:SubjectConfirmationData", '$& NotBefore="2020-01-01T00:00:00Z"'),
    ],
    [
      "a confirmation without data",
      "subject_confirmation",
      (xml) => xml.replace(/<saml:SubjectConfirmationData.*?<.saml:SubjectConfirmationData>/s, ""),
    ],
    ["no confirmation", "subject_confirmation", (xml) => xml.replace(/<saml:SubjectConfirmation .*<.saml:SubjectConfirmation>/s, "")],
    ["no subject", "subject_confirmation", (xml) => xml.replace(/<saml:Subject>.*<.saml:Subject>/s, "")],
    ["no authentication", "authn_statement", (xml) => xml.replace(/<saml:AuthnStatement.*<.saml:AuthnStatement>/s, "")],
    ["no NameID", "subject", (xml) => xml.replace(/<saml:NameID.*<.saml:NameID>/s, "")],
    [
      "an EncryptedID that holds no NameID",
      "decryption",
      (xml) => xml.replace(/<saml:NameID.*<.saml:NameID>/s, encrypted("EncryptedID", "<x/>", [{ key: ours.publicKey }])),
    ],
    [
      "an EncryptedID for another",
      "decryption",
      (xml) => xml.replace(/<saml:NameID.*<.saml:NameID>/s, (name) => encrypted("EncryptedID", name, [{ key: other.publicKey }])),
    ],
  ];
  const ELSEWHERE = "<saml:AudienceRestriction><saml:Audience>https://another.example</saml:Audience></saml:AudienceRestriction>";
  test.each(edited)("refuses %s, rightly signed", async (_, reason, edit) => {
    const run = await begin();
    const xml = await xmlOf(run, UNSIGNED);
    const [assertion, id] = /<saml:Assertion[^>]* ID="([^"]*)".*<\/saml:Assertion>/s.exec(xml)!;
    expect(edit(assertion)).not.toBe(assertion);
    const resigned = signedBy({ identity: peer.identity, by: "pkcs1" }, edit(assertion), id!);
    await expectRefused(
      await send(
        run,
        xml.replace(assertion, () => resigned),
      ),
      reason,
    );
  });

  test("refuses an error that has an assertion, and one for another address", async () => {
    const run = await begin();
    const xml = await xmlOf(run, ASSERTION);
    await expectRefused(await send(run, xml.replace(STATUS.success, STATUS.responder)), "status");
    const error = errorResponse(
      { id: newMessageId(), issueInstant: now(), issuer: peer.entityId, destination: "https://another.example", inResponseTo: null },
      { code: STATUS.responder },
    );
    const next = await begin();
    await expectRefused(await send(next, render(error)), "destination");
  });

  test("a response counts once, in the requesting browser, of the requested provider, and for a short time", async () => {
    const { realm } = sp;
    const run = await begin();
    const form = peer.form(await xmlOf(run), run.asked.relayState);
    // Another browser brings it first: nothing happens, not even to the requesting one.
    expect((await sp.post(iam.browser(), form)).status).toBe(400);
    expect(isSignedIn(await sp.post(run.browser, form), realm.name)).toBe(true);
    const again = await begin();
    await expectRefused(await sp.post(again.browser, { ...form, RelayState: again.asked.relayState! }), "replay");
    // The answer to one run does not serve another run of the same browser.
    const [one, two] = [await begin(), await begin()];
    await expectRefused(await sp.post(two.browser, peer.form(await xmlOf(one), two.asked.relayState)), "in_response_to");
    // A response that waits for its browser does not wait long.
    const late = await begin();
    const posted = await iam
      .browser()
      .request("POST", `${sp.at}/endpoint`, { form: peer.form(await xmlOf(late), late.asked.relayState), csrf: false });
    clock.advance(3 * MINUTE);
    await expectRefused(await late.browser.get(String(posted.headers.location)), "no_answer");
    // A handle of one provider is nothing at another's endpoint.
    const twin = { alias: "twin", protocol: "saml", displayName: "Twin", config: peer.config };
    expect((await realm.asMaster().post("/identity-providers", twin)).status).toBe(201);
    const mixed = await begin();
    const handed = await iam
      .browser()
      .request("POST", `${sp.at}/endpoint`, { form: peer.form(await xmlOf(mixed), mixed.asked.relayState), csrf: false });
    const elsewhere = String(handed.headers.location).replace("/corp/", "/twin/");
    expect((await mixed.browser.get(elsewhere)).status).toBe(400);
    expect(await sp.users()).toHaveLength(1);
  });

  test("a provider that is disabled meanwhile, or was replaced, signs no user in; and another realm's keys do not count", async () => {
    const at = await samlBrokered(iam, peer.config);
    const admin = at.realm.asMaster();
    const run = await begin(at);
    const form = peer.form(await xmlOf(run), run.asked.relayState);
    await admin.patch("/identity-providers/corp", { enabled: false });
    expect((await at.post(run.browser, form)).status).toBe(400);
    await admin.delete("/identity-providers/corp");
    await admin.post("/identity-providers", { alias: "corp", protocol: "saml", displayName: "Corporate", config: peer.config });
    expect((await at.post(run.browser, form)).status).toBe(400);
    expect(await at.users()).toEqual([]);
    // Meant for this realm, brought to the other.
    const foreign = await begin();
    await expectRefused(await sp.post(foreign.browser, { ...form, RelayState: foreign.asked.relayState! }), "destination");
  });
});
