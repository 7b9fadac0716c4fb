import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import * as saml from "../../../platform/saml/index.ts";
import { endpointOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { clientOf, inNameOf } from "../refusals.ts";

/** A LogoutRequest that has passed every check of its own. It is plain data, because it is stored until the browser has its cookies. */
export interface CheckedRequest extends Pick<saml.LogoutRequest, "nameId" | "sessionIndexes"> {
  readonly kind: "request";
  readonly entityId: string;
  readonly requestId: string;
  /** The time until which the same message would be accepted again. */
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

/** The maximum age of a received message. No page is shown between its issue and its receipt. */
const MAX_AGE = 5 * MINUTE;

/**
 * SAML profiles §4.4.4.1: checks a request. It has to be signed, because with unsigned requests any site could sign users out. So a service
 * provider without a certificate cannot send one.
 */
export async function checkLogoutRequest(parts: CheckParts, realm: string, received: saml.ReceivedMessage): Promise<CheckedRequest> {
  const { entityId, verificationKeys: keys, options } = await clientOf(parts, realm, received.claimedIssuer);
  return inNameOf(entityId, async () => {
    const { message, signed } = await saml.openLogoutRequest(received, { keys, required: true });
    // Over SOAP, Destination may be omitted, because the transport has delivered the message.
    saml.destinationIsOurs(message, [endpointOf(parts.baseUrl, realm, "slo")], signed && received.binding !== "soap");
    const acceptedUntil = saml.acceptedUntil(message, timesOf(options));
    if (saml.isScript(received.relayState ?? "")) throw new saml.SamlError("relay_state", "RelayState is a script");
    return {
      ...{ kind: "request", entityId, requestId: message.id, acceptedUntil },
      ...{ nameId: message.nameId, sessionIndexes: message.sessionIndexes, relayState: received.relayState },
    };
  });
}

/** SAML profiles §4.4.4.2: checks a response. One without a certificate need not sign, because it only moves its own browser's page. */
async function checkLogoutResponse(parts: CheckParts, realm: string, received: saml.ReceivedMessage): Promise<CheckedResponse> {
  const { entityId, verificationKeys: keys, options } = await clientOf(parts, realm, received.claimedIssuer);
  return inNameOf(entityId, () => {
    const { message, signed } = saml.openLogoutResponse(received, { keys, required: keys.length > 0 });
    saml.destinationIsOurs(message, [endpointOf(parts.baseUrl, realm, "slo")], signed);
    saml.acceptedUntil(message, timesOf(options));
    if (message.inResponseTo === null) throw new saml.SamlError("in_response_to", "The message answers no request");
    return {
      kind: "response",
      entityId,
      inResponseTo: message.inResponseTo,
      isDone: saml.isSuccess(message.status) && message.status.subCode === null,
    };
  });
}

const timesOf = ({ clockSkewSeconds }: { readonly clockSkewSeconds: number }) => ({
  ...{ now: clock.now(), maxAge: MAX_AGE, clockSkew: clockSkewSeconds * SECOND },
});

export async function checkLogoutMessage(
  parts: CheckParts,
  realm: string,
  received: saml.ReceivedMessage,
): Promise<CheckedRequest | CheckedResponse> {
  return received.name === "LogoutResponse" ? checkLogoutResponse(parts, realm, received) : checkLogoutRequest(parts, realm, received);
}
