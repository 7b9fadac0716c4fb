// A broker (HM) of eHerkenning and an eIDAS node on this machine. Tests decide what they answer, right or wrong.
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../kernel/clock.ts";
import type { Answer } from "./browser.ts";
import {
  assertionXml,
  attribute,
  type Encrypting,
  encrypted,
  newId,
  responseXml,
  SAML,
  SAMLP,
  type Signing,
  signedBy,
  time,
} from "./eid-messages.ts";
import { type Identity, makeIdentity } from "./saml-peers.ts";
import { hopOf } from "./service-provider.ts";

/** The message that the service provider sent by a form. */
export interface Asked {
  readonly location: string;
  readonly id: string;
  readonly acs: string;
  readonly issuer: string;
  readonly relayState: string;
  readonly xml: string;
}

/** Reads the request from the page that posts it. */
export function readRequest(page: URL | Answer): Asked {
  const { location, form } = (page instanceof URL ? null : hopOf(page)) ?? { location: "", form: null };
  const xml = Buffer.from(form?.SAMLRequest ?? "", "base64").toString();
  const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? "";
  const issuer = /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? "";
  return { location, id: of("ID"), acs: of("AssertionConsumerServiceURL"), issuer, relayState: form?.RelayState ?? "", xml };
}

/** The changes that a test makes to a correct answer. */
export interface EidAnswer {
  readonly loa?: string;
  readonly advice?: string;
  /** The attributes, instead of the usual ones. */
  readonly attributes?: readonly string[];
  /** Attributes in addition to the usual ones. */
  readonly more?: readonly string[];
  readonly signing?: Signing;
  readonly encrypting?: Encrypting;
  /** The key with which it is encrypted, instead of the service provider's. */
  readonly recipient?: Identity;
  readonly isAssertionSigned?: boolean;
  readonly isResponseSigned?: boolean;
  readonly isEncrypted?: boolean;
  /** Changes the assertion before anything is signed. */
  readonly edit?: (assertion: string) => string;
  /** Replaces the content of the Response after the assertion was made. */
  readonly content?: (assertion: string) => string;
}

