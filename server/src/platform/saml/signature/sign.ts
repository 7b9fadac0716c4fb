import { hash } from "node:crypto";
import { C14N, ENVELOPED, NS } from "../names.ts";
import { escapeAttribute, escapeText, isNcName } from "../xml/characters.ts";
import { type Fragment, renderHalves } from "../xml/write.ts";
import { DIGEST_ALGORITHM, signatureMethod } from "./algorithms.ts";
import type { SigningKey } from "./keys.ts";

/** Returns the position of the signature that the schemas require: after the issuer in messages and assertions, first in metadata. */
const positionOf = (fragment: Fragment): number => (fragment.name.startsWith("md:") ? 0 : 1);

/** Adds an enveloped signature over the whole element, which it references by its ID (SAML core §5.4). */
export async function signed(fragment: Fragment, key: SigningKey): Promise<Fragment> {
  const id = fragment.attributes.ID;
  if (typeof id !== "string" || !isNcName(id)) throw new TypeError(`A ${fragment.name} without an ID cannot be signed`);
  const position = positionOf(fragment);
  const { before, after, declares } = renderHalves(fragment, position);
  const content = before + after;
  const method = signatureMethod(key.algorithm);
  // The content is passed as bytes, because a string would cost `hash` twice as much.
  const digest = hash(method.hash, Buffer.from(content), "base64");
  const inner =
    `<ds:CanonicalizationMethod Algorithm="${C14N.exclusive}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${key.algorithm}"></ds:SignatureMethod>` +
    `<ds:Reference URI="#${escapeAttribute(id)}">` +
    `<ds:Transforms><ds:Transform Algorithm="${ENVELOPED}"></ds:Transform><ds:Transform Algorithm="${C14N.exclusive}"></ds:Transform></ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${DIGEST_ALGORITHM[method.hash]}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`;
  // The canonical form of SignedInfo contains the namespace that it inherits from Signature.
  const value = await key.sign(Buffer.from(`<ds:SignedInfo xmlns:ds="${NS.ds}">${inner}</ds:SignedInfo>`));
  const signature =
    `<ds:Signature xmlns:ds="${NS.ds}"><ds:SignedInfo>${inner}</ds:SignedInfo>` +
    `<ds:SignatureValue>${Buffer.from(value).toString("base64")}</ds:SignatureValue>${keyInfo(key)}</ds:Signature>`;
  // The halves are cut from `content`, which is already a flat string. `before` and `after` would be concatenated again piece by piece.
  const text = content.slice(0, before.length) + signature + content.slice(before.length);
  const child = { text: signature, declares: new Set(["ds"]) };
  return {
    ...fragment,
    children: fragment.children.toSpliced(position, 0, child),
    rendered: { text, declares: declares.add("ds") },
  };
}

/** Returns a hint for the receiver (XML Signature §4.5), who trusts only configured keys. */
function keyInfo({ certificate, keyName }: SigningKey): string {
  const parts = [
    keyName !== undefined && `<ds:KeyName>${escapeText(keyName)}</ds:KeyName>`,
    certificate !== null && `<ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `<ds:KeyInfo>${parts.join("")}</ds:KeyInfo>` : "";
}
