import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { type VerificationKey, verifyWithConfiguredKeys } from "../signature/keys.ts";
import { isSigned, verifyEnveloped } from "../signature/verify.ts";
import { MESSAGE_LIMITS } from "../xml/parse.ts";
import type { XmlElement } from "../xml/tree.ts";
import { issuerOf } from "./envelope.ts";

const NAMES = ["AuthnRequest", "Response", "LogoutRequest", "LogoutResponse", "ArtifactResolve", "ArtifactResponse"] as const;
export type MessageName = (typeof NAMES)[number];
export type Binding = "redirect" | "post" | "soap" | "artifact";

/** A message that is not verified yet. It has what is needed to look up the sender's keys. */
export interface ReceivedMessage {
  readonly name: MessageName;
  readonly binding: Binding;
  readonly relayState: string | null;
  /** The issuer that the message names. It is not verified, so it may only be used to look up a configuration. */
  readonly claimedIssuer: string | null;
}

export interface Trust {
  /** The keys from the peer's configuration, never from the message. */
  readonly keys: readonly VerificationKey[];
  /** True if an unsigned message is refused. A signature that is present is verified in either case, unless there is no key. */
  readonly required: boolean;
}

export interface Opened<T> {
  readonly message: T;
  /** True if a configured key vouches for every part of `message`. */
  readonly signed: boolean;
}

/** The signature of the Redirect binding, which covers the query and is not in the message. */
export interface DetachedSignature {
  readonly algorithm: string;
  readonly value: Buffer;
  readonly data: Buffer;
}

interface Source {
  /** The received element, in which signatures are verified. */
  readonly original: XmlElement;
  /** The element within the signed part of an enclosing signature. Null if there is none. */
  readonly covered: XmlElement | null;
  readonly detached: DetachedSignature | null;
}

/** The sources are kept apart from the messages, so that no code outside of the core can read a document that was not verified. */
const sources = new WeakMap<ReceivedMessage, Source>();

interface Transport {
  readonly binding: Binding;
  readonly relayState?: string | null;
  readonly detached?: DetachedSignature | null;
  readonly covered?: XmlElement | null;
}

export function receive(original: XmlElement, { binding, relayState = null, detached = null, covered = null }: Transport): ReceivedMessage {
  const name = NAMES.find((known) => known === original.local);
  if (!name || original.namespace !== NS.samlp) throw new SamlError("message", `${original.local} is no message of SAML 2.0`);
  const received: ReceivedMessage = { name, binding, relayState, claimedIssuer: issuerOf(original) };
  sources.set(received, { original, covered, detached });
  return received;
}

export interface OpenedElement {
  /** The received element, only for verifying signatures deeper inside. */
  readonly original: XmlElement;
  /** The verified element, which may be read. */
  readonly element: XmlElement;
  readonly signed: boolean;
}

/** Verifies a signature if there is one, and refuses a message that must be signed and is not. */
export function openElement(received: ReceivedMessage, name: MessageName, { keys, required }: Trust): OpenedElement {
  const source = sources.get(received);
  if (!source || received.name !== name) throw new SamlError("message", `${received.name} was received instead of ${name}`);
  const opened = { original: source.original, ...vouchedFor(received, source, keys) };
  if (required && !opened.signed) {
    throw keys.length === 0
      ? new SamlError("no_certificate", "No certificate is configured that could verify the signature")
      : new SamlError("signature_missing", `${name} is not signed`);
  }
  return opened;
}

function vouchedFor(received: ReceivedMessage, { original, covered, detached }: Source, keys: readonly VerificationKey[]) {
  // SAML bindings §3.4.4.1: with the Redirect binding only the signature of the query counts.
  if (received.binding === "redirect") {
    if (!detached || keys.length === 0) return { element: original, signed: false };
    verifyWithConfiguredKeys(keys, detached.algorithm, detached.data, detached.value);
    return { element: original, signed: true };
  }
  if (!isSigned(original) || keys.length === 0) return covered ? { element: covered, signed: true } : { element: original, signed: false };
  // A posted request is a whole document, so inherited namespaces add nothing. Some service providers support only inclusive canonicalization.
  const inclusive = received.binding === "post" && (received.name === "AuthnRequest" || received.name === "LogoutRequest");
  const element = verifyEnveloped(original, keys, MESSAGE_LIMITS, { inclusive });
  if (issuerOf(element) !== received.claimedIssuer) throw new SamlError("issuer", "The signed issuer is another one");
  return { element, signed: true };
}
