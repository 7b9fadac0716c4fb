import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { clock, HOUR, MINUTE, SECOND } from "../../../kernel/clock.ts";
import * as saml from "../../../platform/saml/index.ts";
import { endpointOf, entityIdOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { clientOf, inNameOf, Refusal } from "../refusals.ts";
import { type Consumer, consumerOf, defaultConsumerOf, isSupportedBinding } from "./consumer-service.ts";
import { relayStateOf, relayStateToStart } from "./relay-state.ts";

/** The maximum age of a received request. Users restore tabs, and read a page before they continue. */
const MAX_AGE = 10 * MINUTE;
/** The time that users may take to sign in. The same message can wait in two tabs, but only one of them gets an assertion. */
const PATIENCE = HOUR;

/** The status of a response that reports an error (SAML core §3.2.2.2). */
export interface ErrorStatus {
  readonly code: string;
  readonly subCode: string;
  readonly message?: string;
}

/**
 * A request that has passed every check of its own and needs only the user. It is plain data, because it is stored while the user signs in.
 * If an administrator's link began it (IdP-initiated), it has no id.
 */
export interface PendingRequest {
  readonly entityId: string;
  readonly requestId: string | null;
  /** The time until which the request can be answered, and the answer has to be remembered. */
  readonly answerableUntil: number;
  readonly receivedAt: number;
  readonly consumer: Consumer;
  readonly relayState: string | null;
  readonly forceAuthn: boolean;
  readonly isPassive: boolean;
  readonly nameIdPolicy: saml.AuthnRequest["nameIdPolicy"];
  readonly subject: saml.NameId | null;
  /** True for ProxyCount 0: no other identity provider may be asked. */
  readonly isLocal: boolean;
  readonly authnContext: saml.RequestedAuthnContext | null;
  /** The error if the request requires something that is supported for no user. */
  readonly unsupported: ErrorStatus | null;
}

type RequestParts = Pick<SamlParts, "samlClients" | "baseUrl">;

/** SAML profiles §4.1.4.1: checks a request. */
export async function checkRequest(parts: RequestParts, realm: string, received: saml.ReceivedMessage): Promise<PendingRequest> {
  const client = await clientOf(parts, realm, received.claimedIssuer);
  const { entityId, options, verificationKeys: keys } = client;
  const now = clock.now();
  const clockSkew = options.clockSkewSeconds * SECOND;
  const { message, until } = await inNameOf(entityId, async () => {
    const opened = await saml.openAuthnRequest(received, { keys, required: options.wantAuthnRequestsSigned });
    saml.destinationIsOurs(opened.message, [endpointOf(parts.baseUrl, realm, "sso")], opened.signed);
    return { message: opened.message, until: saml.acceptedUntil(opened.message, { now, maxAge: MAX_AGE, clockSkew }) };
  });
  return {
    entityId,
    requestId: message.id,
    answerableUntil: until + PATIENCE,
    receivedAt: now,
    consumer: consumerOf(client, message),
    relayState: relayStateOf(client, received.relayState),
    forceAuthn: message.forceAuthn,
    isPassive: message.isPassive,
    nameIdPolicy: message.nameIdPolicy,
    subject: message.subject,
    isLocal: message.scoping?.proxyCount === 0,
    authnContext: message.requestedAuthnContext,
    unsupported: unsupportedIn(message, entityIdOf(parts.baseUrl, realm)),
  };
}

/** SAML core §3.4.1.2: returns the error for an unsupported binding, or a request that does not trust this provider. */
function unsupportedIn({ protocolBinding, scoping }: saml.AuthnRequest, ours: string): ErrorStatus | null {
  if (!isSupportedBinding(protocolBinding)) return { code: saml.STATUS.requester, subCode: saml.STATUS.unsupportedBinding };
  if (scoping && scoping.idpEntityIds.length > 0 && !scoping.idpEntityIds.includes(ours))
    return { code: saml.STATUS.responder, subCode: saml.STATUS.noSupportedIdp };
  return null;
}

/** SAML profiles §4.1.5: makes the request of an unsolicited response. */
export function unsolicited(client: SamlClientSnapshot, relayState: string | null): PendingRequest {
  const { entityId, options } = client;
  if (!options.idpInitiatedSsoEnabled)
    throw new Refusal("idp_initiated_off", "The service provider takes no unsolicited responses", entityId);
  return {
    ...{ entityId, requestId: null, answerableUntil: clock.now() + PATIENCE, receivedAt: clock.now() },
    ...{ consumer: defaultConsumerOf(client), relayState: relayStateToStart(client, relayState) },
    ...{ forceAuthn: false, isPassive: false, nameIdPolicy: null, subject: null, isLocal: false, authnContext: null, unsupported: null },
  };
}
