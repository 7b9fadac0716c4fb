// Signature wrapping: a signed element is kept, so that its signature stays right, and another one is put where the reader looks.
import { beforeAll, describe, expect, test } from "vitest";
import { SIGNATURE, type Wrapping, wrapped } from "../../testing/saml-attacks.ts";
import {
  ACS,
  envelope,
  goodAssertion,
  goodAuthnRequest,
  goodLogoutRequest,
  goodSpRole,
  IDP,
  NOW,
  REQUEST_ID,
  rs256,
  SP,
} from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import {
  artifactResolveElement,
  artifactResponseElement,
  assertionElement,
  authnRequestElement,
  errorResponse,
  type Fragment,
  logoutRequestElement,
  logoutResponseElement,
  newArtifact,
  openArtifactResolve,
  openArtifactResponse,
  openAuthnRequest,
  openLogoutRequest,
  openLogoutResponse,
  openResponse,
  readMetadata,
  readPost,
  readSoap,
  render,
  SamlError,
  type SigningKey,
  STATUS,
  signed,
  spMetadata,
  successResponse,
  type Trust,
  verificationKey,
} from "./index.ts";
import { element } from "./xml/write.ts";

let peer: Identity;
let trust: Trust;

beforeAll(async () => {
  peer = await makeIdentity();
  trust = { keys: [verificationKey(peer.certificate)], required: true };
});

const posted = (field: "SAMLRequest" | "SAMLResponse") => (xml: string) => readPost({ [field]: Buffer.from(xml).toString("base64") });
const request = posted("SAMLRequest");
const answer = posted("SAMLResponse");
const soap = (xml: string) => `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${xml}</s:Body></s:Envelope>`;
const inSoap = (xml: string) => readSoap(Buffer.from(soap(xml)));
const inResponse = { inResponseTo: REQUEST_ID };
const success = { code: STATUS.success };

const plainResponse = (assertion: string) => {
  const empty = render(errorResponse({ ...envelope(), ...inResponse }, success));
  return empty.replace("</samlp:Response>", `${assertion}</samlp:Response>`);
};

interface Kind extends Wrapping {
  readonly make: () => Promise<string>;
  readonly open: (xml: string) => unknown;
}

const toEvil = (xml: string) => xml.replace(/Destination="[^"]*"/, 'Destination="https://evil.example/"');
const make = (fragment: () => Fragment) => async () => render(await signed(fragment(), rs256(peer)));
const message = { forge: toEvil, extensions: "samlp:Extensions" };

const kinds: Record<string, Kind> = {
  AuthnRequest: {
    ...message,
    make: make(() => authnRequestElement(goodAuthnRequest())),
    open: async (xml) => (await openAuthnRequest(request(xml), trust)).message,
  },
  LogoutRequest: {
    ...message,
    make: make(() => logoutRequestElement(goodLogoutRequest())),
    open: async (xml) => (await openLogoutRequest(request(xml), trust)).message,
  },
  LogoutResponse: {
    ...message,
    make: make(() => logoutResponseElement({ ...envelope(), ...inResponse, status: success })),
    open: (xml) => openLogoutResponse(answer(xml), trust).message,
  },
  ArtifactResolve: {
    ...message,
    make: make(() => artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 0) })),
    open: (xml) => openArtifactResolve(inSoap(xml), trust).message,
  },
  ArtifactResponse: {
    ...message,
    make: make(() => artifactResponseElement({ ...envelope(), ...inResponse, status: success, content: null })),
    open: (xml) => openArtifactResponse(inSoap(xml), trust).message,
  },
  "the Response, its assertion unsigned": {
    ...message,
    forge: (xml) => toEvil(xml).replace("not-an-admin", "admin"),
    make: async () => {
      const protection = { key: rs256(peer), signAssertion: false, signResponse: true };
      return render(await successResponse({ ...envelope(), ...inResponse }, goodAssertion(), protection));
    },
    open: async (xml) => (await openResponse(answer(xml), { keys: trust.keys })).assertion,
  },
  metadata: {
    make: make(() => spMetadata({ id: "_md", entityId: SP, sp: goodSpRole(peer.certificate) })),
    open: (xml) => readMetadata(Buffer.from(xml), { now: NOW, keys: trust.keys }),
    forge: (xml) => xml.replace(ACS, "https://evil.example/"),
    extensions: "md:Extensions",
  },
};

describe.each(Object.entries(kinds))("wrapping of %s", (_, kind) => {
  let xml: string;
  beforeAll(async () => {
    xml = await kind.make();
  });

  test("the original is accepted", async () => {
    await expect(Promise.resolve(xml).then(kind.open)).resolves.toBeTruthy();
  });

  test.each(
    Object.keys(wrapped('<samlp:X ID="_1"><saml:Issuer></saml:Issuer><ds:Signature ></ds:Signature></samlp:X>', kinds.AuthnRequest!)),
  )("refuses %s", async (name) => {
    const forged = wrapped(xml, kind)[name]!;
    expect(forged).not.toBe(xml);
    await expect(Promise.resolve(forged).then(kind.open)).rejects.toBeInstanceOf(SamlError);
  });
});

