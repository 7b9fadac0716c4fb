import { beforeAll, describe, expect, test } from "vitest";
import {
  ACS,
  envelope,
  goodAssertion,
  goodAuthnRequest,
  goodLogoutRequest,
  IDP,
  NOW,
  REQUEST_ID,
  rs256,
  SP,
  SSO,
} from "../../../testing/saml-messages.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints } from "../../../testing/saml-peers.ts";
import {
  authnRequestElement,
  checkSignIn,
  destinationIsOurs,
  type ExpectedSignIn,
  eidasExtensions,
  errorResponse,
  logoutRequestElement,
  NAME_ID_FORMAT,
  type NewAssertion,
  openAuthnRequest,
  openLogoutRequest,
  openResponse,
  postFields,
  readPost,
  render,
  SamlError,
  type SamlReason,
  SIGNATURE_ALGORITHM,
  type SignatureAlgorithm,
  STATUS,
  signed,
  successResponse,
  verificationKey,
} from "../index.ts";

let idp: Identity;

beforeAll(async () => {
  idp = await makeIdentity();
});

const reasonOf = async (work: () => unknown): Promise<SamlReason | "accepted"> => {
  try {
    await work();
    return "accepted";
  } catch (error) {
    if (error instanceof SamlError) return error.reason;
    throw error;
  }
};

const unsigned = { keys: [], required: false };
const asRequest = (xml: string) => readPost({ SAMLRequest: Buffer.from(xml).toString("base64") });
const openRequest = async (xml: string) => (await openAuthnRequest(asRequest(xml), unsigned)).message;

