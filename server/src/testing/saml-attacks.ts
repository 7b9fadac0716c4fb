// Changes that attackers make to messages, for the tests of the SAML core and of the endpoints that use it.
import { createHash, createHmac, sign as signBytes } from "node:crypto";
import { type SamlReason, SIGNATURE_ALGORITHM } from "../platform/saml/index.ts";
import { C14N, ENVELOPED, NS } from "../platform/saml/names.ts";
import { canonicalize } from "../platform/saml/xml/canonical.ts";
import { METADATA_LIMITS, parseXml } from "../platform/saml/xml/parse.ts";
import type { Identity } from "./saml-peers.ts";

const PIECES = [
  "<",
  ">",
  "/",
  '"',
  "'",
  "&",
  ";",
  "&amp;",
  "&#65;",
  "&#x0;",
  "<!-- -->",
  "<?p?>",
  "<![CDATA[x]]>",
  " ",
  "\n",
  "\r",
  "\t",
  "=",
  "#",
  "A",
  "é",
  "xmlns",
  "saml:",
  "ds:",
  "</saml:Issuer>",
  "\0",
  "%",
  "+",
];

/** Makes one to three edits: it changes, removes, doubles or moves bytes, inserts pieces of XML, or cuts or copies whole elements. */
export function mutated(text: string, next: (below: number) => number): string {
  let result = text;
  for (let edits = 1 + next(3); edits > 0; edits--) {
    const at = next(result.length);
    const length = 1 + next(12);
    const part = result.slice(at, at + length);
    const elements = [...result.matchAll(/<([\w:]+)[^>]*>[^<]*<\/\1>/g)];
    const element = elements[next(elements.length || 1)];
    const elsewhere = next(result.length);
    const insert = (what: string, where = at) => result.slice(0, where) + what + result.slice(where);
    const edit = [
      () => result.slice(0, at) + String.fromCharCode(32 + next(95)) + result.slice(at + 1),
      () => result.slice(0, at) + result.slice(at + length),
      () => insert(part),
      () => insert(PIECES[next(PIECES.length)]!),
      () => insert(part, elsewhere),
      () => (element ? result.replace(element[0], "") : result),
      () => (element ? result.replace(element[0], () => element[0].repeat(2)) : result),
      () => (element ? insert(element[0], elsewhere) : result),
      () => result.slice(0, at) + part.toUpperCase() + result.slice(at + length),
    ][next(9)]!;
    result = edit();
  }
  return result;
}

export interface Wrapping {
  /** Replaces the correct content by the attacker's. */
  readonly forge: (xml: string) => string;
  readonly extensions: string;
}

export const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/s;
const firstTag = /^<[^>]+>/;
const lastTag = /<\/[^>]+>$/;

/** Returns the eight forms of "On Breaking SAML" (Somorovsky and others, 2012), for a message that is signed as a whole. */
export function wrapped(xml: string, { forge, extensions }: Wrapping): Record<string, string> {
  const signature = SIGNATURE.exec(xml)![0];
  const original = xml.replace(SIGNATURE, "");
  const sameId = forge(original);
  const evil = sameId.replace(/ ID="[^"]*"/, ' ID="_evil"');
  const inSignature = (part: string) => signature.replace(/<\/ds:Signature>$/, `${part}</ds:Signature>`);
  const first = (to: string, part: string) => to.replace(firstTag, (tag) => `${tag}${part}`);
  const last = (to: string, part: string) => to.replace(lastTag, (tag) => `${part}${tag}`);
  const afterIssuer = (to: string, part: string) =>
    to.includes("</saml:Issuer>") ? to.replace("</saml:Issuer>", (tag) => `${tag}${part}`) : first(to, part);
  return {
    "XSW1: the original in the signature of the forged one": afterIssuer(evil, inSignature(original)),
    "XSW2: the original beside the signature": afterIssuer(evil, `${signature}${original}`),
    "XSW3: the signed original first in the forged one": first(evil, xml),
    "XSW4: the signed original last in the forged one": last(evil, xml),
    "XSW5: the signature in the forged one, which has the same ID": last(afterIssuer(sameId, signature), original),
    "XSW6: the original in KeyInfo": afterIssuer(evil, signature.replace("</ds:KeyInfo>", `${original}</ds:KeyInfo>`)),
    "XSW7: the signed original in Extensions": afterIssuer(evil, `<${extensions}>${xml}</${extensions}>`),
    "XSW8: the original in an Object": afterIssuer(evil, inSignature(`<ds:Object>${original}</ds:Object>`)),
    "the signature moved to the end of a forged one": last(evil, signature),
    "the signature one level deeper": afterIssuer(evil, `<${extensions}>${signature}</${extensions}>`),
    "the signature twice": afterIssuer(xml, signature),
    "no signature": original,
    "no signature, and forged": sameId,
    forged: forge(xml),
  };
}