describe("wrapping of a signed assertion in an unsigned Response", () => {
  const open = async (xml: string) => (await openResponse(answer(xml), { keys: trust.keys })).assertion?.subject?.nameId?.value;
  let xml: string;
  let signature: string;
  let original: string;
  let sameId: string;
  let evil: string;

  beforeAll(async () => {
    const protection = { key: rs256(peer), signAssertion: true, signResponse: false };
    const response = render(await successResponse({ ...envelope(), ...inResponse }, goodAssertion(), protection));
    xml = /<saml:Assertion .*<\/saml:Assertion>/s.exec(response)![0];
    signature = SIGNATURE.exec(xml)![0];
    original = xml.replace(SIGNATURE, "");
    sameId = original.replace("not-an-admin", "admin");
    evil = sameId.replace(/ ID="[^"]*"/, ' ID="_evil"');
  });

  const within = (to: string, part: string) => to.replace("</saml:Issuer>", () => `</saml:Issuer>${part}`);
  const inSignature = (part: string) => signature.replace("</ds:Signature>", () => `${part}</ds:Signature>`);
  const advice = (part: string) => evil.replace("<saml:AuthnStatement", () => `<saml:Advice>${part}</saml:Advice><saml:AuthnStatement`);

  test("the original is accepted", async () => {
    expect(await open(plainResponse(xml))).toBe("not-an-admin@example.com");
  });

  const forms: [name: string, make: () => string][] = [
    ["XSW3: the forged one before it", () => plainResponse(evil + xml)],
    ["the forged one after it", () => plainResponse(xml + evil)],
    ["XSW4: it in the forged one", () => plainResponse(evil.replace("</saml:Assertion>", () => `${xml}</saml:Assertion>`))],
    ["XSW5: its signature in the forged one, it beside", () => plainResponse(within(evil, signature) + original)],
    ["XSW6: it in the signature of the forged one", () => plainResponse(within(evil, inSignature(original)))],
    [
      "XSW7: it in Extensions",
      () => plainResponse(evil).replace("<samlp:Status", () => `<samlp:Extensions>${xml}</samlp:Extensions><samlp:Status`),
    ],
    [
      "XSW7: the forged one in Extensions, by the same ID",
      () => plainResponse(xml).replace("<samlp:Status", () => `<samlp:Extensions>${sameId}</samlp:Extensions><samlp:Status`),
    ],
    ["XSW8: it in an Object", () => plainResponse(within(evil, inSignature(`<ds:Object>${original}</ds:Object>`)))],
    ["it in Advice", () => plainResponse(advice(xml))],
    ["its signature and it in Advice", () => plainResponse(within(advice(original), signature))],
    [
      "it in a status detail",
      () => plainResponse(evil).replace("</samlp:Status>", () => `<samlp:StatusDetail>${xml}</samlp:StatusDetail></samlp:Status>`),
    ],
    ["a forged one with the same ID and the signature", () => plainResponse(within(sameId, signature))],
    ["a forged one without a signature", () => plainResponse(evil)],
    ["the unsigned original", () => plainResponse(original)],
    ["none", () => plainResponse("")],
    ["a signed one in another element", () => plainResponse(`<samlp:X>${xml}</samlp:X>`)],
    [
      "an Assertion of another namespace",
      () => plainResponse(xml.replaceAll("urn:oasis:names:tc:SAML:2.0:assertion", "urn:oasis:names:tc:SAML:2.1:assertion")),
    ],
  ];

  test.each(forms)("refuses %s", async (_, forge) => {
    await expect(Promise.resolve().then(() => open(forge()))).rejects.toBeInstanceOf(SamlError);
  });

  test("refuses one whose signature is broken, even in a Response that is signed rightly", async () => {
    const key = rs256(peer);
    const respond = async (assertionKey: SigningKey) => {
      const inner = await signed(assertionElement(goodAssertion()), assertionKey);
      const response = errorResponse({ ...envelope(), ...inResponse }, success);
      return render(await signed({ ...response, children: [...response.children, inner] }, key));
    };
    expect(await open(await respond(key))).toBe("not-an-admin@example.com");
    const broken = { ...key, sign: async (data: Uint8Array) => (await key.sign(data)).toReversed() };
    await expect(open(await respond(broken))).rejects.toMatchObject({ reason: "signature_invalid" });
  });

  test("an assertion in Advice is carried, and never read", async () => {
    const inner = await signed(assertionElement(goodAssertion()), rs256(peer));
    const outer = assertionElement(goodAssertion({ nameId: { value: "the-right-one" } }));
    const carrying = { ...outer, children: outer.children.toSpliced(3, 0, element("saml:Advice", {}, inner)) };
    expect(await open(plainResponse(render(await signed(carrying, rs256(peer)))))).toBe("the-right-one");
    await expect(open(plainResponse(render(carrying)))).rejects.toMatchObject({ reason: "unsigned" });
  });

  test("a signed message hidden in a SOAP header is not the message", async () => {
    const hidden = render(await signed(artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 0) }), rs256(peer)));
    const forged = render(artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 1) }));
    const namespace = "http://schemas.xmlsoap.org/soap/envelope/";
    const envelopeXml = `<s:Envelope xmlns:s="${namespace}"><s:Header>${hidden}</s:Header><s:Body>${forged}</s:Body></s:Envelope>`;
    expect(() => openArtifactResolve(readSoap(Buffer.from(envelopeXml)), trust)).toThrow(SamlError);
  });

  test("a Response inside of a signed ArtifactResponse is vouched for by it, and by nothing else", async () => {
    const bare = await successResponse({ ...envelope(), ...inResponse }, goodAssertion(), {
      key: rs256(peer),
      signAssertion: false,
      signResponse: false,
    });
    const fragment = artifactResponseElement({ ...envelope(), ...inResponse, status: success, content: bare });
    const content = (xml: string, required: boolean) => openArtifactResponse(inSoap(xml), { ...trust, required }).message.content!;
    const vouched = content(render(await signed(fragment, rs256(peer))), true);
    expect((await openResponse(vouched, { keys: trust.keys })).assertion?.subject?.nameId?.value).toBe("not-an-admin@example.com");
    await expect(openResponse(content(render(fragment), false), { keys: trust.keys })).rejects.toMatchObject({ reason: "unsigned" });
  });
});