describe("AuthnRequest", () => {
  test("written messages are read", async () => {
    const request = goodAuthnRequest();
    expect(await openRequest(render(authnRequestElement(request)))).toEqual({
      ...request,
      consent: null,
      subject: null,
      assertionConsumerServiceIndex: null,
      attributeConsumingServiceIndex: null,
    });
  });

  test("the shortest one has defaults", async () => {
    const { id, issueInstant, issuer, destination, ...rest } = await openRequest(render(authnRequestElement(envelope(SP, SSO))));
    expect({ issueInstant, issuer, destination }).toEqual({ issueInstant: NOW, issuer: SP, destination: SSO });
    expect(id).toMatch(/^_[0-9a-f]{40}$/);
    expect(rest).toMatchObject({ forceAuthn: false, isPassive: false, nameIdPolicy: null, requestedAuthnContext: null, scoping: null });
  });

  test("Extensions are where the schema requires them, under the signature", async () => {
    const extensions = eidasExtensions({
      spType: "public",
      requestedAttributes: [{ name: "http://eidas.europa.eu/attributes/naturalperson/PersonIdentifier", isRequired: true }],
    });
    const xml = render(await signed(authnRequestElement({ ...goodAuthnRequest(), extensions }), rs256(idp)));
    expect(xml).toMatch(/<\/ds:Signature><samlp:Extensions><eidas:SPType xmlns:eidas="[^"]+">public<\/eidas:SPType>/);
    const open = (text: string) => openAuthnRequest(asRequest(text), { keys: [verificationKey(idp.certificate)], required: true });
    expect((await open(xml)).signed).toBe(true);
    expect(await reasonOf(() => open(xml.replace(">public<", ">private<")))).toBe("signature_invalid");
    if (haveSchemas()) expect(schemaComplaints(xml)).toBeNull();
  });

  test("a subject and an index", async () => {
    const subject = { value: "x", format: NAME_ID_FORMAT.email, nameQualifier: null, spNameQualifier: null, spProvidedId: "y" };
    const xml = render(
      authnRequestElement({ ...envelope(SP), subject, assertionConsumerServiceIndex: 3, attributeConsumingServiceIndex: 65_535 }),
    );
    expect(await openRequest(xml)).toMatchObject({ subject, assertionConsumerServiceIndex: 3, attributeConsumingServiceIndex: 65_535 });
  });

  const good = () => render(authnRequestElement(goodAuthnRequest()));
  const bad: [what: string, reason: SamlReason, forge: (xml: string) => string][] = [
    ["another version", "version", (xml) => xml.replace('Version="2.0"', 'Version="2.1"')],
    ["no version", "version", (xml) => xml.replace('Version="2.0"', "")],
    ["no ID", "message", (xml) => xml.replace(/ ID="[^"]*"/, "")],
    ["an ID that is none", "message", (xml) => xml.replace(/ ID="[^"]*"/, ' ID="1 2"')],
    ["an ID without end", "message", (xml) => xml.replace(/ ID="[^"]*"/, ` ID="_${"x".repeat(300)}"`)],
    ["a day that does not exist", "message", (xml) => xml.replace("2026-05-04", "2026-02-30")],
    ["a local time", "message", (xml) => xml.replace("12:00:00.000Z", "12:00:00+02:00")],
    ["no time", "message", (xml) => xml.replace(/ IssueInstant="[^"]*"/, "")],
    ["a boolean that is none", "message", (xml) => xml.replace('ForceAuthn="true"', 'ForceAuthn="TRUE"')],
    ["an index beside an address", "message", (xml) => xml.replace(" ForceAuthn", ' AssertionConsumerServiceIndex="0" ForceAuthn')],
    ["an index out of range", "message", (xml) => xml.replace(" ForceAuthn", ' AttributeConsumingServiceIndex="65536" ForceAuthn')],
    ["a negative index", "message", (xml) => xml.replace(" ForceAuthn", ' AttributeConsumingServiceIndex="-1" ForceAuthn')],
    [
      "two issuers",
      "message",
      (xml) =>
        xml.replace(
          "</saml:Issuer>",
          `</saml:Issuer><saml:Issuer>${IDP}</saml:Issuer>`.replaceAll(
            "<saml:Issuer>",
            '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">',
          ),
        ),
    ],
    ["an issuer of another format", "issuer", (xml) => xml.replace("<saml:Issuer", `<saml:Issuer Format="${NAME_ID_FORMAT.email}"`)],
    ["an empty issuer", "issuer", (xml) => xml.replace(SP, "")],
    ["an unknown comparison", "message", (xml) => xml.replace('"minimum"', '"closest"')],
    [
      "two policies",
      "message",
      (xml) => xml.replace("<samlp:NameIDPolicy", "<samlp:NameIDPolicy></samlp:NameIDPolicy><samlp:NameIDPolicy"),
    ],
  ];
  test.each(bad)("refuses %s", async (_, reason, forge) => {
    const xml = good();
    expect(forge(xml)).not.toBe(xml);
    expect(await reasonOf(() => openRequest(forge(xml)))).toBe(reason);
  });

  test("is not opened as another message", async () => {
    expect(await reasonOf(() => openLogoutRequest(asRequest(good()), unsigned))).toBe("message");
  });

  test("has to be signed where that is required", async () => {
    const trust = { keys: [verificationKey(idp.certificate)], required: true };
    expect(await reasonOf(() => openAuthnRequest(asRequest(good()), trust))).toBe("signature_missing");
    expect((await openAuthnRequest(asRequest(good()), { ...trust, required: false })).signed).toBe(false);
  });
});

test("a LogoutRequest that is written is read, and one without a NameID refused", async () => {
  const request = goodLogoutRequest();
  const fragment = logoutRequestElement(request);
  const { message } = await openLogoutRequest(readPost(postFields(fragment)), unsigned);
  const nameId = { ...request.nameId, nameQualifier: null, spNameQualifier: null, spProvidedId: null };
  expect(message).toEqual({ ...request, nameId, consent: null });
  const without = render(fragment).replace(/<saml:NameID.*<\/saml:NameID>/, "");
  expect(await reasonOf(() => openLogoutRequest(asRequest(without), unsigned))).toBe("message");
});

describe("a sign-in at a service provider", () => {
  const expected = (more: Partial<ExpectedSignIn> = {}): ExpectedSignIn => ({
    now: NOW,
    issuer: IDP,
    audience: SP,
    recipient: ACS,
    inResponseTo: REQUEST_ID,
    ...more,
  });
  const respond = async (assertion: Partial<NewAssertion> = {}, response = {}, { signAssertion = true, signResponse = true } = {}) => {
    const message = { ...envelope(), inResponseTo: REQUEST_ID as string | null, ...response };
    return render(await successResponse(message, goodAssertion(assertion), { key: rs256(idp), signAssertion, signResponse }));
  };
  const open = (xml: string) =>
    openResponse(readPost({ SAMLResponse: Buffer.from(xml).toString("base64") }), { keys: [verificationKey(idp.certificate)] });

  test("gives everything that was written, and until when it has to be remembered", async () => {
    const assertion = goodAssertion();
    const { assertion: read, until } = checkSignIn(await open(await respond({ id: assertion.id })), expected());
    expect(until).toBe(NOW + 300_000 + 60_000);
    expect(read).toMatchObject({
      id: assertion.id,
      issuer: IDP,
      subject: { nameId: assertion.nameId, confirmations: [{ recipient: ACS, inResponseTo: REQUEST_ID, notOnOrAfter: NOW + 300_000 }] },
      conditions: { audienceRestrictions: [[SP]], oneTimeUse: false },
      authnStatements: [{ sessionIndex: "_session", classRef: assertion.classRef, authnInstant: NOW - 1_000 }],
    });
    expect(read.attributes.map(({ name, values }) => [name, values])).toEqual(
      assertion.attributes.map(({ name, values }) => [name, values]),
    );
  });

  test("is verified only by an algorithm that the provider may use", async () => {
    const received = readPost({ SAMLResponse: Buffer.from(await respond()).toString("base64") });
    const by = (...algorithms: SignatureAlgorithm[]) =>
      openResponse(received, { keys: [{ ...verificationKey(idp.certificate), algorithms }] });
    expect((await by(SIGNATURE_ALGORITHM.RS256)).responseSigned).toBe(true);
    expect(await reasonOf(() => by(SIGNATURE_ALGORITHM.PS256, SIGNATURE_ALGORITHM.ES256))).toBe("signature_algorithm");
  });

  test("without a request is accepted where none was made", async () => {
    const xml = await respond({ inResponseTo: null }, { inResponseTo: null });
    expect(checkSignIn(await open(xml), expected({ inResponseTo: null })).assertion.issuer).toBe(IDP);
  });

  const other = "https://other.example";
  const bad: [what: string, reason: SamlReason, make: () => Promise<string>, expect?: Partial<ExpectedSignIn>][] = [
    ["another audience", "audience", () => respond({ audiences: [other] })],
    ["no audience", "audience", () => respond({ audiences: [] })],
    ["another recipient", "subject_confirmation", () => respond({ recipient: other })],
    ["a recipient with a prefix that is right", "subject_confirmation", () => respond({ recipient: `${ACS}/x` })],
    ["another destination", "destination", () => respond({}, { destination: other })],
    ["no destination, although it is signed", "destination", () => respond({}, { destination: null })],
    ["another issuer", "issuer", () => respond({}, { issuer: other })],
    ["another issuer of the assertion", "issuer", () => respond({ issuer: other })],
    ["another request", "in_response_to", () => respond({}, { inResponseTo: "_x" })],
    ["no request", "in_response_to", () => respond({}, { inResponseTo: null })],
    ["a request where there was none", "in_response_to", () => respond(), { inResponseTo: null }],
    ["another request in the confirmation", "subject_confirmation", () => respond({ inResponseTo: "_x" })],
    ["no request in the confirmation", "subject_confirmation", () => respond({ inResponseTo: null })],
    ["a time that is over", "expired", () => respond(), { now: NOW + 300_000 + 60_000 }],
    ["a time that has not come", "not_yet_valid", () => respond(), { now: NOW - 30_000 - 60_001 }],
    ["an authentication in the future", "authn_statement", () => respond({ authnInstant: NOW + 120_000 })],
    ["a session that has ended", "expired", () => respond({ sessionNotOnOrAfter: NOW - 60_000 })],
    [
      "an unsigned assertion where it has to be",
      "unsigned",
      () => respond({}, {}, { signAssertion: false }),
      { requireSignedAssertion: true },
    ],
    [
      "an unsigned Response where it has to be",
      "unsigned",
      () => respond({}, {}, { signResponse: false }),
      { requireSignedResponse: true },
    ],
    ["a plain assertion where it has to be encrypted", "unencrypted", () => respond(), { requireEncryptedAssertion: true }],
  ];
  test.each(bad)("with %s is refused", async (_, reason, make, more) => {
    const opened = await open(await make());
    expect(await reasonOf(() => checkSignIn(opened, expected(more)))).toBe(reason);
  });

  /** Messages that our own writer cannot write, signed all the same. */
  const rewritten = async (change: (xml: string) => string) => {
    const key = rs256(idp);
    const plain = render(
      await successResponse({ ...envelope(), inResponseTo: REQUEST_ID }, goodAssertion(), {
        key,
        signAssertion: false,
        signResponse: false,
      }),
    );
    const xml = change(plain);
    expect(xml).not.toBe(plain);
    const id = / ID="([^"]*)"/.exec(xml)![1]!;
    const text = { text: xml.replace(/^<[^>]*>.*?<\/saml:Issuer>|<\/samlp:Response>$/gs, ""), declares: new Set<string>() };
    const fragment = errorResponse({ ...envelope(), id, inResponseTo: REQUEST_ID }, { code: STATUS.success });
    return render(await signed({ ...fragment, children: [fragment.children[0], text] }, key));
  };

  const odd: [what: string, reason: SamlReason, change: (xml: string) => string][] = [
    ["no Conditions", "conditions", (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, "")],
    [
      "an unknown condition",
      "conditions",
      (xml) => xml.replace("<saml:AudienceRestriction>", "<saml:Condition></saml:Condition><saml:AudienceRestriction>"),
    ],
    [
      "one of two audience restrictions",
      "audience",
      (xml) =>
        xml.replace(
          "<saml:AudienceRestriction>",
          "<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction><saml:AudienceRestriction>",
        ),
    ],
    ["no NotOnOrAfter in the confirmation", "subject_confirmation", (xml) => xml.replace(/ NotOnOrAfter="[^"]*" Recipient/, " Recipient")],
    [
      "a NotBefore in the confirmation",
      "subject_confirmation",
      (xml) => xml.replace(/ NotOnOrAfter="([^"]*)" Recipient/, ' NotBefore="2026-05-04T11:00:00Z" NotOnOrAfter="$1" Recipient'),
    ],
    ["another confirmation than bearer", "subject_confirmation", (xml) => xml.replace("cm:bearer", "cm:holder-of-key")],
    ["no confirmation", "subject_confirmation", (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, "")],
    ["no AuthnStatement", "authn_statement", (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "")],
    ["no Status", "status", (xml) => xml.replace(/<samlp:Status>.*<\/samlp:Status>/, "")],
    ["an error beside an assertion", "status", (xml) => xml.replace(STATUS.success, STATUS.responder)],
    [
      "an EncryptedAttribute",
      "message",
      (xml) => xml.replace("<saml:AttributeStatement>", "<saml:AttributeStatement><saml:EncryptedAttribute></saml:EncryptedAttribute>"),
    ],
    ["an empty NameID", "message", (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, "$1")],
  ];
  test.each(odd)("with %s is refused", async (_, reason, change) => {
    const xml = await rewritten(change);
    expect(await reasonOf(async () => checkSignIn(await open(xml), expected()))).toBe(reason);
  });

  test("that failed says how", async () => {
    const status = { code: STATUS.responder, subCode: STATUS.noPassive, message: "No" };
    const opened = await open(render(await signed(errorResponse({ ...envelope(), inResponseTo: REQUEST_ID }, status), rs256(idp))));
    expect(opened).toMatchObject({ assertion: null, response: { status } });
    expect(() => checkSignIn(opened, expected())).toThrow(STATUS.noPassive);
  });

  test("a request without a destination passes when it is unsigned", () => {
    expect(() => destinationIsOurs({ destination: null }, [SSO], false)).not.toThrow();
    expect(() => destinationIsOurs({ destination: null }, [SSO], true)).toThrow(SamlError);
    expect(() => destinationIsOurs({ destination: SSO }, ["x", SSO], true)).not.toThrow();
    expect(() => destinationIsOurs({ destination: `${SSO}/` }, [SSO], false)).toThrow(SamlError);
  });
});
