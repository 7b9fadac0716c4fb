import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import * as saml from "../../../platform/saml/index.ts";
import { endpointOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { clientOf, inNameOf } from "../refusals.ts";

/** A LogoutRequest that has passed every check of its own. Plain data: it is stored while the browser comes back with its cookies. */
export interface CheckedRequest extends Pick<saml.LogoutRequest, "nameId" | "sessionIndexes"> {
  readonly kind: "request";
  readonly entityId: string;
  readonly requestId: string;
  /** Until when the same message would be accepted again. */
  readonly acceptedUntil: number;
  readonly relayState: string | null;
}

export interface CheckedResponse {
  readonly kind: "response";
  readonly entityId: string;
  readonly inResponseTo: string;
  readonly isDone: boolean;
}

type CheckParts = Pick<SamlParts, "samlClients" | "baseUrl">;

/** The maximum age of a received message. No page is shown between its making and its arrival. */
const MAX_AGE = 5 * MINUTE;

/**
 * SAML profiles §4.4.4.1. It has to be signed: with unsigned requests any site could sign users out. A service provider without a
 * certificate cannot ask.
 */
export async function checkLogoutRequest(parts: CheckParts, realm: string, received: saml.ReceivedMessage): Promise<CheckedRequest> {
  const { entityId, verificationKeys: keys, options } = await clientOf(parts, realm, received.claimedIssuer);
  const skew = options.clockSkewSeconds * SECOND;
  return inNameOf(entityId, async () => {
    const { message, signed } = await saml.openLogoutRequest(received, { keys, required: true });
    // Over SOAP the transport has delivered it: Destination may be left out.
    saml.destinationIsOurs(message, [endpointOf(parts.baseUrl, realm, "slo")], signed && received.binding !== "soap");
    isRecent(message.issueInstant, skew);
    if (saml.isScript(received.relayState ?? "")) throw new saml.SamlError("relay_state", "RelayState is a script");
    const now = clock.now();
    if (message.notOnOrAfter !== null && now - skew >= message.notOnOrAfter) throw new saml.SamlError("expired", "The request has expired");
    return {
      ...{ kind: "request", entityId, requestId: message.id, acceptedUntil: message.issueInstant + MAX_AGE + skew },
      ...{ nameId: message.nameId, sessionIndexes: message.sessionIndexes, relayState: received.relayState },
    };
  });
}

/** SAML profiles §4.4.4.2. One that has a certificate signs; of one that has none, the answer only moves the page of its own browser. */
async function checkLogoutResponse(parts: CheckParts, realm: string, received: saml.ReceivedMessage): Promise<CheckedResponse> {
  const { entityId, verificationKeys: keys, options } = await clientOf(parts, realm, received.claimedIssuer);
  return inNameOf(entityId, () => {
    const { message, signed } = saml.openLogoutResponse(received, { keys, required: keys.length > 0 });
    saml.destinationIsOurs(message, [endpointOf(parts.baseUrl, realm, "slo")], signed);
    isRecent(message.issueInstant, options.clockSkewSeconds * SECOND);
    if (message.inResponseTo === null) throw new saml.SamlError("in_response_to", "The message answers no request");
    return {
      kind: "response",
      entityId,
      inResponseTo: message.inResponseTo,
      isDone: saml.isSuccess(message.status) && message.status.subCode === null,
    };
  });
}

function isRecent(issueInstant: number, skew: number): void {
  const now = clock.now();
  if (issueInstant > now + skew) throw new saml.SamlError("not_yet_valid", "The message was issued in the future");
  if (issueInstant + MAX_AGE + skew <= now) throw new saml.SamlError("expired", "The message is too old");
}

export async function checkLogoutMessage(
  parts: CheckParts,
  realm: string,
  received: saml.ReceivedMessage,
): Promise<CheckedRequest | CheckedResponse> {
  return received.name === "LogoutResponse" ? checkLogoutResponse(parts, realm, received) : checkLogoutRequest(parts, realm, received);
}