async function listen(answer: (body: string) => string | null) {
  let pause = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await wait(pause);
    const body = answer(Buffer.concat(chunks).toString());
    response.writeHead(body === null ? 404 : 200, { "content-type": "text/xml" }).end(body ?? "");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const slow = (milliseconds: number) => {
    pause = milliseconds;
  };
  return { origin, slow, close: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
}

const publicKeyOf = ({ privateKey }: Identity) => createPublicKey(privateKey);
const privatePem = ({ privateKey }: Identity) => privateKey.export({ type: "pkcs8", format: "pem" }) as string;

export const nameId = (qualifier: string, value: string) =>
  `<saml:NameID xmlns:saml="${SAML}" NameQualifier="${qualifier}">${value}</saml:NameID>`;

export const KVK = "urn:etoegang:1.9:EntityConcernedID:KvKnr";
export const RSIN = "urn:etoegang:1.9:EntityConcernedID:RSIN";
export const PSEUDO = "urn:etoegang:1.13:EntityConcernedID:Pseudo";
export const SERVICE_ID = "urn:etoegang:DV:00000003123456780000:services:9113";
export const SERVICE_UUID = "b2ba62a6-419c-4331-8fbb-40c7b589978d";

export type EherkenningPeer = Awaited<ReturnType<typeof eherkenningPeer>>;

/** Plays eHerkenning, which answers by artifact, over SOAP. Each artifact works once. */
export async function eherkenningPeer() {
  const [signer, sp, decryption, other] = await Promise.all([makeIdentity(), makeIdentity(), makeIdentity(), makeIdentity()]);
  const entityId = "urn:etoegang:HM:00000003520354760000:entities:9001";
  const spEntityId = "urn:etoegang:DV:00000003123456780000:entities:0001";
  const waiting = new Map<string, string>();
  const resolves: string[] = [];
  const signing: Signing = { identity: signer, by: "pkcs1" };
  const cbc: Encrypting = { cipher: "aes256-cbc", transport: "mgf1p" };

  const { origin, close, slow } = await listen((soap) => {
    resolves.push(soap);
    const artifact = />([^<]+)<\/samlp:Artifact>/.exec(soap)?.[1] ?? "";
    const requested = / ID="([^"]*)"/.exec(soap)?.[1] ?? "";
    const message = waiting.get(artifact) ?? "";
    waiting.delete(artifact);
    const id = newId();
    const response =
      `<samlp:ArtifactResponse xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="${id}" Version="2.0" IssueInstant="${time(clock.now())}" ` +
      `InResponseTo="${requested}"><saml:Issuer>${entityId}</saml:Issuer><samlp:Status><samlp:StatusCode ` +
      `Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${message}</samlp:ArtifactResponse>`;
    const body = signedBy(signing, response, id);
    return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${body}</soap:Body></soap:Envelope>`;
  });

  /** An identifier that is also encrypted for another party. */
  const identifier = (qualifier: string, value: string, { recipient, encrypting }: EidAnswer = {}, inside = nameId(qualifier, value)) =>
    encrypted(
      "EncryptedID",
      inside,
      [
        { key: publicKeyOf(other), entityId: "urn:etoegang:HM:00000009000000000000:entities:0001" },
        { key: publicKeyOf(recipient ?? decryption), entityId: spEntityId },
      ],
      { ...cbc, ...encrypting },
    );
  const usual = (answer: EidAnswer, { kvk = "12345678", email = "ada@example.com" } = {}) => [
    attribute("urn:etoegang:core:ServiceID", SERVICE_ID),
    attribute("urn:etoegang:core:ServiceUUID", SERVICE_UUID),
    attribute("urn:etoegang:core:LegalSubjectID", identifier(KVK, kvk, answer)),
    attribute("urn:etoegang:core:ActingSubjectID", identifier(PSEUDO, "ABCDEF0123456789@0123456789ABCDEF", answer)),
    attribute("email", email),
    attribute("urn:etoegang:1.9:attribute:FirstName", "A\u202eda"),
    attribute("urn:etoegang:1.9:attribute:FamilyName", "Lovelace"),
  ];

  const peer = {
    ...{ entityId, spEntityId, signer, sp, decryption, other, resolves, close, identifier },
    attributes: (account: { readonly kvk?: string; readonly email?: string }) => usual({}, account),
    config: {
      ...{ ssoUrl: `${origin}/sso`, artifactResolutionUrl: `${origin}/resolve`, idpEntityId: entityId, spEntityId },
      ...{ idpSigningCertificate: signer.pem, spSigningCertificate: sp.pem, spSigningPrivateKey: privatePem(sp) },
      ...{ spDecryptionCertificate: decryption.pem, spDecryptionPrivateKey: privatePem(decryption) },
      ...{ minimumLoa: "urn:etoegang:core:assurance-class:loa3", serviceId: SERVICE_ID, serviceUuid: SERVICE_UUID },
    },
    response({ id: inResponseTo, acs: recipient }: Asked, answer: EidAnswer = {}): string {
      const { loa = "urn:etoegang:core:assurance-class:loa3", attributes = usual(answer), more = [], edit = (xml) => xml } = answer;
      const message = { now: clock.now(), issuer: entityId, recipient, inResponseTo };
      const [id, responseId] = [newId(), newId()];
      const by = answer.signing ?? signing;
      const plain = edit(
        assertionXml({
          ...{ ...message, id, audience: spEntityId, loa, attributes: [...attributes, ...more] },
          ...(answer.advice !== undefined && { advice: answer.advice }),
        }),
      );
      const assertion = answer.isAssertionSigned === false ? plain : signedBy(by, plain, id);
      const response = responseXml({ ...message, id: responseId }, answer.content?.(assertion) ?? assertion);
      return answer.isResponseSigned === false ? response : signedBy(by, response, responseId);
    },
    /** Sets the time that resolving an artifact takes. */
    slow,
    /** Returns the query of the response. */
    artifact(requested: Asked, answer: EidAnswer = {}) {
      const source = createHash("sha1").update(entityId).digest();
      const artifact = Buffer.concat([Buffer.from([0, 4, 0, 0]), source, randomBytes(20)]).toString("base64");
      waiting.set(artifact, peer.response(requested, answer));
      return { SAMLart: artifact, RelayState: requested.relayState };
    },
  };
  return peer;
}

const EIDAS = "http://eidas.europa.eu/attributes/";
export const person = (name: string, ...values: string[]) => attribute(`${EIDAS}naturalperson/${name}`, ...values);
export const company = (name: string, ...values: string[]) => attribute(`${EIDAS}legalperson/${name}`, ...values);

export const NATURAL = [
  person("PersonIdentifier", "ES/NL/02635542Y"),
  person("CurrentFamilyName", "Ωνάσης", "Onassis"),
  person("CurrentGivenName", "Αλέξανδρος", "Alexander"),
  person("DateOfBirth", "1965-01-01"),
];
export const LEGAL = [company("LegalPersonIdentifier", "ES/NL/B12345678"), company("LegalName", "Acme S.A.")];

export type EidasPeer = Awaited<ReturnType<typeof eidasPeer>>;

/** Plays an eIDAS node, which answers by POST, encrypted and signed twice. Only browsers reach it. */
export async function eidasPeer() {
  const [signer, rsaSigner, sp, decryption, other] = await Promise.all([
    makeIdentity("P-256"),
    makeIdentity(),
    makeIdentity("P-256"),
    makeIdentity(),
    makeIdentity(),
  ]);
  const entityId = "https://node.example/EidasNode/ConnectorMetadata";
  const spEntityId = "https://service.example/metadata";
  const signing: Signing = { identity: signer, by: "ecdsa" };
  return {
    ...{ entityId, spEntityId, signer, rsaSigner, sp, decryption, other },
    config: {
      ...{ ssoUrl: "https://node.example/EidasNode/ServiceProvider", idpEntityId: entityId, spEntityId },
      ...{ idpSigningCertificate: [signer.pem, rsaSigner.pem], spSigningCertificate: sp.pem, spSigningPrivateKey: privatePem(sp) },
      ...{ spDecryptionCertificate: decryption.pem, spDecryptionPrivateKey: privatePem(decryption), providerName: "Gemeente" },
    },
    /** Returns the form of the response. */
    respond({ id: inResponseTo, acs: recipient, relayState: RelayState }: Asked, answer: EidAnswer = {}) {
      const { loa = "http://eidas.europa.eu/LoA/substantial", attributes = NATURAL, more = [], edit = (xml) => xml } = answer;
      const message = { now: clock.now(), issuer: entityId, recipient, inResponseTo };
      const [id, responseId] = [newId(), newId()];
      const by = answer.signing ?? signing;
      const plain = edit(assertionXml({ ...message, id, audience: spEntityId, loa, attributes: [...attributes, ...more] }));
      const assertion = answer.isAssertionSigned === false ? plain : signedBy(by, plain, id);
      const key = publicKeyOf(answer.recipient ?? decryption);
      const sealed = () => encrypted("EncryptedAssertion", assertion, [{ key }], { transport: "oaep", ...answer.encrypting });
      const content = answer.isEncrypted === false ? assertion : sealed();
      const response = responseXml({ ...message, id: responseId }, answer.content?.(content) ?? content);
      const xml = answer.isResponseSigned === false ? response : signedBy(by, response, responseId);
      return { SAMLResponse: Buffer.from(xml).toString("base64"), RelayState };
    },
  };
}
