// Messages of eHerkenning and eIDAS as the schemes' own servers write them. They are made of text, xml-crypto and Node's ciphers, without our SAML core.
import {
  constants,
  createCipheriv,
  createECDH,
  createHash,
  createSign,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  sign,
} from "node:crypto";
import { SignedXml } from "xml-crypto";
import type { Identity } from "./saml-peers.ts";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const XENC = "http://www.w3.org/2001/04/xmlenc#";
const XENC11 = "http://www.w3.org/2009/xmlenc11#";
const DS = "http://www.w3.org/2000/09/xmldsig#";
export const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
export const SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol";

export const newId = () => `_${randomBytes(16).toString("hex")}`;
export const time = (ms: number) => new Date(ms).toISOString();

const signers = {
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": (text: string, key: KeyObject) => createSign("RSA-SHA256").update(text).sign(key),
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1": (text: string, key: KeyObject) =>
    sign("sha256", Buffer.from(text), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256": (text: string, key: KeyObject) =>
    sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }),
};
const SIGNS = {
  pkcs1: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  pss: "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
  ecdsa: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
} as const;

export interface Signing {
  readonly identity: Identity;
  readonly by: keyof typeof SIGNS;
}

/** Signs the element with that ID. KeyInfo has only a KeyName. */
export function signedBy({ identity, by }: Signing, xml: string, id: string): string {
  const uri = SIGNS[by];
  const element = `//*[@ID='${id}']`;
  const signer = new SignedXml({
    privateKey: identity.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    canonicalizationAlgorithm: EXCLUSIVE,
    signatureAlgorithm: uri,
    getKeyInfoContent: () => "<ds:KeyName>key-of-the-peer</ds:KeyName>",
  });
  signer.SignatureAlgorithms[uri] = class {
    getSignature = (text: string) => signers[uri](text, identity.privateKey).toString("base64");
    verifySignature = () => false;
    getAlgorithmName = () => uri;
  } as unknown as (typeof signer.SignatureAlgorithms)[string];
  signer.addReference({ xpath: element, digestAlgorithm: `${XENC}sha256`, transforms: [ENVELOPED, EXCLUSIVE] });
  signer.computeSignature(xml, { prefix: "ds", location: { reference: `${element}/*[local-name(.)='Issuer']`, action: "after" } });
  return signer.getSignedXml();
}

export interface Encrypting {
  readonly cipher?: "aes256-gcm" | "aes256-cbc" | "aes128-gcm";
  readonly transport?: "mgf1p" | "oaep" | "rsa-1_5";
  /** Changes the ciphertext, to break it. */
  readonly change?: (bytes: Buffer) => Buffer;
}

export interface EncryptFor {
  readonly key: KeyObject;
  readonly entityId?: string;
}

const value = (bytes: Buffer) => `<xenc:CipherData><xenc:CipherValue>${bytes.toString("base64")}</xenc:CipherValue></xenc:CipherData>`;

const CURVES = {
  prime256v1: { oid: "1.2.840.10045.3.1.7", bits: 128 },
  secp384r1: { oid: "1.3.132.0.34", bits: 192 },
  secp521r1: { oid: "1.3.132.0.35", bits: 256 },
} as const;

/** Wraps a key by ECDH-ES with ConcatKDF and AES key wrap, as eIDAS nodes do for an EC certificate. */
function agreed(secret: Buffer, key: KeyObject): string {
  const name = key.asymmetricKeyDetails?.namedCurve as keyof typeof CURVES;
  const { oid, bits } = CURVES[name];
  const { x, y } = key.export({ format: "jwk" }) as { x: string; y: string };
  const ephemeral = createECDH(name);
  const point = ephemeral.generateKeys();
  const shared = ephemeral.computeSecret(Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]));
  const [algorithm, sender, recipient] = [Buffer.from("alg"), Buffer.from("a node"), Buffer.from("a service")];
  const derived = createHash("sha256")
    .update(Buffer.of(0, 0, 0, 1))
    .update(shared)
    .update(algorithm)
    .update(sender)
    .update(recipient)
    .digest();
  const cipher = createCipheriv(`id-aes${bits}-wrap`, derived.subarray(0, bits / 8), Buffer.alloc(8, 0xa6));
  const hex = (bytes: Buffer) => `00${bytes.toString("hex")}`;
  return (
    `<xenc:EncryptionMethod Algorithm="${XENC}kw-aes${bits}"/><ds:KeyInfo xmlns:ds="${DS}"><xenc:AgreementMethod Algorithm="${XENC11}ECDH-ES">` +
    `<xenc11:KeyDerivationMethod xmlns:xenc11="${XENC11}" Algorithm="${XENC11}ConcatKDF"><xenc11:ConcatKDFParams AlgorithmID="${hex(algorithm)}" ` +
    `PartyUInfo="${hex(sender)}" PartyVInfo="${hex(recipient)}"><ds:DigestMethod Algorithm="${XENC}sha256"/></xenc11:ConcatKDFParams>` +
    `</xenc11:KeyDerivationMethod><xenc:OriginatorKeyInfo><ds:KeyValue><dsig11:ECKeyValue xmlns:dsig11="http://www.w3.org/2009/xmldsig11#">` +
    `<dsig11:NamedCurve URI="urn:oid:${oid}"/><dsig11:PublicKey>${point.toString("base64")}</dsig11:PublicKey></dsig11:ECKeyValue></ds:KeyValue>` +
    `</xenc:OriginatorKeyInfo></xenc:AgreementMethod></ds:KeyInfo>${value(Buffer.concat([cipher.update(secret), cipher.final()]))}`
  );
}

