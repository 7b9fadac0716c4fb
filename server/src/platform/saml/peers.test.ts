import { beforeAll, describe, expect, test } from "vitest";
import { xmlsecPath } from "../../../test/peers/index.mjs";
import {
  ACS,
  envelope,
  goodAssertion,
  goodAuthnRequest,
  goodIdpRole,
  goodLogoutRequest,
  goodSpRole,
  IDP,
  NOW,
  REQUEST_ID,
  rs256,
  SP,
} from "../../testing/saml-messages.ts";
import {
  haveSchemas,
  type Identity,
  makeIdentity,
  schemaComplaints,
  xmlsecDecrypted,
  xmlsecEncrypted,
  xmlsecSigned,
  xmlsecVerifies,
} from "../../testing/saml-peers.ts";
import {
  artifactResolveElement,
  artifactResponseElement,
  assertionElement,
  authnRequestElement,
  DATA_ENCRYPTION,
  errorResponse,
  type Fragment,
  idpMetadata,
  logoutRequestElement,
  logoutResponseElement,
  newArtifact,
  openAuthnRequest,
  openResponse,
  readMetadata,
  readPost,
  render,
  SIGNATURE_ALGORITHM,
  STATUS,
  signed,
  signingKey,
  soapEnvelope,
  spMetadata,
  successResponse,
  verificationKey,
} from "./index.ts";
import { C14N, ENVELOPED, NS } from "./names.ts";

let idp: Identity;
let sp: Identity;

beforeAll(async () => {
  [idp, sp] = await Promise.all([makeIdentity(), makeIdentity()]);
});

const ALGORITHMS = Object.entries(SIGNATURE_ALGORITHM);
const identityFor = (name: string): Promise<Identity> =>
  name === "ES256"
    ? makeIdentity("P-256")
    : name === "ES384"
      ? makeIdentity("P-384")
      : name === "ES512"
        ? makeIdentity("P-521")
        : Promise.resolve(idp);
const posted = (xml: string, field = "SAMLResponse") => readPost({ [field]: Buffer.from(xml).toString("base64") });
const response = () => ({ ...envelope(), inResponseTo: REQUEST_ID });

/** xmlsec1 of Debian 12 has no RSA-PSS. */
const ofXmlsec = ALGORITHMS.filter(([name]) => !name.startsWith("PS"));

