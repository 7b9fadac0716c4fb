import { hash, timingSafeEqual } from "node:crypto";
import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { C14N, ENVELOPED, NS } from "../names.ts";
import { canonicalize } from "../xml/canonical.ts";
import { parseXml, type XmlLimits } from "../xml/parse.ts";
import {
  attributeOf,
  childrenNamed,
  elementsOf,
  elementsOnly,
  isNamed,
  optionalChild,
  requiredAttribute,
  textOf,
  type XmlElement,
} from "../xml/tree.ts";
import { digestHash, signatureMethod } from "./algorithms.ts";
import { type VerificationKey, verifyWithConfiguredKeys } from "./keys.ts";

const MAX_INCLUSIVE_PREFIXES = 32;
/** The canonical form may be longer than the document by this factor, because it repeats namespace declarations wherever they are used. */
const CANONICAL_GROWTH = 4;

interface Canonicalization {
  readonly comments: boolean;
  readonly inclusivePrefixes: readonly string[];
  readonly inclusive?: boolean;
}

/** Canonicalizations that are accepted in addition to the exclusive one. */
export interface Accepted {
  readonly inclusive?: boolean;
}

export const isSigned = (element: XmlElement): boolean => childrenNamed(element, NS.ds, "Signature").length > 0;

/**
 * Verifies the signature in `element` and returns what was signed: a new tree, parsed from the very bytes that the digest covers. Nothing else of the document
 * is trusted, so the caller may use only the result (SAML core §5.4.2).
 */
export function verifyEnveloped(
  element: XmlElement,
  keys: readonly VerificationKey[],
  limits: XmlLimits,
  accepted: Accepted = {},
): XmlElement {
  const signature = theOnlySignatureOf(element);
  const { signedInfo, value } = partsOfSignature(signature);
  const { canonicalization, algorithm, reference } = partsOfSignedInfo(signedInfo, limits, accepted);
  referenceIsToTheParent(reference, element);
  const transform = envelopedAndCanonical(reference, limits, accepted);
  const { digestAlgorithm, digestValue } = digestOf(reference);
  // Both algorithms are looked up before anything is computed.
  signatureMethod(algorithm);
  const digest = digestHash(digestAlgorithm);

  const maxLength = limits.bytes * CANONICAL_GROWTH;
  const signedBytes = Buffer.from(canonicalize(signedInfo, { ...canonicalization, maxLength }));
  verifyWithConfiguredKeys(keys, algorithm, signedBytes, value);
  const content = Buffer.from(canonicalize(element, { ...transform, without: signature, maxLength }));
  const computed = hash(digest, content, "buffer");
  if (computed.length !== digestValue.length || !timingSafeEqual(computed, digestValue))
    throw new SamlError("signature_invalid", "The content is not what was signed");
  return parseXml(content, { ...limits, bytes: maxLength });
}

/** Returns the signature, which is a child of the signed element (SAML core §5.4.1). A signature elsewhere, or a second one, is refused. */
function theOnlySignatureOf(element: XmlElement): XmlElement {
  const signature = optionalChild(element, NS.ds, "Signature", "signature_shape");
  if (!signature) throw new SamlError("signature_missing", `${element.local} is not signed`);
  return signature;
}

/**
 * Returns the parts of a signature (XML Signature §4.1). It refuses an Object, which could contain the element that the signature was moved from, or a
 * Manifest.
 */
function partsOfSignature(signature: XmlElement): { signedInfo: XmlElement; value: Buffer } {
  const [signedInfo, value, keyInfo, ...more] = elementsOnly(signature, "signature_shape");
  const right =
    signedInfo && value && isNamed(signedInfo, NS.ds, "SignedInfo") && isNamed(value, NS.ds, "SignatureValue") && more.length === 0;
  if (!right || (keyInfo && !isNamed(keyInfo, NS.ds, "KeyInfo")))
    throw new SamlError("signature_shape", "A Signature holds SignedInfo, SignatureValue and at most KeyInfo");
  return { signedInfo, value: decodeBase64(textOf(value, "signature_shape"), "signature_shape", "SignatureValue") };
}

/** Returns the parts of SignedInfo, which has exactly one Reference (SAML core §5.4.2). */
function partsOfSignedInfo(signedInfo: XmlElement, limits: XmlLimits, accepted: Accepted) {
  const [canonicalization, method, reference, ...more] = elementsOnly(signedInfo, "signature_shape");
  const right =
    canonicalization &&
    method &&
    reference &&
    isNamed(canonicalization, NS.ds, "CanonicalizationMethod") &&
    isNamed(method, NS.ds, "SignatureMethod") &&
    isNamed(reference, NS.ds, "Reference") &&
    more.length === 0;
  if (!right) throw new SamlError("signature_shape", "SignedInfo holds CanonicalizationMethod, SignatureMethod and one Reference");
  if (elementsOf(method).length > 0) throw new SamlError("signature_shape", "SignatureMethod takes no parameters");
  const algorithm = requiredAttribute(method, "Algorithm", "signature_shape");
  return { canonicalization: canonicalizationOf(canonicalization, limits, accepted), algorithm, reference };
}

