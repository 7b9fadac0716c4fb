// Bad input, most of it signed by the right key in the wrong way: it is refused for what it is, not because a signature is broken.
import { createHash, createHmac, sign as signBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { envelope, goodAssertion, goodAuthnRequest, REQUEST_ID, rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import {
  authnRequestElement,
  openAuthnRequest,
  openResponse,
  readPost,
  render,
  SamlError,
  type SamlReason,
  SIGNATURE_ALGORITHM,
  signed,
  signingKey,
  successResponse,
  verificationKey,
} from "./index.ts";
import { C14N, ENVELOPED, NS } from "./names.ts";
import { isSigned, verifyEnveloped } from "./signature/verify.ts";
import { canonicalize } from "./xml/canonical.ts";
import { MESSAGE_LIMITS, METADATA_LIMITS, parseXml } from "./xml/parse.ts";

let peer: Identity;
let stranger: Identity;
let response: string;

beforeAll(async () => {
  [peer, stranger] = await Promise.all([makeIdentity(), makeIdentity()]);
  response = await makeResponse(peer);
});

const makeResponse = async (identity: Identity) => {
  const protection = { key: rs256(identity), signAssertion: true, signResponse: true };
  return render(await successResponse({ ...envelope(), inResponseTo: REQUEST_ID }, goodAssertion(), protection));
};

const openXml = async (xml: string | Buffer, keys = [verificationKey(peer.certificate)]) =>
  (await openResponse(readPost({ SAMLResponse: Buffer.from(xml).toString("base64") }), { keys })).assertion?.subject?.nameId?.value;

const reasonOf = async (work: () => unknown): Promise<SamlReason | "accepted"> => {
  try {
    await work();
    return "accepted";
  } catch (error) {
    if (error instanceof SamlError) return error.reason;
    throw error;
  }
};

test("the good message is accepted", async () => {
  expect(await openXml(response)).toBe("not-an-admin@example.com");
});

const inNameId = (what: string) => () => response.replace("not-an-admin@", `not-an-${what}admin@`);
const inDigest = (what: string) => () => response.replace("<ds:DigestValue>", `<ds:DigestValue>${what}`);

const texts: [what: string, reason: SamlReason, make: () => string | Buffer][] = [
  ["a comment in NameID", "forbidden_node", inNameId("<!-- -->")],
  ["an instruction in NameID", "forbidden_node", inNameId("<?p x?>")],
  ["CDATA in NameID", "forbidden_node", inNameId("<![CDATA[]]>")],
  ["a comment in DigestValue", "forbidden_node", inDigest("<!-- -->")],
  ["two DigestValues", "signature_shape", inDigest("AAAA</ds:DigestValue><ds:DigestValue>")],
  ["an element in DigestValue", "signature_shape", inDigest("<ds:X></ds:X>")],
  ["an empty DigestValue", "signature_shape", () => response.replace(/<ds:DigestValue>[^<]*/, "<ds:DigestValue>")],
  ["a DigestValue that is not base64", "signature_shape", inDigest("*")],
  ["text in SignedInfo", "signature_shape", () => response.replace("<ds:SignedInfo>", "<ds:SignedInfo>x")],
  ["a document type", "doctype", () => `<!DOCTYPE x>${response}`],
  ["an external entity", "doctype", () => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${inNameId("&e;")()}`],
  ["an entity bomb", "doctype", () => `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;">]>${inNameId("&b;")()}`],
  ["an entity without a document type", "not_well_formed", inNameId("&e;")],
  ["two roots", "not_well_formed", () => `${response}<x/>`],
  ["a second message behind it", "not_well_formed", () => `${response}${response}`],
  ["UTF-16", "encoding", () => Buffer.from(`\ufeff${response}`, "utf16le")],
  ["a declaration of UTF-7", "encoding", () => `<?xml version="1.0" encoding="UTF-7"?>${response}`],
  ["NUL", "encoding", inNameId("\0")],
  ["another ID attribute", "namespaced_id", () => response.replace("<saml:Subject>", '<saml:Subject xmlns:x="urn:x" x:ID="_1">')],
  ["an edited attribute", "signature_invalid", () => response.replace("O'Neil", "O'Neill")],
  ["an edited Destination", "signature_invalid", () => response.replace("https://sp.example/acs", "https://sp.example/ACS")],
  ["an added attribute", "signature_invalid", () => response.replace("<saml:Subject>", '<saml:Subject x="1">')],
  ["an added space", "signature_invalid", () => response.replace("<saml:Subject>", "<saml:Subject> ")],
  ["a SignatureValue that is cut", "signature_invalid", () => response.replace(/<ds:SignatureValue>.{4}/, "<ds:SignatureValue>")],
  ["an empty SignatureValue", "signature_shape", () => response.replace(/<ds:SignatureValue>[^<]*/, "<ds:SignatureValue>")],
  ["no ID", "signature_reference", () => response.replace(/ ID="[^"]*"/, "")],
  ["version 1.1", "signature_invalid", () => response.replace('Version="2.0"', 'Version="1.1"')],
  ["another message", "message", () => response.replaceAll("samlp:Response", "samlp:ManageNameIDResponse")],
  ["no XML", "not_well_formed", () => "SAMLResponse"],
  ["more than fits", "size", () => `${response}${" ".repeat(600_000)}`],
  ["a depth bomb", "depth", () => response.replace("<samlp:Status>", `${"<a>".repeat(200)}${"</a>".repeat(200)}<samlp:Status>`)],
];

test.each(texts)("refuses %s", async (_, reason, make) => {
  const xml = make();
  expect(xml).not.toBe(response);
  expect(await reasonOf(() => openXml(xml))).toBe(reason);
});

test("whitespace and encodings that change nothing are accepted, and give the same content", async () => {
  expect(await openXml(`<?xml version="1.0" encoding="utf-8"?>\n${response}\n`)).toBe("not-an-admin@example.com");
  expect(await openXml(response.replace("not-an-admin@", "&#110;ot-an-admi&#x6e;@"))).toBe("not-an-admin@example.com");
  expect(await openXml(Buffer.from(`\ufeff${response}`))).toBe("not-an-admin@example.com");
});

test("what is handed out is read from the signed bytes: another tree, without the signature", () => {
  const original = parseXml(Buffer.from(response), MESSAGE_LIMITS);
  const verified = verifyEnveloped(original, [verificationKey(peer.certificate)], MESSAGE_LIMITS);
  expect([isSigned(original), isSigned(verified)]).toEqual([true, false]);
  expect(verified).not.toBe(original);
});

test("an error quotes no more than a line of what came", async () => {
  const xml = response.replaceAll(SIGNATURE_ALGORITHM.RS256, `urn:${"x".repeat(10_000)}`);
  await expect(openXml(xml)).rejects.toSatisfy((error: SamlError) => error.reason === "signature_algorithm" && error.message.length <= 300);
});

test("no key verifies nothing", async () => {
  const original = parseXml(Buffer.from(response), MESSAGE_LIMITS);
  expect(await reasonOf(() => verifyEnveloped(original, [], MESSAGE_LIMITS))).toBe("no_certificate");
});

describe("keys", () => {
  test("refuses a key of the message, a stranger's, and having none", async () => {
    const forged = await makeResponse(stranger);
    expect(await openXml(forged, [verificationKey(stranger.certificate)])).toBe("not-an-admin@example.com");
    expect(await reasonOf(() => openXml(forged))).toBe("signature_invalid");
    expect(await reasonOf(() => openXml(forged.replaceAll(stranger.certificate, peer.certificate)))).toBe("signature_invalid");
    expect(await reasonOf(() => openXml(response, []))).toBe("no_certificate");
    expect(await reasonOf(() => openXml(response, [verificationKey(stranger.certificate)]))).toBe("signature_invalid");
  });

  test("accepts any of the configured keys, as while one is exchanged for another", async () => {
    const keys = [stranger, peer].map(({ certificate }) => verificationKey(certificate));
    expect(await openXml(response, keys)).toBe("not-an-admin@example.com");
  });

  test("refuses weak and unfit certificates", async () => {
    expect(await reasonOf(async () => verificationKey((await makeIdentity("rsa", 1024)).certificate))).toBe("certificate");
    expect(await reasonOf(() => verificationKey("AAAA"))).toBe("certificate");
    expect(await reasonOf(() => verificationKey("not a certificate"))).toBe("certificate");
    expect(() => signingKey(peer.privateKey, SIGNATURE_ALGORITHM.ES256, null)).toThrow(TypeError);
  });

  test("an ECDSA signature does not verify by an RSA key, nor the other way round", async () => {
    const elliptic = await makeIdentity("P-256");
    expect(await reasonOf(() => openXml(response, [verificationKey(elliptic.certificate)]))).toBe("signature_invalid");
    const swapped = response.replaceAll(SIGNATURE_ALGORITHM.RS256, SIGNATURE_ALGORITHM.ES256);
    expect(await reasonOf(() => openXml(swapped))).toBe("signature_invalid");
    expect(await reasonOf(() => openXml(response.replaceAll(SIGNATURE_ALGORITHM.RS256, SIGNATURE_ALGORITHM.PS256)))).toBe(
      "signature_invalid",
    );
  });

  test("a message that is signed by a provider without certificates counts as unsigned where that is allowed", async () => {
    const xml = render(await signed(authnRequestElement(goodAuthnRequest()), rs256(stranger)));
    const received = readPost({ SAMLRequest: Buffer.from(xml).toString("base64") });
    expect(await openAuthnRequest(received, { keys: [], required: false })).toMatchObject({ signed: false });
    expect(await reasonOf(() => openAuthnRequest(received, { keys: [], required: true }))).toBe("no_certificate");
    const keys = [verificationKey(peer.certificate)];
    expect(await reasonOf(() => openAuthnRequest(received, { keys, required: false }))).toBe("signature_invalid");
  });
});

interface Oddity {
  readonly method?: string;
  readonly digest?: string;
  readonly canonicalization?: string;
  readonly transforms?: string;
  readonly uri?: (id: string) => string;
  readonly inReference?: string;
  readonly inSignedInfo?: (id: string) => string;
  readonly inMethod?: string;
  readonly afterKeyInfo?: string;
  readonly referenceAttributes?: string;
  readonly sign?: (data: Buffer) => Buffer;
}

const rsa = (hash: string) => (data: Buffer) => signBytes(hash, data, peer.privateKey);
const transform = (algorithm: string, inside = "") => `<ds:Transform Algorithm="${algorithm}">${inside}</ds:Transform>`;
const USUAL = transform(ENVELOPED) + transform(C14N.exclusive);
const SHA256 = `${NS.xenc}sha256`;

/** An AuthnRequest with a signature that is computed rightly, whatever it says. */
function oddlySigned(oddity: Oddity): string {
  const request = goodAuthnRequest();
  const plain = render(authnRequestElement(request));
  const hash = oddity.digest?.endsWith("sha1") ? "sha1" : "sha256";
  const digest = createHash(hash).update(plain).digest("base64");
  const info =
    `<ds:SignedInfo xmlns:ds="${NS.ds}"><ds:CanonicalizationMethod Algorithm="${oddity.canonicalization ?? C14N.exclusive}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${oddity.method ?? SIGNATURE_ALGORITHM.RS256}">${oddity.inMethod ?? ""}</ds:SignatureMethod>` +
    `<ds:Reference ${oddity.referenceAttributes ?? ""}URI="${(oddity.uri ?? ((id) => `#${id}`))(request.id)}"><ds:Transforms>${oddity.transforms ?? USUAL}</ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${oddity.digest ?? SHA256}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue>${oddity.inReference ?? ""}</ds:Reference>${(oddity.inSignedInfo ?? (() => ""))(request.id)}</ds:SignedInfo>`;
  const canonical = canonicalize(parseXml(Buffer.from(info), METADATA_LIMITS), { maxLength: 1e6 });
  const value = (oddity.sign ?? rsa("sha256"))(Buffer.from(canonical)).toString("base64");
  const signature = `<ds:Signature xmlns:ds="${NS.ds}">${info}<ds:SignatureValue>${value}</ds:SignatureValue>${oddity.afterKeyInfo ?? ""}</ds:Signature>`;
  return plain.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
}

describe("a signature that is computed rightly", () => {
  const open = async (oddity: Oddity) => {
    const received = readPost({ SAMLRequest: Buffer.from(oddlySigned(oddity)).toString("base64") });
    const keys = [verificationKey(peer.certificate)];
    return openAuthnRequest(received, { keys, required: true });
  };
  const inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
  const xslt = "http://www.w3.org/TR/1999/REC-xslt-19991116";
  const xpath = "http://www.w3.org/TR/1999/REC-xpath-19991116";
  const reference = (id: string) =>
    `<ds:Reference URI="#${id}"><ds:Transforms>${USUAL}</ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference>`;
  const prefixes = (list: string) => `<ec:InclusiveNamespaces xmlns:ec="${C14N.namespace}" PrefixList="${list}"></ec:InclusiveNamespaces>`;

  const good: [what: string, oddity: Oddity][] = [
    ["as usual", {}],
    ["with a KeyInfo that says nothing", { afterKeyInfo: "<ds:KeyInfo><ds:KeyName>x</ds:KeyName></ds:KeyInfo>" }],
    ["with prefixes that do not exist", { transforms: transform(ENVELOPED) + transform(C14N.exclusive, prefixes("xs")) }],
  ];
  test.each(good)("%s is accepted", async (_, oddity) => {
    expect(await open(oddity)).toMatchObject({ signed: true });
  });

  const bad: [what: string, reason: SamlReason, oddity: Oddity][] = [
    ["by RSA-SHA1", "signature_algorithm", { method: `${NS.ds}rsa-sha1`, sign: (data) => rsa("sha1")(data) }],
    ["with a SHA-1 digest", "signature_algorithm", { digest: `${NS.ds}sha1` }],
    [
      "by HMAC with the public certificate",
      "signature_algorithm",
      { method: `${NS.ds}hmac-sha1`, sign: (data) => createHmac("sha1", peer.pem).update(data).digest() },
    ],
    [
      "by HMAC-SHA256 with the public certificate",
      "signature_algorithm",
      {
        method: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        sign: (data) => createHmac("sha256", Buffer.from(peer.certificate, "base64")).update(data).digest(),
      },
    ],
    ["by RSA-MD5", "signature_algorithm", { method: "http://www.w3.org/2001/04/xmldsig-more#rsa-md5", sign: (data) => rsa("md5")(data) }],
    ["by an algorithm called constructor", "signature_algorithm", { method: "constructor" }],
    ["with a digest called __proto__", "signature_algorithm", { digest: "__proto__" }],
    ["with an output length", "signature_shape", { inMethod: "<ds:HMACOutputLength>0</ds:HMACOutputLength>" }],
    ["by canonicalization with comments", "signature_algorithm", { canonicalization: C14N.exclusiveWithComments }],
    ["by inclusive canonicalization", "signature_algorithm", { canonicalization: inclusive }],
    ["by a transform with comments", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(C14N.exclusiveWithComments) }],
    ["by an inclusive transform", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(inclusive) }],
    ["without a canonicalizing transform", "signature_algorithm", { transforms: transform(ENVELOPED) }],
    ["without the enveloped transform", "signature_algorithm", { transforms: transform(C14N.exclusive) }],
    ["without transforms", "signature_algorithm", { transforms: "" }],
    ["with transforms in another order", "signature_algorithm", { transforms: transform(C14N.exclusive) + transform(ENVELOPED) }],
    ["with a third transform", "signature_algorithm", { transforms: USUAL + transform(C14N.exclusive) }],
    ["by XSLT", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(xslt, "<x></x>") }],
    ["by XPath", "signature_algorithm", { transforms: transform(xpath, "<ds:XPath>true()</ds:XPath>") + transform(C14N.exclusive) }],
    ["by base64", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(`${NS.ds}base64`) }],
    [
      "with too many prefixes",
      "signature_shape",
      { transforms: transform(ENVELOPED) + transform(C14N.exclusive, prefixes("a ".repeat(99))) },
    ],
    ["with an unknown parameter", "signature_shape", { transforms: transform(ENVELOPED) + transform(C14N.exclusive, "<ds:X></ds:X>") }],
    ["over the whole document", "signature_reference", { uri: () => "" }],
    ["over another ID", "signature_reference", { uri: () => "#_other" }],
    ["by XPointer", "signature_reference", { uri: (id) => `#xpointer(id('${id}'))` }],
    ["by XPointer to the root", "signature_reference", { uri: () => "#xpointer(/)" }],
    ["over an address", "signature_reference", { uri: () => "https://evil.example/" }],
    ["over an ID with an escape", "signature_reference", { uri: (id) => `#${id.replace("_", "%5F")}` }],
    ["of a Manifest", "signature_reference", { referenceAttributes: `Type="${NS.ds}Manifest" ` }],
    ["with two References", "signature_shape", { inSignedInfo: reference }],
    ["with two DigestValues", "signature_shape", { inReference: "<ds:DigestValue>AAAA</ds:DigestValue>" }],
    ["with an Object", "signature_shape", { afterKeyInfo: "<ds:Object></ds:Object>" }],
    ["with an Object after KeyInfo", "signature_shape", { afterKeyInfo: "<ds:KeyInfo></ds:KeyInfo><ds:Object></ds:Object>" }],
    ["with two KeyInfos", "signature_shape", { afterKeyInfo: "<ds:KeyInfo></ds:KeyInfo><ds:KeyInfo></ds:KeyInfo>" }],
  ];
  test.each(bad)("%s is refused", async (_, reason, oddity) => {
    expect(await reasonOf(() => open(oddity))).toBe(reason);
  });
});