export interface Oddity {
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
  readonly sign?: (data: Buffer, peer: Identity) => Buffer;
}

const rsa = (hash: string) => (data: Buffer, peer: Identity) => signBytes(hash, data, peer.privateKey);
const transform = (algorithm: string, inside = "") => `<ds:Transform Algorithm="${algorithm}">${inside}</ds:Transform>`;
const USUAL = transform(ENVELOPED) + transform(C14N.exclusive);
const SHA256 = `${NS.xenc}sha256`;

/** Returns the message with an unusual signature that is computed correctly. */
export function oddlySigned(plain: string, peer: Identity, oddity: Oddity): string {
  const id = / ID="([^"]*)"/.exec(plain)![1]!;
  const hash = oddity.digest?.endsWith("sha1") ? "sha1" : "sha256";
  const digest = createHash(hash).update(plain).digest("base64");
  const info =
    `<ds:SignedInfo xmlns:ds="${NS.ds}"><ds:CanonicalizationMethod Algorithm="${oddity.canonicalization ?? C14N.exclusive}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${oddity.method ?? SIGNATURE_ALGORITHM.RS256}">${oddity.inMethod ?? ""}</ds:SignatureMethod>` +
    `<ds:Reference ${oddity.referenceAttributes ?? ""}URI="${(oddity.uri ?? ((id) => `#${id}`))(id)}"><ds:Transforms>${oddity.transforms ?? USUAL}</ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${oddity.digest ?? SHA256}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue>${oddity.inReference ?? ""}</ds:Reference>${(oddity.inSignedInfo ?? (() => ""))(id)}</ds:SignedInfo>`;
  const canonical = canonicalize(parseXml(Buffer.from(info), METADATA_LIMITS), { maxLength: 1e6 });
  const value = (oddity.sign ?? rsa("sha256"))(Buffer.from(canonical), peer).toString("base64");
  const signature = `<ds:Signature xmlns:ds="${NS.ds}">${info}<ds:SignatureValue>${value}</ds:SignatureValue>${oddity.afterKeyInfo ?? ""}</ds:Signature>`;
  return plain.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
}

const inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const xslt = "http://www.w3.org/TR/1999/REC-xslt-19991116";
const xpath = "http://www.w3.org/TR/1999/REC-xpath-19991116";
const reference = (id: string) =>
  `<ds:Reference URI="#${id}"><ds:Transforms>${USUAL}</ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference>`;
const prefixes = (list: string) => `<ec:InclusiveNamespaces xmlns:ec="${C14N.namespace}" PrefixList="${list}"></ec:InclusiveNamespaces>`;

export const rightlySigned: [what: string, oddity: Oddity][] = [
  ["as usual", {}],
  ["with a KeyInfo that says nothing", { afterKeyInfo: "<ds:KeyInfo><ds:KeyName>x</ds:KeyName></ds:KeyInfo>" }],
  ["with prefixes that do not exist", { transforms: transform(ENVELOPED) + transform(C14N.exclusive, prefixes("xs")) }],
];
export const wronglySigned: [what: string, reason: SamlReason, oddity: Oddity][] = [
  ["by RSA-SHA1", "signature_algorithm", { method: `${NS.ds}rsa-sha1`, sign: rsa("sha1") }],
  ["with a SHA-1 digest", "signature_algorithm", { digest: `${NS.ds}sha1` }],
  [
    "by HMAC with the public certificate",
    "signature_algorithm",
    { method: `${NS.ds}hmac-sha1`, sign: (data, peer) => createHmac("sha1", peer.pem).update(data).digest() },
  ],
  [
    "by HMAC-SHA256 with the public certificate",
    "signature_algorithm",
    {
      method: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
      sign: (data, peer) => createHmac("sha256", Buffer.from(peer.certificate, "base64")).update(data).digest(),
    },
  ],
  ["by RSA-MD5", "signature_algorithm", { method: "http://www.w3.org/2001/04/xmldsig-more#rsa-md5", sign: rsa("md5") }],
  ["by an algorithm called constructor", "signature_algorithm", { method: "constructor" }],
  ["with a digest called __proto__", "signature_algorithm", { digest: "__proto__" }],
  ["with an output length", "signature_shape", { inMethod: "<ds:HMACOutputLength>0</ds:HMACOutputLength>" }],
  ["by canonicalization with comments", "signature_algorithm", { canonicalization: C14N.exclusiveWithComments }],
  ["by a transform with comments", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(C14N.exclusiveWithComments) }],
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

/** The changes that are refused in all messages except requests by POST. */
export const inclusivelySigned: [what: string, reason: SamlReason, oddity: Oddity][] = [
  ["by inclusive canonicalization", "signature_algorithm", { canonicalization: inclusive }],
  ["by an inclusive transform", "signature_algorithm", { transforms: transform(ENVELOPED) + transform(inclusive) }],
];
