import { type SamlClientSnapshot, samlClientName } from "../../../applications/saml-clients/index.ts";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import type { Hop } from "../../../pages/index.ts";
import * as saml from "../../../platform/saml/index.ts";
import { entityIdOf, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import type { BrowserBinding, SamlParticipant } from "./endpoints.ts";

export type MessageParts = Pick<SamlParts, "baseUrl" | "realms" | "signingKeys">;

/** The time in which a service provider may act on a request of ours. */
const LIFETIME = 5 * MINUTE;

/** SAML core §3.7.1: makes the request for one session. */
export function logoutRequest(
  { baseUrl }: MessageParts,
  realm: string,
  { sessionIndex, nameId }: SamlParticipant,
  destination: string,
): { readonly id: string; readonly message: saml.Fragment } {
  const id = saml.newMessageId();
  const issueInstant = clock.now();
  const envelope = { id, issueInstant, issuer: entityIdOf(baseUrl, realm), destination };
  return {
    id,
    message: saml.logoutRequestElement({ ...envelope, nameId, sessionIndexes: [sessionIndex], notOnOrAfter: issueInstant + LIFETIME }),
  };
}

/** The result of a logout, for the service provider that requested it. */
export type LogoutOutcome = "success" | "partial" | "unknown-principal";

/** SAML core §3.2.2.2, §3.7.3.2: a logout is partial if another participant could not be notified, or has not confirmed it. */
const STATUSES = {
  success: { code: saml.STATUS.success },
  partial: { code: saml.STATUS.success, subCode: saml.STATUS.partialLogout },
  "unknown-principal": { code: saml.STATUS.requester, subCode: saml.STATUS.unknownPrincipal },
} as const;

export const logoutResponse = (
  { baseUrl }: MessageParts,
  realm: string,
  answer: { readonly inResponseTo: string; readonly outcome: LogoutOutcome; readonly destination?: string },
): saml.Fragment =>
  saml.logoutResponseElement({
    ...{ id: saml.newMessageId(), issueInstant: clock.now(), issuer: entityIdOf(baseUrl, realm), inResponseTo: answer.inResponseTo },
    ...(answer.destination !== undefined && { destination: answer.destination }),
    status: STATUSES[answer.outcome],
  });

/** Makes the step that takes a message to a service provider by the browser. SAML profiles §4.4.3 requires its signature. */
export async function hopTo(
  parts: MessageParts,
  client: SamlClientSnapshot,
  to: { readonly binding: BrowserBinding; readonly location: string; readonly relayState?: string | null },
  message: saml.Fragment,
): Promise<Hop> {
  const { binding, location, relayState = null } = to;
  const key = await signingKeyOf(parts, client.realmId);
  const hop = { name: samlClientName(client) };
  if (binding === "redirect") return { ...hop, location: await saml.redirectUrl({ location, message, relayState, key }) };
  return { ...hop, location, form: saml.postFields(await saml.signed(message, key), relayState) };
}
