import { type Decryption, decrypted } from "../encryption/decrypt.ts";
import { encryptedAssertion, type Recipient } from "../encryption/encrypt.ts";
import { SamlError } from "../errors.ts";
import { NS, STATUS } from "../names.ts";
import type { SigningKey, VerificationKey } from "../signature/keys.ts";
import { signed } from "../signature/sign.ts";
import { isSigned, verifyEnveloped } from "../signature/verify.ts";
import { MESSAGE_LIMITS } from "../xml/parse.ts";
import { attributeOf, elementsOf, isNamed, type XmlElement } from "../xml/tree.ts";
import type { Fragment } from "../xml/write.ts";
import { type Assertion, readAssertion } from "./assertion.ts";
import { assertionElement, type NewAssertion } from "./assertion.write.ts";
import { type Envelope, messageElement, type NewEnvelope, readEnvelope } from "./envelope.ts";
import { type OpenedElement, openElement, type ReceivedMessage } from "./received.ts";
import { isSuccess, readStatus, type Status, statusElement } from "./status.ts";

/** SAML core §3.3.3. */
export interface Response extends Envelope {
  readonly inResponseTo: string | null;
  readonly status: Status;
}

export interface OpenedResponse {
  readonly response: Response;
  /** True if a key vouches for the response itself. A key always vouches for the assertion. */
  readonly responseSigned: boolean;
  /** True if the assertion has its own signature. */
  readonly assertionSigned: boolean;
  readonly assertionEncrypted: boolean;
  /** Null if the provider answers with an error. */
  readonly assertion: Assertion | null;
}

export interface ResponseTrust {
  readonly keys: readonly VerificationKey[];
  readonly decryption?: Decryption;
}

/** Opens a response (SAML profiles §4.1.4.3). `checkSignIn` checks the content. */
export async function openResponse(received: ReceivedMessage, { keys, decryption }: ResponseTrust): Promise<OpenedResponse> {
  if (keys.length === 0) throw new SamlError("no_certificate", "No certificate is configured that could verify the response");
  // SAML profiles §4.1.2: an assertion does not fit into an address, and does not belong there.
  if (received.binding === "redirect") throw new SamlError("binding", "A Response does not come by Redirect");
  const opened = openElement(received, "Response", { keys, required: false });
  const response = {
    ...readEnvelope(opened.element),
    inResponseTo: attributeOf(opened.element, "InResponseTo"),
    status: readStatus(opened.element),
  };
  if (!isSuccess(response.status)) {
    if (assertionsIn(opened.element).length > 0) throw new SamlError("status", "A Response that reports an error has an assertion");
    return { response, responseSigned: opened.signed, assertionSigned: false, assertionEncrypted: false, assertion: null };
  }
  const { element, own, encrypted } = await verifiedAssertion(opened, keys, decryption);
  const assertion = await readAssertion(element, decryption);
  return { response, responseSigned: opened.signed, assertionSigned: own, assertionEncrypted: encrypted, assertion };
}

/** Returns direct children only: whole assertions of others may be deeper, for example in Advice. */
const assertionsIn = (response: XmlElement): XmlElement[] =>
  elementsOf(response).filter((child) => isNamed(child, NS.saml, "Assertion") || isNamed(child, NS.saml, "EncryptedAssertion"));

function theOnlyAssertionIn(response: XmlElement): XmlElement {
  const [assertion, ...more] = assertionsIn(response);
  if (!assertion || more.length > 0)
    throw new SamlError("assertion_count", `A Response has ${more.length > 0 ? "more than one" : "no"} assertion`);
  return assertion;
}

/** Returns the verified assertion. If it has its own signature, that one counts; otherwise the signature of the response has to cover it. */
async function verifiedAssertion(
  opened: OpenedElement,
  keys: readonly VerificationKey[],
  decryption: Decryption | undefined,
): Promise<{ element: XmlElement; own: boolean; encrypted: boolean }> {
  const inside = theOnlyAssertionIn(opened.element);
  let original = theOnlyAssertionIn(opened.original);
  let covered = inside;
  const encrypted = isNamed(inside, NS.saml, "EncryptedAssertion");
  if (encrypted) {
    if (!decryption) throw new SamlError("decryption", "No key is configured that could decrypt the assertion");
    original = await decrypted(inside, "Assertion", decryption, opened.signed);
    covered = original;
  }
  if (isSigned(original)) return { element: verifyEnveloped(original, keys, MESSAGE_LIMITS), own: true, encrypted };
  if (!opened.signed) throw new SamlError("unsigned", "Neither the Response nor its assertion is signed");
  return { element: covered, own: false, encrypted };
}

type NewResponse = NewEnvelope & { readonly inResponseTo: string | null };

/** The protection of a response: the signed parts, and the key that encrypts the assertion. */
export interface Protection {
  readonly key: SigningKey;
  readonly signAssertion: boolean;
  readonly signResponse: boolean;
  readonly recipient?: Recipient | null;
}

/** Writes the response to a sign-in. It is signed, then encrypted, then signed (SAML core §6.2). */
export async function successResponse(
  response: NewResponse,
  assertion: NewAssertion,
  { key, signAssertion, signResponse, recipient }: Protection,
): Promise<Fragment> {
  const plain = assertionElement(assertion);
  const inner = signAssertion ? await signed(plain, key) : plain;
  const content = recipient ? encryptedAssertion(inner, recipient) : inner;
  const message = messageElement("Response", response, {}, statusElement({ code: STATUS.success }), content);
  return signResponse ? signed(message, key) : message;
}

/** Writes a response with the reason why there is no assertion (SAML core §3.2.2.2). */
export const errorResponse = (
  response: NewResponse,
  status: { readonly code: string; readonly subCode?: string | null; readonly message?: string | null },
): Fragment => messageElement("Response", response, {}, statusElement(status));
