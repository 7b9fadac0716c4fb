// Runs xmlsec1 and xmllint, and makes keys with certificates for both sides.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oasisSchemas, w3cSchemas, xmllintPath, xmlsecPath } from "../../test/peers/index.mjs";
import { madeOnce } from "./made-once.ts";

export interface Identity {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The certificate as DER in base64. */
  readonly certificate: string;
  readonly pem: string;
}

interface IdentityText {
  readonly pkcs8: string;
  readonly certificate: string;
}

const IDENTITIES = 12;
const UNTIL = "2040-01-01";
let identities: Promise<readonly IdentityText[]> | undefined;
let next = 0;

/**
 * Makes a key pair with a self-signed certificate, as providers have. Making an RSA key takes a third of a second, so the usual ones are made once and used in
 * turn. Twelve in a row are different.
 */
export async function makeIdentity(kind: "rsa" | "P-256" | "P-384" | "P-521" = "rsa", bits = 2048, notAfter = UNTIL): Promise<Identity> {
  if (kind !== "rsa" || bits !== 2048 || notAfter !== UNTIL) return identityOf(await makeText(kind, bits, notAfter));
  identities ??= madeOnce("saml-identities", IDENTITIES, () => makeText("rsa", bits, notAfter));
  return identityOf((await identities)[next++ % IDENTITIES]!);
}

function identityOf({ pkcs8, certificate }: IdentityText): Identity {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
  return { privateKey, publicKey: createPublicKey(privateKey), certificate, pem };
}

async function makeText(kind: "rsa" | "P-256" | "P-384" | "P-521", bits: number, notAfter: string): Promise<IdentityText> {
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const algorithm =
    kind === "rsa"
      ? { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: bits, publicExponent: new Uint8Array([1, 0, 1]) }
      : { name: "ECDSA", namedCurve: kind, hash: "SHA-256" };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      ...{ serialNumber: "01", name: "CN=peer", notBefore: new Date("2020-01-01"), notAfter: new Date(notAfter) },
      ...{ signingAlgorithm: algorithm, keys: keys as CryptoKeyPair },
    },
    webcrypto as unknown as Crypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { pkcs8: pkcs8.toString("base64"), certificate: Buffer.from(made.rawData).toString("base64") };
}