describe.skipIf(!xmlsecPath())("xmlsec1", () => {
  test.each(ofXmlsec)("verifies what we sign by %s", async (name, algorithm) => {
    const identity = await identityFor(name);
    const key = signingKey(identity.privateKey, algorithm, identity.certificate);
    const xml = render(await successResponse(response(), goodAssertion(), { key, signAssertion: true, signResponse: true }));
    expect(xmlsecVerifies(xml, identity)).toMatchObject({ ok: true });
    expect(xmlsecVerifies(xml, identity, "//*[local-name()='Assertion']/*[local-name()='Signature']")).toMatchObject({ ok: true });
    expect(xmlsecVerifies(xml.replace("not-an-admin", "admin"), identity).ok).toBe(false);
  });

  const messages: [name: string, make: () => Fragment][] = [
    ["AuthnRequest", () => authnRequestElement(goodAuthnRequest())],
    ["LogoutRequest", () => logoutRequestElement(goodLogoutRequest())],
    ["LogoutResponse", () => logoutResponseElement({ ...response(), status: { code: STATUS.success } })],
    ["ArtifactResolve", () => artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 0) })],
    ["metadata of the identity provider", () => idpMetadata({ id: "_md", entityId: IDP, idp: goodIdpRole(idp.certificate) })],
    ["metadata of the service provider", () => spMetadata({ id: "_md", entityId: SP, sp: goodSpRole(sp.certificate) })],
  ];

  test.each(messages)("verifies our %s", async (_, make) => {
    expect(xmlsecVerifies(render(await signed(make(), rs256(idp))), idp)).toMatchObject({ ok: true });
  });

  test("verifies a signed Response in a signed ArtifactResponse, both of them", async () => {
    const content = await successResponse(response(), goodAssertion(), { key: rs256(idp), signAssertion: true, signResponse: true });
    const status = { code: STATUS.success };
    const outer = await signed(artifactResponseElement({ ...response(), status, content }), rs256(idp));
    const xml = soapEnvelope(outer);
    for (const local of ["ArtifactResponse", "Response", "Assertion"]) {
      const xpath = `//*[local-name()='${local}']/*[local-name()='Signature']`;
      expect(xmlsecVerifies(xml, idp, xpath), local).toMatchObject({ ok: true });
    }
  });

  const toDecrypt = Object.entries(DATA_ENCRYPTION);
  test.each(toDecrypt)("decrypts what we encrypt by %s", async (_, algorithm) => {
    const assertion = goodAssertion();
    const protection = { key: rs256(idp), signAssertion: true, signResponse: true, recipient: { key: sp.publicKey, algorithm } };
    const xml = render(await successResponse(response(), assertion, protection));
    expect(xmlsecVerifies(xml, idp)).toMatchObject({ ok: true });
    const { ok, output } = xmlsecDecrypted(xml, sp);
    expect({ ok, output }).toMatchObject({ ok: true, output: expect.stringContaining(`ID="${assertion.id}"`) });
    const inside = /<saml:Assertion .*<\/saml:Assertion>/s.exec(output)![0];
    expect(xmlsecVerifies(inside, idp)).toMatchObject({ ok: true });
  });

  /** Signature templates that xmlsec1 fills in. */
  const template = (id: string, method: string, prefixes = "", digest = `${NS.xenc}sha256`, c14n: string = C14N.exclusive) => {
    const list = prefixes && `<ec:InclusiveNamespaces xmlns:ec="${C14N.namespace}" PrefixList="${prefixes}"/>`;
    return `<ds:Signature xmlns:ds="${NS.ds}">
      <ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${c14n}"/><ds:SignatureMethod Algorithm="${method}"/>
        <ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${ENVELOPED}"/><ds:Transform Algorithm="${c14n}">${list}</ds:Transform></ds:Transforms>
        <ds:DigestMethod Algorithm="${digest}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo>
      <ds:SignatureValue/>
    </ds:Signature>`;
  };

  test.each(ofXmlsec)("signs by %s what we verify", async (name, algorithm) => {
    const identity = await identityFor(name);
    const request = goodAuthnRequest();
    const plain = render(authnRequestElement(request)).replace("</saml:Issuer>", `</saml:Issuer>${template(request.id, algorithm)}`);
    const xml = xmlsecSigned(plain, identity);
    const trust = { keys: [verificationKey(identity.pem)], required: true };
    const { message, signed: vouched } = await openAuthnRequest(posted(xml, "SAMLRequest"), trust);
    expect({ message, vouched }).toMatchObject({ vouched: true, message: request });
    await expect(openAuthnRequest(posted(xml.replace('"true"', '"false"'), "SAMLRequest"), trust)).rejects.toMatchObject({
      reason: "signature_invalid",
    });
  });

  test.each([C14N.inclusive, C14N.inclusive11])("signs requests by %s what we verify, and no responses", async (c14n) => {
    const trust = { keys: [verificationKey(sp.pem)], required: true };
    const withSignature = (xml: string, id: string) =>
      xmlsecSigned(
        xml
          .replace(" ID=", ' xmlns:unused="urn:unused" ID=')
          .replace("</saml:Issuer>", `</saml:Issuer>${template(id, SIGNATURE_ALGORITHM.RS256, "", `${NS.xenc}sha256`, c14n)}`),
        sp,
      );
    const request = goodAuthnRequest();
    const xml = withSignature(render(authnRequestElement(request)), request.id);
    const { message, signed: vouched } = await openAuthnRequest(posted(xml, "SAMLRequest"), trust);
    expect({ message, vouched }).toMatchObject({ vouched: true, message: request });
    for (const forged of [xml.replace('"true"', '"false"'), xml.replace("urn:unused", "urn:evil")])
      await expect(openAuthnRequest(posted(forged, "SAMLRequest"), trust)).rejects.toMatchObject({ reason: "signature_invalid" });
    const answer = response();
    const plain = render(await successResponse(answer, goodAssertion(), { key: rs256(idp), signAssertion: true, signResponse: false }));
    const refused = openResponse(posted(withSignature(plain, answer.id), "SAMLResponse"), trust);
    await expect(refused).rejects.toMatchObject({ reason: "signature_algorithm" });
  });

  test("signs with InclusiveNamespaces what we verify, when the prefix is declared outside", async () => {
    const assertion = goodAssertion();
    const typed = render(assertionElement(assertion))
      .replace("<saml:AttributeValue>", '<saml:AttributeValue xsi:type="xs:string">')
      .replace("</saml:Issuer>", `</saml:Issuer>${template(assertion.id, SIGNATURE_ALGORITHM.RS256, "xs xsi")}`);
    const outer = render(errorResponse(response(), { code: STATUS.success }))
      .replace(
        "<samlp:Response",
        '<samlp:Response xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
      )
      .replace("</samlp:Response>", `${typed}</samlp:Response>`);
    const opened = await openResponse(posted(xmlsecSigned(outer, idp)), { keys: [verificationKey(idp.certificate)] });
    expect(opened.assertion?.subject?.nameId?.value).toBe("not-an-admin@example.com");
  });

  const encryptionTemplate = (
    algorithm: string,
    transport = "",
    digest = `${NS.ds}sha1`,
  ) => `<xenc:EncryptedData xmlns:xenc="${NS.xenc}" Type="${NS.xenc}Element">
    <xenc:EncryptionMethod Algorithm="${algorithm}"/><ds:KeyInfo xmlns:ds="${NS.ds}"><xenc:EncryptedKey>
      <xenc:EncryptionMethod Algorithm="${transport || `${NS.xenc}rsa-oaep-mgf1p`}"><ds:DigestMethod Algorithm="${digest}"/></xenc:EncryptionMethod>
      <xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>
    <xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>`;

  test.each(toDecrypt)("encrypts by %s what we decrypt", async (name, algorithm) => {
    const assertion = goodAssertion();
    const plain = render(await signed(assertionElement(assertion), rs256(idp)));
    const data = xmlsecEncrypted(plain, encryptionTemplate(algorithm), sp, `aes-${name.slice(3, 6)}`).replace(/<\?xml.*?\?>/, "");
    const message = response();
    const inner = `<saml:EncryptedAssertion xmlns:saml="${NS.saml}">${data}</saml:EncryptedAssertion>`;
    const status = render(errorResponse(message, { code: STATUS.success }));
    const xml = status.replace("</samlp:Response>", `${inner}</samlp:Response>`);
    const keys = [verificationKey(idp.certificate)];
    const decryption = { keys: [sp.privateKey], allowCbc: true };
    if (!name.endsWith("cbc")) {
      const opened = await openResponse(posted(xml), { keys, decryption });
      expect(opened.assertion?.id).toBe(assertion.id);
      return;
    }
    await expect(openResponse(posted(xml), { keys, decryption })).rejects.toMatchObject({ reason: "encryption_algorithm" });
    const vouched = xmlsecSigned(xml.replace("</saml:Issuer>", `</saml:Issuer>${template(message.id, SIGNATURE_ALGORITHM.RS256)}`), idp);
    expect((await openResponse(posted(vouched), { keys, decryption })).assertion?.id).toBe(assertion.id);
  });
});