/** Checks that the Reference is `#` and the ID of the parent (SAML core §5.4.2): it is not empty, no XPointer and no other element. */
function referenceIsToTheParent(reference: XmlElement, element: XmlElement): void {
  const id = attributeOf(element, "ID");
  if (!id || attributeOf(reference, "URI") !== `#${id}`)
    throw new SamlError("signature_reference", `The signature in ${element.local} does not refer to it`);
  if (attributeOf(reference, "Type") !== null) throw new SamlError("signature_reference", "A Reference with a Type is refused");
}

/** Checks the transforms (SAML core §5.4.4): enveloped-signature and canonicalization, in this order, and no transform that computes. */
function envelopedAndCanonical(reference: XmlElement, limits: XmlLimits, accepted: Accepted): Canonicalization {
  const transforms = elementsOnly(reference, "signature_shape")[0];
  const [enveloped, exclusive, ...more] =
    transforms && isNamed(transforms, NS.ds, "Transforms") ? elementsOnly(transforms, "signature_shape") : [];
  const right = enveloped && exclusive && more.length === 0 && [enveloped, exclusive].every((one) => isNamed(one, NS.ds, "Transform"));
  if (!right || attributeOf(enveloped, "Algorithm") !== ENVELOPED || elementsOf(enveloped).length > 0)
    throw new SamlError("signature_algorithm", "A Reference has the transforms enveloped-signature and exclusive canonicalization");
  return canonicalizationOf(exclusive, limits, accepted);
}

/**
 * Returns the canonicalization (SAML core §5.4.3): exclusive, or inclusive if the caller accepts it. A variant with comments is accepted only if the document
 * may contain comments.
 */
function canonicalizationOf(element: XmlElement, limits: XmlLimits, accepted: Accepted): Canonicalization {
  const algorithm = attributeOf(element, "Algorithm");
  if (accepted.inclusive && (algorithm === C14N.inclusive || algorithm === C14N.inclusive11)) {
    if (elementsOnly(element, "signature_shape").length > 0)
      throw new SamlError("signature_shape", "Inclusive canonicalization takes no parameters");
    return { comments: false, inclusivePrefixes: [], inclusive: true };
  }
  const comments = algorithm === C14N.exclusiveWithComments && limits.markup === "documents";
  if (algorithm !== C14N.exclusive && !comments)
    throw new SamlError("signature_algorithm", `The canonicalization ${algorithm ?? "without a name"} is not allowed`);
  return { comments, inclusivePrefixes: inclusivePrefixesOf(element) };
}

/** Exclusive XML Canonicalization §3. */
function inclusivePrefixesOf(element: XmlElement): string[] {
  const [parameters, ...more] = elementsOnly(element, "signature_shape");
  if (!parameters) return [];
  // Elements inside would be canonicalized before the signature is verified, as many as a message may have.
  const isEmpty = elementsOnly(parameters, "signature_shape").length === 0;
  if (more.length > 0 || !isNamed(parameters, C14N.namespace, "InclusiveNamespaces") || !isEmpty)
    throw new SamlError("signature_shape", "A canonicalization takes InclusiveNamespaces and nothing else");
  const prefixes = (attributeOf(parameters, "PrefixList") ?? "").split(/[ \t\n\r]+/).filter((prefix) => prefix !== "");
  if (prefixes.length > MAX_INCLUSIVE_PREFIXES) throw new SamlError("signature_shape", "InclusiveNamespaces lists too many prefixes");
  return prefixes.map((prefix) => (prefix === "#default" ? "" : prefix));
}

/** Returns the digest (XML Signature §4.4.3): one DigestMethod and one DigestValue follow the transforms. */
function digestOf(reference: XmlElement): { digestAlgorithm: string; digestValue: Buffer } {
  const [, method, value, ...more] = elementsOnly(reference, "signature_shape");
  const right = method && value && isNamed(method, NS.ds, "DigestMethod") && isNamed(value, NS.ds, "DigestValue") && more.length === 0;
  if (!right || elementsOf(method).length > 0)
    throw new SamlError("signature_shape", "A Reference holds Transforms, one DigestMethod and one DigestValue");
  return {
    digestAlgorithm: requiredAttribute(method, "Algorithm", "signature_shape"),
    digestValue: decodeBase64(textOf(value, "signature_shape"), "signature_shape", "DigestValue"),
  };
}