/** Runs `work` with files of these contents, in a temporary folder. */
function withFiles<T>(files: Record<string, string>, work: (path: (name: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-saml-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return work((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ID_ATTRIBUTES = [
  "urn:oasis:names:tc:SAML:2.0:assertion:Assertion",
  ...["Response", "AuthnRequest", "LogoutRequest", "LogoutResponse", "ArtifactResolve", "ArtifactResponse"].map(
    (name) => `urn:oasis:names:tc:SAML:2.0:protocol:${name}`,
  ),
  "urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor",
].flatMap((name) => ["--id-attr:ID", name]);

const privatePem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
const report = ({ status, stdout, stderr }: SpawnSyncReturns<string>) => ({ ok: status === 0, output: `${stdout}${stderr}` });

/** Tells whether xmlsec1 accepts the signature of the outermost signed element, or of the one that `xpath` finds. */
export const xmlsecVerifies = (xml: string, { pem }: Identity, xpath?: string) =>
  withFiles({ "message.xml": xml, "certificate.pem": pem }, (path) => {
    const node = xpath ? ["--node-xpath", xpath] : [];
    const args = ["--verify", ...ID_ATTRIBUTES, ...node, "--pubkey-cert-pem", path("certificate.pem"), path("message.xml")];
    return report(spawnSync(xmlsecPath()!, args, { encoding: "utf8" }));
  });

/** Fills in the Signature template in `xml`. */
export const xmlsecSigned = (xml: string, { privateKey }: Identity): string =>
  withFiles({ "template.xml": xml, "key.pem": privatePem(privateKey) }, (path) => {
    const done = spawnSync(xmlsecPath()!, ["--sign", ...ID_ATTRIBUTES, "--privkey-pem", path("key.pem"), path("template.xml")], {
      encoding: "utf8",
    });
    if (done.status !== 0) throw new Error(`xmlsec1 did not sign:\n${done.stderr}`);
    return done.stdout;
  });

/** Encrypts `xml` by the EncryptedData template. */
export const xmlsecEncrypted = (xml: string, template: string, { pem }: Identity, sessionKey: string): string =>
  withFiles({ "plain.xml": xml, "template.xml": template, "certificate.pem": pem }, (path) => {
    const args = ["--encrypt", "--pubkey-cert-pem", path("certificate.pem"), "--session-key", sessionKey, "--xml-data", path("plain.xml")];
    const done = spawnSync(xmlsecPath()!, [...args, path("template.xml")], { encoding: "utf8" });
    if (done.status !== 0) throw new Error(`xmlsec1 did not encrypt:\n${done.stderr}`);
    return done.stdout;
  });

export const xmlsecDecrypted = (xml: string, { privateKey }: Identity) =>
  withFiles({ "message.xml": xml, "key.pem": privatePem(privateKey) }, (path) =>
    report(spawnSync(xmlsecPath()!, ["--decrypt", "--privkey-pem", path("key.pem"), path("message.xml")], { encoding: "utf8" })),
  );

/** Returns exclusive canonical XML by libxml2, with comments. */
export const xmllintCanonical = (xml: string): string => {
  const done = spawnSync(xmllintPath()!, ["--nonet", "--exc-c14n", "-"], { input: xml, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`xmllint did not canonicalize:\n${done.stderr}`);
  return done.stdout;
};

/** Tells whether libxml2 can parse it. */
export const xmllintReads = (xml: string | Uint8Array): boolean => {
  const done = spawnSync(xmllintPath()!, ["--nonet", "--noout", "-"], { input: xml, encoding: "utf8" });
  return done.status === 0 && !/namespace error/i.test(done.stderr);
};

export const haveSchemas = (): boolean => Boolean(xmllintPath() && oasisSchemas() && w3cSchemas());

/**
 * Returns the errors of these documents by the schemas of OASIS and W3C, or null if there are none. All documents are checked at once, because reading the
 * schemas takes longer than applying them.
 */
export function schemaComplaints(...documents: readonly string[]): string | null {
  const [oasis, w3c] = [oasisSchemas()!, w3cSchemas()!];
  const imported = {
    "urn:oasis:names:tc:SAML:2.0:protocol": `${oasis}/saml-schema-protocol-2.0.xsd`,
    "urn:oasis:names:tc:SAML:2.0:metadata": `${oasis}/saml-schema-metadata-2.0.xsd`,
    "urn:oasis:names:tc:SAML:metadata:ui": `${oasis}/sstc-saml-metadata-ui-v1.0.xsd`,
    "urn:oasis:names:tc:SAML:metadata:algsupport": `${oasis}/sstc-saml-metadata-algsupport-v1.0.xsd`,
    "http://www.w3.org/2009/xmlenc11#": `${w3c}/xenc11-schema.xsd`,
    "http://schemas.xmlsoap.org/soap/envelope/": `${w3c}/soap-envelope.xsd`,
  };
  const imports = Object.entries(imported).map(([namespace, file]) => `<import namespace="${namespace}" schemaLocation="${file}"/>`);
  const remote = {
    "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd": "xmldsig-core-schema.xsd",
    "http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd": "xenc-schema.xsd",
    "http://www.w3.org/2001/xml.xsd": "xml.xsd",
  };
  const local = Object.entries(remote).map(([address, file]) => `<system systemId="${address}" uri="file://${w3c}/${file}"/>`);
  const files = {
    "all.xsd": `<schema xmlns="http://www.w3.org/2001/XMLSchema">${imports.join("")}</schema>`,
    "catalog.xml": `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">${local.join("")}</catalog>`,
    ...Object.fromEntries(documents.map((xml, at) => [`message-${at}.xml`, xml])),
  };
  return withFiles(files, (path) => {
    const messages = documents.map((_, at) => path(`message-${at}.xml`));
    const done = spawnSync(xmllintPath()!, ["--nonet", "--noout", "--schema", path("all.xsd"), ...messages], {
      encoding: "utf8",
      env: { ...process.env, XML_CATALOG_FILES: path("catalog.xml") },
    });
    return done.status === 0 ? null : done.stderr;
  });
}