function wrapped(secret: Buffer, key: KeyObject, transport: NonNullable<Encrypting["transport"]>): string {
  if (key.asymmetricKeyType === "ec") return agreed(secret, key);
  const padding = transport === "rsa-1_5" ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING;
  const encrypted = publicEncrypt({ key, padding, oaepHash: transport === "oaep" ? "sha256" : "sha1" }, secret);
  const method = {
    mgf1p: `<xenc:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"/>`,
    "rsa-1_5": `<xenc:EncryptionMethod Algorithm="${XENC}rsa-1_5"/>`,
    oaep:
      `<xenc:EncryptionMethod Algorithm="${XENC11}rsa-oaep"><ds:DigestMethod xmlns:ds="${DS}" Algorithm="${XENC}sha256"/>` +
      `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1sha256"/></xenc:EncryptionMethod>`,
  }[transport];
  return `${method}${value(encrypted)}`;
}

/** Returns the encrypted element in `holder`. Its keys are beside it, one for each recipient, as in eHerkenning. */
export function encrypted(
  holder: "EncryptedID" | "EncryptedAssertion",
  xml: string,
  recipients: readonly EncryptFor[],
  { cipher = "aes256-gcm", transport = "mgf1p", change = (bytes) => bytes }: Encrypting = {},
): string {
  const [bits, mode] = [cipher.startsWith("aes128") ? 128 : 256, cipher.endsWith("gcm") ? "gcm" : "cbc"] as const;
  const [secret, iv] = [randomBytes(bits / 8), randomBytes(mode === "gcm" ? 12 : 16)];
  const parts = [iv];
  if (mode === "gcm") {
    const gcm = createCipheriv(`aes-${bits}-gcm` as "aes-256-gcm", secret, iv);
    parts.push(gcm.update(xml, "utf8"), gcm.final(), gcm.getAuthTag());
  } else {
    const cbc = createCipheriv(`aes-${bits}-cbc`, secret, iv);
    parts.push(cbc.update(xml, "utf8"), cbc.final());
  }
  const keys = recipients.map(({ key, entityId }, i) => {
    const recipient = entityId === undefined ? "" : ` Recipient="${entityId}"`;
    return { id: `_k${i}${randomBytes(4).toString("hex")}`, recipient, content: wrapped(secret, key, transport) };
  });
  return (
    `<saml:${holder} xmlns:saml="${SAML}"><xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${mode === "gcm" ? XENC11 : XENC}aes${bits}-${mode}"/><ds:KeyInfo xmlns:ds="${DS}">` +
    keys.map(({ id }) => `<ds:RetrievalMethod Type="${XENC}EncryptedKey" URI="#${id}"/>`).join("") +
    `</ds:KeyInfo>${value(change(Buffer.concat(parts)))}</xenc:EncryptedData>` +
    keys
      .map(({ id, recipient, content }) => `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="${id}"${recipient}>${content}</xenc:EncryptedKey>`)
      .join("") +
    `</saml:${holder}>`
  );
}

export const attribute = (name: string, ...values: string[]) =>
  `<saml:Attribute Name="${name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri">${values
    .map((one) => `<saml:AttributeValue>${one}</saml:AttributeValue>`)
    .join("")}</saml:Attribute>`;

export interface NewAnswer {
  readonly id: string;
  readonly now: number;
  readonly issuer: string;
  readonly audience: string;
  readonly recipient: string;
  readonly inResponseTo: string;
  readonly loa: string;
  readonly advice?: string;
  readonly attributes: readonly string[];
}

/** Returns an unsigned assertion. */
export const assertionXml = ({ id, now, issuer, audience, recipient, inResponseTo, loa, advice, attributes }: NewAnswer) =>
  `<saml:Assertion xmlns:saml="${SAML}" ID="${id}" Version="2.0" IssueInstant="${time(now)}"><saml:Issuer>${issuer}</saml:Issuer>` +
  `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">${newId()}</saml:NameID>` +
  `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${inResponseTo}" ` +
  `NotOnOrAfter="${time(now + 120_000)}" Recipient="${recipient}"/></saml:SubjectConfirmation></saml:Subject>` +
  `<saml:Conditions NotBefore="${time(now)}" NotOnOrAfter="${time(now + 120_000)}"><saml:AudienceRestriction>` +
  `<saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
  `${advice === undefined ? "" : `<saml:Advice>${advice}</saml:Advice>`}` +
  `<saml:AuthnStatement AuthnInstant="${time(now)}"><saml:AuthnContext><saml:AuthnContextClassRef>${loa}</saml:AuthnContextClassRef>` +
  `</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement></saml:Assertion>`;

/** Returns an unsigned Response around an assertion. */
export const responseXml = (
  { id, now, issuer, recipient, inResponseTo }: Pick<NewAnswer, "id" | "now" | "issuer" | "recipient" | "inResponseTo">,
  content: string,
) =>
  `<samlp:Response xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}" ID="${id}" Version="2.0" IssueInstant="${time(now)}" Destination="${recipient}" ` +
  `InResponseTo="${inResponseTo}"><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode ` +
  `Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${content}</samlp:Response>`;
