import { beforeAll, describe, expect, test } from "vitest";
import { type Oddity, oddlySigned, rightlySigned, wronglySigned } from "../../testing/saml-attacks.ts";
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
import { C14N } from "./names.ts";
import { isSigned, verifyEnveloped } from "./signature/verify.ts";
import { MESSAGE_LIMITS, parseXml } from "./xml/parse.ts";

let peer: Identity;
let outsider: Identity;
let response: string;

beforeAll(async () => {
  [peer, outsider] = await Promise.all([makeIdentity(), makeIdentity()]);
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
const inPrefixList = (what: string) => () =>
  response.replace(
    "</ds:CanonicalizationMethod>",
    `<ec:InclusiveNamespaces xmlns:ec="${C14N.namespace}" PrefixList="a">${what}</ec:InclusiveNamespaces>$&`,
  );

const texts: [what: string, reason: SamlReason, make: () => string | Buffer][] = [
  ["a comment in NameID", "forbidden_node", inNameId("<!-- -->")],
  ["an instruction in NameID", "forbidden_node", inNameId("<?p x?>")],
  ["CDATA in NameID", "forbidden_node", inNameId("<![CDATA[]]>")],
  ["a comment in DigestValue", "forbidden_node", inDigest("<!-- -->")],
  ["two DigestValues", "signature_shape", inDigest("AAAA</ds:DigestValue><ds:DigestValue>")],
  ["an element in DigestValue", "signature_shape", inDigest("<ds:X></ds:X>")],
  ["an empty DigestValue", "signature_shape", () => response.replace(/<ds:DigestValue>[^<]*/, "<ds:DigestValue>")],
  ["a DigestValue that is not base64", "signature_shape", inDigest("*")],
  ["an element in InclusiveNamespaces", "signature_shape", inPrefixList("<x/>")],
  ["text in InclusiveNamespaces", "signature_shape", inPrefixList("x")],
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

test("the result is read from the signed bytes: another tree, without the signature", () => {
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
  test("refuses a key of the message, an unknown key, and no key", async () => {
    const forged = await makeResponse(outsider);
    expect(await openXml(forged, [verificationKey(outsider.certificate)])).toBe("not-an-admin@example.com");
    expect(await reasonOf(() => openXml(forged))).toBe("signature_invalid");
    expect(await reasonOf(() => openXml(forged.replaceAll(outsider.certificate, peer.certificate)))).toBe("signature_invalid");
    expect(await reasonOf(() => openXml(response, []))).toBe("no_certificate");
    expect(await reasonOf(() => openXml(response, [verificationKey(outsider.certificate)]))).toBe("signature_invalid");
  });

  test("accepts any of the configured keys, as while one is exchanged for another", async () => {
    const keys = [outsider, peer].map(({ certificate }) => verificationKey(certificate));
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
    const xml = render(await signed(authnRequestElement(goodAuthnRequest()), rs256(outsider)));
    const received = readPost({ SAMLRequest: Buffer.from(xml).toString("base64") });
    expect(await openAuthnRequest(received, { keys: [], required: false })).toMatchObject({ signed: false });
    expect(await reasonOf(() => openAuthnRequest(received, { keys: [], required: true }))).toBe("no_certificate");
    const keys = [verificationKey(peer.certificate)];
    expect(await reasonOf(() => openAuthnRequest(received, { keys, required: false }))).toBe("signature_invalid");
  });
});

describe("a signature that is computed rightly", () => {
  const open = async (oddity: Oddity) => {
    const received = readPost({
      SAMLRequest: Buffer.from(oddlySigned(render(authnRequestElement(goodAuthnRequest())), peer, oddity)).toString("base64"),
    });
    const keys = [verificationKey(peer.certificate)];
    return openAuthnRequest(received, { keys, required: true });
  };
  test.each(rightlySigned)("%s is accepted", async (_, oddity) => {
    expect(await open(oddity)).toMatchObject({ signed: true });
  });

  test.each(wronglySigned)("%s is refused", async (_, reason, oddity) => {
    expect(await reasonOf(() => open(oddity))).toBe(reason);
  });
});