describe.skipIf(!haveSchemas())("the schemas of OASIS accept", () => {
  const key = () => rs256(idp);
  const both = () => ({ key: key(), signAssertion: true, signResponse: true });
  const status = { code: STATUS.responder, subCode: STATUS.noPassive, message: "No session" };
  const oaep = { algorithm: "oaep", digest: "sha256", mask: "sha256" } as const;

  const documents: [name: string, make: () => string | Promise<string>][] = [
    ["an AuthnRequest", async () => render(await signed(authnRequestElement(goodAuthnRequest()), key()))],
    ["the shortest AuthnRequest", () => render(authnRequestElement(envelope(SP)))],
    ["a Response", async () => render(await successResponse(response(), goodAssertion(), both()))],
    [
      "a Response without a request, attributes and end of session",
      async () => {
        const assertion = goodAssertion({ inResponseTo: null, attributes: [], sessionNotOnOrAfter: null });
        return render(await successResponse({ ...envelope(), inResponseTo: null }, assertion, both()));
      },
    ],
    [
      "an encrypted assertion",
      async () =>
        render(
          await successResponse(response(), goodAssertion(), {
            ...both(),
            recipient: { key: sp.publicKey, keyTransport: oaep, entityId: SP },
          }),
        ),
    ],
    ["an error", async () => render(await signed(errorResponse(response(), status), key()))],
    ["a LogoutRequest", async () => render(await signed(logoutRequestElement(goodLogoutRequest()), key()))],
    [
      "a LogoutRequest with an EncryptedID",
      async () => render(await signed(logoutRequestElement({ ...goodLogoutRequest(), recipient: { key: idp.publicKey } }), key())),
    ],
    ["a LogoutResponse", async () => render(await signed(logoutResponseElement({ ...response(), status }), key()))],
    [
      "an ArtifactResolve in SOAP",
      async () => soapEnvelope(await signed(artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 1) }), key())),
    ],
    [
      "an ArtifactResponse in SOAP",
      async () => {
        const content = await successResponse(response(), goodAssertion(), both());
        return soapEnvelope(await signed(artifactResponseElement({ ...response(), status: { code: STATUS.success }, content }), key()));
      },
    ],
    [
      "metadata of an identity provider",
      async () => {
        const entity = {
          id: "_md",
          entityId: IDP,
          validUntil: NOW + 1e9,
          cacheDurationSeconds: 3600,
          organization: { name: "A", displayName: "A & B", url: "https://a.example" },
          technicalContact: "a@example.com",
        };
        return render(await signed(idpMetadata({ ...entity, idp: goodIdpRole(idp.certificate) }), key()));
      },
    ],
    [
      "metadata of a service provider",
      async () => render(await signed(spMetadata({ id: "_md", entityId: SP, sp: goodSpRole(sp.certificate) }), key())),
    ],
  ];

  test("every message, and metadata of either kind", async () => {
    const made = await Promise.all(documents.map(([, make]) => make()));
    expect(schemaComplaints(...made), documents.map(([name], at) => `message-${at}: ${name}`).join("\n")).toBeNull();
  });

  test("and refuse what is not right", async () => {
    const xml = render(await successResponse(response(), goodAssertion(), both()));
    expect(schemaComplaints(xml.replace("IssueInstant", "Issued"))).toMatch(/Issued/);
    expect(schemaComplaints(xml, xml.replace(ACS, "not an address%"))).toMatch(/message-1[\s\S]*anyURI/);
  });
});

test("metadata that we write, we read", async () => {
  const entity = { id: "_md", entityId: SP, validUntil: NOW + 1000, cacheDurationSeconds: 90 };
  const xml = render(await signed(spMetadata({ ...entity, sp: goodSpRole(sp.certificate) }), rs256(sp)));
  const read = readMetadata(Buffer.from(xml), { now: NOW, keys: [verificationKey(sp.certificate)] });
  expect(read).toEqual({ entityId: SP, validUntil: NOW + 1000, cacheDuration: 90_000, sp: goodSpRole(sp.certificate), idp: null });
  const other = render(idpMetadata({ id: "_md", entityId: IDP, idp: goodIdpRole(idp.certificate) }));
  expect(readMetadata(Buffer.from(other), { now: NOW, keys: [] }).idp).toEqual(goodIdpRole(idp.certificate));
});
