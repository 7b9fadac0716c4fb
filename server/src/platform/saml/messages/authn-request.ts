import type { Decryption } from "../encryption/decrypt.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { attributeOf, childrenNamed, optionalChild, requiredAttribute, trimmedTextOf, type XmlElement } from "../xml/tree.ts";
import { element, type Fragment } from "../xml/write.ts";
import { type Envelope, messageElement, type NewEnvelope, readEnvelope } from "./envelope.ts";
import { type NameId, nameIdElement, nameIdIn } from "./name-id.ts";
import { type Opened, openElement, type ReceivedMessage, type Trust } from "./received.ts";
import { optionalBoolean, optionalNumber } from "./values.ts";

export type Comparison = "exact" | "minimum" | "maximum" | "better";
const COMPARISONS: readonly string[] = ["exact", "minimum", "maximum", "better"];

/** SAML core §3.3.2.2.1. */
export interface RequestedAuthnContext {
  readonly comparison: Comparison;
  readonly classRefs: readonly string[];
  readonly declRefs: readonly string[];
}

/** SAML core §3.4.1.1. */
export interface NameIdPolicy {
  readonly format: string | null;
  readonly spNameQualifier: string | null;
  /** Null if it is absent. SAML takes that for false, many service providers do not. */
  readonly allowCreate: boolean | null;
}

/** SAML core §3.4.1.2. */
export interface Scoping {
  readonly proxyCount: number | null;
  readonly idpEntityIds: readonly string[];
  readonly requesterIds: readonly string[];
}

/** SAML core §3.4.1. */
export interface AuthnRequest extends Envelope {
  readonly subject: NameId | null;
  readonly forceAuthn: boolean;
  readonly isPassive: boolean;
  readonly assertionConsumerServiceUrl: string | null;
  readonly assertionConsumerServiceIndex: number | null;
  readonly protocolBinding: string | null;
  readonly attributeConsumingServiceIndex: number | null;
  readonly providerName: string | null;
  readonly nameIdPolicy: NameIdPolicy | null;
  readonly requestedAuthnContext: RequestedAuthnContext | null;
  readonly scoping: Scoping | null;
}

export async function openAuthnRequest(
  received: ReceivedMessage,
  trust: Trust & { readonly decryption?: Decryption },
): Promise<Opened<AuthnRequest>> {
  const { element: request, signed } = openElement(received, "AuthnRequest", trust);
  const subject = optionalChild(request, NS.saml, "Subject");
  const message = {
    ...readEnvelope(request),
    subject: subject && (await nameIdIn(subject, trust.decryption, signed)),
    forceAuthn: optionalBoolean(request, "ForceAuthn") ?? false,
    isPassive: optionalBoolean(request, "IsPassive") ?? false,
    ...whereToAnswer(request),
    attributeConsumingServiceIndex: optionalNumber(request, "AttributeConsumingServiceIndex"),
    providerName: attributeOf(request, "ProviderName"),
    nameIdPolicy: readNameIdPolicy(request),
    requestedAuthnContext: readRequestedAuthnContext(request),
    scoping: readScoping(request),
  };
  return { message, signed };
}

/** Reads the address of the answer (SAML core §3.4.1), which is given directly or by index, not both. */
function whereToAnswer(request: XmlElement) {
  const assertionConsumerServiceUrl = attributeOf(request, "AssertionConsumerServiceURL");
  const assertionConsumerServiceIndex = optionalNumber(request, "AssertionConsumerServiceIndex");
  if (assertionConsumerServiceUrl !== null && assertionConsumerServiceIndex !== null)
    throw new SamlError("message", "AuthnRequest has both an AssertionConsumerServiceURL and an AssertionConsumerServiceIndex");
  return { assertionConsumerServiceUrl, assertionConsumerServiceIndex, protocolBinding: attributeOf(request, "ProtocolBinding") };
}

function readNameIdPolicy(request: XmlElement): NameIdPolicy | null {
  const policy = optionalChild(request, NS.samlp, "NameIDPolicy");
  return (
    policy && {
      format: attributeOf(policy, "Format"),
      spNameQualifier: attributeOf(policy, "SPNameQualifier"),
      allowCreate: optionalBoolean(policy, "AllowCreate"),
    }
  );
}

function readRequestedAuthnContext(request: XmlElement): RequestedAuthnContext | null {
  const requested = optionalChild(request, NS.samlp, "RequestedAuthnContext");
  if (!requested) return null;
  const comparison = attributeOf(requested, "Comparison") ?? "exact";
  if (!COMPARISONS.includes(comparison)) throw new SamlError("message", `The comparison ${comparison} is not known`);
  return {
    comparison: comparison as Comparison,
    classRefs: childrenNamed(requested, NS.saml, "AuthnContextClassRef").map((ref) => trimmedTextOf(ref)),
    declRefs: childrenNamed(requested, NS.saml, "AuthnContextDeclRef").map((ref) => trimmedTextOf(ref)),
  };
}

function readScoping(request: XmlElement): Scoping | null {
  const scoping = optionalChild(request, NS.samlp, "Scoping");
  if (!scoping) return null;
  const list = optionalChild(scoping, NS.samlp, "IDPList");
  return {
    proxyCount: optionalNumber(scoping, "ProxyCount"),
    idpEntityIds: list ? childrenNamed(list, NS.samlp, "IDPEntry").map((entry) => requiredAttribute(entry, "ProviderID")) : [],
    requesterIds: childrenNamed(scoping, NS.samlp, "RequesterID").map((requester) => trimmedTextOf(requester)),
  };
}

export type NewAuthnRequest = NewEnvelope &
  Partial<Omit<AuthnRequest, keyof Envelope>> & {
    /** The element Extensions (SAML core §3.2.1), such as `eidasExtensions` makes it. */
    readonly extensions?: Fragment;
  };

export const authnRequestElement = (request: NewAuthnRequest): Fragment =>
  messageElement(
    "AuthnRequest",
    request,
    {
      ForceAuthn: request.forceAuthn,
      IsPassive: request.isPassive,
      AssertionConsumerServiceURL: request.assertionConsumerServiceUrl,
      AssertionConsumerServiceIndex: request.assertionConsumerServiceIndex,
      ProtocolBinding: request.protocolBinding,
      AttributeConsumingServiceIndex: request.attributeConsumingServiceIndex,
      ProviderName: request.providerName,
    },
    request.extensions,
    request.subject && element("saml:Subject", {}, nameIdElement(request.subject)),
    request.nameIdPolicy &&
      element("samlp:NameIDPolicy", {
        Format: request.nameIdPolicy.format,
        SPNameQualifier: request.nameIdPolicy.spNameQualifier,
        AllowCreate: request.nameIdPolicy.allowCreate,
      }),
    request.requestedAuthnContext &&
      element(
        "samlp:RequestedAuthnContext",
        { Comparison: request.requestedAuthnContext.comparison },
        ...request.requestedAuthnContext.classRefs.map((ref) => element("saml:AuthnContextClassRef", {}, ref)),
        ...request.requestedAuthnContext.declRefs.map((ref) => element("saml:AuthnContextDeclRef", {}, ref)),
      ),
    request.scoping && scopingElement(request.scoping),
  );

const scopingElement = ({ proxyCount, idpEntityIds, requesterIds }: Scoping): Fragment =>
  element(
    "samlp:Scoping",
    { ProxyCount: proxyCount },
    idpEntityIds.length > 0 && element("samlp:IDPList", {}, ...idpEntityIds.map((id) => element("samlp:IDPEntry", { ProviderID: id }))),
    ...requesterIds.map((id) => element("samlp:RequesterID", {}, id)),
  );
