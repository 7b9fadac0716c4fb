import { deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { ACS, envelope, goodAuthnRequest, goodLogoutRequest, IDP, REQUEST_ID, rs256, SP, SSO } from "../../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";
import {
  artifactResolveElement,
  artifactResponseElement,
  artifactUrl,
  authnRequestElement,
  errorResponse,
  logoutRequestElement,
  logoutResponseElement,
  newArtifact,
  openArtifactResolve,
  openArtifactResponse,
  openAuthnRequest,
  openLogoutRequest,
  openLogoutResponse,
  openResponse,
  postFields,
  readArtifact,
  readArtifactFields,
  readPost,
  readRedirect,
  readSoap,
  redirectUrl,
  render,
  SamlError,
  type SamlReason,
  SIGNATURE_ALGORITHM,
  STATUS,
  signed,
  signingKey,
  soapEnvelope,
  soapFault,
  sourceIdOf,
  verificationKey,
} from "../index.ts";
import { NS } from "../names.ts";

let sp: Identity;
let elliptic: Identity;
const keys = () => [verificationKey(sp.certificate)];

beforeAll(async () => {
  [sp, elliptic] = await Promise.all([makeIdentity(), makeIdentity("P-256")]);
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

const queryOf = (url: string) => url.slice(url.indexOf("?") + 1);
const deflatedXml = (xml: string) => encodeURIComponent(deflateRawSync(xml).toString("base64"));

describe("Redirect", () => {
  const RELAY = "ss:mem:é/+ &=";
  const good = async (relayState: string | null = RELAY) =>
    queryOf(await redirectUrl({ location: SSO, message: authnRequestElement(goodAuthnRequest()), relayState, key: rs256(sp) }));
  const open = async (query: string, required = true) => {
    const received = await readRedirect(query);
    return { received, ...(await openAuthnRequest(received, { keys: keys(), required })) };
  };

  test("carries a signed request, and its RelayState exactly", async () => {
    const { received, message, signed: vouched } = await open(await good());
    expect(received).toMatchObject({ name: "AuthnRequest", binding: "redirect", claimedIssuer: SP, relayState: RELAY });
    expect({ vouched, message }).toMatchObject({ vouched: true, message: { assertionConsumerServiceUrl: ACS, forceAuthn: true } });
    expect((await open(await good(null))).received.relayState).toBeNull();
  });

  test("signs by ECDSA, and with an address that has a query", async () => {
    const key = signingKey(elliptic.privateKey, SIGNATURE_ALGORITHM.ES256, null);
    const url = await redirectUrl({ location: `${SSO}?a=b`, message: logoutRequestElement(goodLogoutRequest()), key });
    expect(url).toContain("?a=b&SAMLRequest=");
    const trust = { keys: [verificationKey(elliptic.certificate)], required: true };
    expect(await openLogoutRequest(await readRedirect(queryOf(url)), trust)).toMatchObject({ signed: true });
  });

  test("verifies the query as it was sent, whatever way it was encoded", async () => {
    const request = render(authnRequestElement(goodAuthnRequest()));
    // As .NET does it: small letters in escapes, and a plus for a space.
    const lower = (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase());
    const parts = [
      `SAMLRequest=${lower(deflateRawSync(request).toString("base64"))}`,
      "RelayState=a+b%2fc",
      `SigAlg=${lower(SIGNATURE_ALGORITHM.RS256)}`,
    ];
    const signature = Buffer.from(await rs256(sp).sign(Buffer.from(parts.join("&")))).toString("base64");
    const { received, signed: vouched } = await open([...parts, `Signature=${lower(signature)}`].join("&"));
    expect({ vouched, relayState: received.relayState }).toEqual({ vouched: true, relayState: "a b/c" });
  });

  test("verifies what was signed in the order of the standard, whichever the query has", async () => {
    const query = await good();
    for (const shuffled of [query.split("&").reverse(), query.split("&").toSorted()])
      expect(await open(shuffled.join("&"))).toMatchObject({ signed: true, received: { relayState: RELAY } });
  });

  test("takes no notice of other parameters, nor of a signature inside of the message", async () => {
    expect(await open(`utm=1&${await good()}&x=%zz`)).toMatchObject({ signed: true });
    const inside = render(await signed(authnRequestElement(goodAuthnRequest()), rs256(sp)));
    expect(await open(`SAMLRequest=${deflatedXml(inside)}`, false)).toMatchObject({ signed: false });
    expect(await reasonOf(() => open(`SAMLRequest=${deflatedXml(inside)}`))).toBe("signature_missing");
  });

  const parts = (query: string) => Object.fromEntries(query.split("&").map((part) => part.split("="))) as Record<string, string>;
  const without = (query: string, name: string) =>
    query
      .split("&")
      .filter((part) => !part.startsWith(`${name}=`))
      .join("&");
  const evil = () =>
    deflatedXml(render(authnRequestElement({ ...goodAuthnRequest(), assertionConsumerServiceUrl: "https://evil.example/" })));
  const withValue = (query: string, name: string, value: string) => query.replace(`${name}=${parts(query)[name]}`, `${name}=${value}`);

  const bad: [what: string, reason: SamlReason, forge: (query: string) => string][] = [
    ["another request", "signature_invalid", (query) => withValue(query, "SAMLRequest", evil())],
    ["another RelayState", "signature_invalid", (query) => withValue(query, "RelayState", "evil")],
    ["no RelayState any more", "signature_invalid", (query) => without(query, "RelayState")],
    ["an empty RelayState", "signature_invalid", (query) => withValue(query, "RelayState", "")],
    ["a re-encoded RelayState", "signature_invalid", (query) => query.replace("%3A", "%3a")],
    ["a RelayState with less encoding", "signature_invalid", (query) => query.replace("%3A", ":")],
    ["another SigAlg", "signature_invalid", (query) => withValue(query, "SigAlg", encodeURIComponent(SIGNATURE_ALGORITHM.RS512))],
    ["RSA-SHA1", "signature_algorithm", (query) => withValue(query, "SigAlg", encodeURIComponent(`${NS.ds}rsa-sha1`))],
    ["no SigAlg", "binding", (query) => without(query, "SigAlg")],
    ["no Signature", "binding", (query) => without(query, "Signature")],
    ["neither", "signature_missing", (query) => without(without(query, "Signature"), "SigAlg")],
    ["an empty Signature", "binding", (query) => withValue(query, "Signature", "")],
    [
      "another Signature",
      "signature_invalid",
      (query) => withValue(query, "Signature", encodeURIComponent(Buffer.alloc(256).toString("base64"))),
    ],
    ["the request twice", "binding", (query) => `${query}&SAMLRequest=${evil()}`],
    ["the request twice, the other first", "binding", (query) => `SAMLRequest=${evil()}&${query}`],
    ["the request twice under an encoded name", "binding", (query) => `SAML%52equest=${evil()}&${query}`],
    ["the request twice with a space in the name", "binding", (query) => `+SAMLRequest=${evil()}&${query}`],
    ["the request under an encoded name alone", "binding", (query) => query.replace("SAMLRequest=", "SAML%52equest=")],
    ["a response beside the request", "binding", (query) => `${query}&SAMLResponse=${evil()}`],
    ["RelayState twice", "binding", (query) => `${query}&RelayState=evil`],
    ["Signature twice", "binding", (query) => `${query}&Signature=${parts(query).Signature}`],
    ["SigAlg twice", "binding", (query) => `SigAlg=x&${query}`],
    ["a request that is called a response", "binding", (query) => query.replace("SAMLRequest=", "SAMLResponse=")],
    ["another encoding", "binding", (query) => `${query}&SAMLEncoding=urn%3Ax`],
    ["a broken escape", "binding", (query) => withValue(query, "SAMLRequest", "%zz")],
    ["what is not base64", "binding", (query) => withValue(query, "SAMLRequest", "***")],
    [
      "what is not deflated",
      "binding",
      (query) => withValue(query, "SAMLRequest", encodeURIComponent(Buffer.from("<a/>").toString("base64"))),
    ],
    [
      "something behind the deflated request",
      "binding",
      (query) =>
        withValue(
          query,
          "SAMLRequest",
          encodeURIComponent(Buffer.concat([deflateRawSync("<a/>"), Buffer.from("more")]).toString("base64")),
        ),
    ],
    [
      "a deflate bomb",
      "size",
      (query) => withValue(query, "SAMLRequest", encodeURIComponent(deflateRawSync(Buffer.alloc(30_000_000, 32)).toString("base64"))),
    ],
    ["a query without end", "size", (query) => `${query}&x=${"y".repeat(100_000)}`],
    ["a RelayState of 81 bytes", "relay_state", (query) => withValue(query, "RelayState", `${"é".repeat(40)}x`)],
    ["NUL in RelayState", "relay_state", (query) => withValue(query, "RelayState", "%00")],
    ["nothing", "binding", () => ""],
  ];
  test.each(bad)("refuses %s", async (_, reason, forge) => {
    const query = await good();
    const forged = forge(query);
    expect(forged).not.toBe(query);
    expect(await reasonOf(() => open(forged))).toBe(reason);
  });

  test("stops inflating at the limit, instead of refusing what was inflated", async () => {
    const bomb = encodeURIComponent(deflateRawSync(Buffer.alloc(30_000_000, 32)).toString("base64"));
    await expect(readRedirect(`SAMLRequest=${bomb}`)).rejects.toMatchObject({ cause: { code: "ERR_BUFFER_TOO_LARGE" } });
  });

  test("does not carry a Response, nor a message with a signature inside", async () => {
    const response = errorResponse({ ...envelope(), inResponseTo: REQUEST_ID }, { code: STATUS.responder });
    const query = queryOf(await redirectUrl({ location: ACS, message: response, key: rs256(sp) }));
    expect(await reasonOf(async () => openResponse(await readRedirect(query), { keys: keys() }))).toBe("binding");
    const message = await signed(authnRequestElement(goodAuthnRequest()), rs256(sp));
    await expect(redirectUrl({ location: SSO, message, key: null })).rejects.toThrow(TypeError);
  });

  test("lets a caller allow longer RelayStates", async () => {
    const query = await good("x".repeat(200));
    expect(await reasonOf(() => readRedirect(query))).toBe("relay_state");
    expect((await readRedirect(query, { relayStateBytes: 200 })).relayState).toHaveLength(200);
  });
});

describe("POST", () => {
  test("carries a signed answer and its RelayState", async () => {
    const message = await signed(
      logoutResponseElement({ ...envelope(SP), inResponseTo: REQUEST_ID, status: { code: STATUS.partialLogout } }),
      rs256(sp),
    );
    const received = readPost(postFields(message, "https://sp.example/?a=b&c"));
    expect(received.relayState).toBe("https://sp.example/?a=b&c");
    const opened = openLogoutResponse(received, { keys: keys(), required: true });
    expect(opened).toMatchObject({ signed: true, message: { inResponseTo: REQUEST_ID, status: { code: STATUS.partialLogout } } });
  });

  const encoded = () => postFields(authnRequestElement(goodAuthnRequest())).SAMLRequest!;
  test("accepts line breaks in base64", () => {
    expect(readPost({ SAMLRequest: encoded().replace(/.{76}/g, "$&\r\n") }).name).toBe("AuthnRequest");
  });

  const bad: [what: string, reason: SamlReason, form: () => Record<string, unknown>][] = [
    ["neither", "binding", () => ({})],
    ["both", "binding", () => ({ SAMLRequest: encoded(), SAMLResponse: encoded() })],
    ["a field twice", "binding", () => ({ SAMLRequest: [encoded(), encoded()] })],
    ["RelayState twice", "binding", () => ({ SAMLRequest: encoded(), RelayState: ["a", "b"] })],
    ["a request as a response", "binding", () => ({ SAMLResponse: encoded() })],
    ["what is not base64", "binding", () => ({ SAMLRequest: `${encoded()}*` })],
    ["base64 for addresses", "binding", () => ({ SAMLRequest: "PD94_-" })],
    ["base64 with something behind its end", "binding", () => ({ SAMLRequest: `${Buffer.from("<a/>").toString("base64")}AAAA=AAA` })],
    ["too much", "size", () => ({ SAMLRequest: "A".repeat(1_000_000) })],
    ["a field of the prototype", "binding", () => Object.create({ SAMLRequest: encoded() })],
  ];
  test.each(bad)("refuses %s", async (_, reason, form) => {
    expect(await reasonOf(() => readPost(form()))).toBe(reason);
  });
});

describe("Artifact and SOAP", () => {
  test("an artifact names its issuer and its endpoint, and is never the same", () => {
    const artifact = newArtifact(IDP, 7);
    expect(readArtifact(artifact)).toEqual({ text: artifact, endpointIndex: 7, sourceId: sourceIdOf(IDP) });
    expect(newArtifact(IDP, 7)).not.toBe(artifact);
    const url = new URL(artifactUrl(`${ACS}?a=b`, artifact, "relay"));
    expect(readArtifactFields(Object.fromEntries(url.searchParams))).toMatchObject({ artifact: { text: artifact }, relayState: "relay" });
  });

  test.each([
    ["another type", () => Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(42)]).toString("base64")],
    ["too short", () => Buffer.concat([Buffer.from([0, 4]), Buffer.alloc(41)]).toString("base64")],
    ["too long", () => Buffer.concat([Buffer.from([0, 4]), Buffer.alloc(430)]).toString("base64")],
    ["no base64", () => "***"],
  ])("refuses an artifact that is %s", async (_, make) => {
    expect(await reasonOf(() => readArtifactFields({ SAMLart: make() }))).toBe("binding");
  });

  test("resolves: the question, the answer, and an answer without a message", async () => {
    const artifact = newArtifact(IDP, 0);
    const question = soapEnvelope(await signed(artifactResolveElement({ ...envelope(SP, null), artifact }), rs256(sp)));
    const resolve = openArtifactResolve(readSoap(Buffer.from(question)), { keys: keys(), required: true });
    expect(resolve).toMatchObject({ signed: true, message: { artifact, issuer: SP } });

    const status = { code: STATUS.success };
    const content = authnRequestElement(goodAuthnRequest());
    const answer = await signed(artifactResponseElement({ ...envelope(SP), inResponseTo: "_1", status, content }), rs256(sp));
    const opened = openArtifactResponse(readSoap(Buffer.from(soapEnvelope(answer))), { keys: keys(), required: true });
    expect(opened.message).toMatchObject({ inResponseTo: "_1", content: { name: "AuthnRequest", binding: "artifact" } });
    expect(await openAuthnRequest(opened.message.content!, { keys: keys(), required: true })).toMatchObject({ signed: true });

    const empty = soapEnvelope(artifactResponseElement({ ...envelope(SP), inResponseTo: "_1", status, content: null }));
    expect(openArtifactResponse(readSoap(Buffer.from(empty)), { keys: [], required: false }).message.content).toBeNull();
  });

  const message = () => render(artifactResolveElement({ ...envelope(SP), artifact: newArtifact(IDP, 0) }));
  const soap = (inside: string) => `<s:Envelope xmlns:s="${NS.soap}">${inside}</s:Envelope>`;
  test("lets headers pass that need not be understood", () => {
    expect(readSoap(Buffer.from(soap(`<s:Header><a s:mustUnderstand="0"/></s:Header><s:Body>${message()}</s:Body>`))).name).toBe(
      "ArtifactResolve",
    );
  });

  test("passes over the backslash that SimpleSAMLphp writes into the envelope, and no text in the body", async () => {
    const body = (text: string) => `<s:Body>${text}${message()}</s:Body>`;
    expect(readSoap(Buffer.from(soap(`\\\n  <s:Header/>${body("")}`))).name).toBe("ArtifactResolve");
    expect(await reasonOf(() => readSoap(Buffer.from(soap(body("\\")))))).toBe("binding");
  });

  test.each([
    ["no envelope", () => message()],
    ["SOAP 1.2", () => soap(`<s:Body>${message()}</s:Body>`).replace(NS.soap, "http://www.w3.org/2003/05/soap-envelope")],
    ["no body", () => soap("")],
    ["an empty body", () => soap("<s:Body/>")],
    ["two messages", () => soap(`<s:Body>${message()}${message()}</s:Body>`)],
    ["two bodies", () => soap(`<s:Body>${message()}</s:Body><s:Body>${message()}</s:Body>`)],
    ["a header after the body", () => soap(`<s:Body>${message()}</s:Body><s:Header/>`)],
    ["a header that has to be understood", () => soap(`<s:Header><a s:mustUnderstand="1"/></s:Header><s:Body>${message()}</s:Body>`)],
    ["a fault", () => soapFault()],
  ])("refuses %s", async (_, make) => {
    expect(await reasonOf(() => readSoap(Buffer.from(make())))).toBe("binding");
  });
});
