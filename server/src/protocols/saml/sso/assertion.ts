import type { ClaimSubject } from "../../../applications/claims/index.ts";
import { attributesOf, type SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import * as saml from "../../../platform/saml/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import { entityIdOf, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { Refusal } from "../refusals.ts";
import type { Exchange } from "./decide.ts";
import type { ErrorStatus } from "./requests.ts";

/** The time by which the service provider's clock may be behind ours. */
const LEEWAY = 30 * SECOND;

type Asked = Pick<Exchange, "realm" | "client" | "request">;

const envelope = ({ baseUrl }: Pick<SamlParts, "baseUrl">, { realm, request }: Asked) => ({
  id: saml.newMessageId(),
  issueInstant: clock.now(),
  issuer: entityIdOf(baseUrl, realm.realmId),
  destination: request.consumer.location,
  inResponseTo: request.requestId,
});

/** SAML core §3.2.2.2: makes a response without an assertion. It is signed as other responses are. */
export async function makeError(parts: SamlParts, asked: Asked, status: ErrorStatus): Promise<saml.Fragment> {
  const message = saml.errorResponse(envelope(parts, asked), status);
  return asked.client.options.signResponse ? saml.signed(message, await signingKeyOf(parts, asked.realm.realmId)) : message;
}

/** Makes the SessionIndex of a session and a service provider, for logout requests. It reveals nothing about the session. */
export const sessionIndexOf = (sessionId: string, entityId: string): string => `_${sha256(`${sessionId}\n${entityId}`).slice(0, 40)}`;

export interface About {
  readonly session: LiveSession;
  readonly classRef: string;
  readonly nameId: saml.NameId;
  readonly subject: ClaimSubject;
}

/** Returns the attributes of the assertion. The consent page shows the same. */
export const releasedAttributes = (
  client: SamlClientSnapshot,
  subject: ClaimSubject,
  { sessionId, authTime, acr, amr, impersonator }: LiveSession,
): saml.NewAttribute[] =>
  attributesOf(client, subject, { authTime, acr, amr, sid: sessionIndexOf(sessionId, client.entityId), impersonator });

/** SAML profiles §4.1.4.2: makes the response with its assertion. */
export function makeResponse(
  parts: SamlParts,
  asked: Asked,
  key: saml.SigningKey,
  { session, classRef, nameId, subject }: About,
): Promise<saml.Fragment> {
  const { client, request } = asked;
  const { options, entityId } = client;
  const response = envelope(parts, asked);
  const { issueInstant: now, issuer } = response;
  const sessionIndex = sessionIndexOf(session.sessionId, entityId);
  const assertion = {
    ...{ id: saml.newMessageId(), issueInstant: now, issuer, nameId, classRef },
    ...{ recipient: request.consumer.location, inResponseTo: request.requestId, audiences: [entityId] },
    notBefore: now - LEEWAY,
    notOnOrAfter: now + options.assertionLifetimeSeconds * SECOND,
    authnInstant: session.authTime,
    sessionIndex,
    sessionNotOnOrAfter: session.absoluteExpiry,
    attributes: releasedAttributes(client, subject, session),
  };
  const { signAssertion, signResponse } = options;
  return saml.successResponse(response, assertion, { key, signAssertion, signResponse, recipient: recipientOf(client) });
}

const known = new WeakMap<SamlClientSnapshot, saml.Recipient>();

/** Returns the recipient of an encrypted assertion, or null. It is cached, because reading a certificate is slower than using its key. */
function recipientOf(client: SamlClientSnapshot): saml.Recipient | null {
  if (!client.options.encryptAssertion) return null;
  const recipient = known.get(client) ?? makeRecipient(client);
  known.set(client, recipient);
  return recipient;
}

function makeRecipient({ entityId, encryptionCertificate, options }: SamlClientSnapshot): saml.Recipient {
  // The realm may require encryption since the client was saved. The assertion is not sent unencrypted instead.
  if (encryptionCertificate === null) throw new Refusal("encryption_certificate", "There is no certificate to encrypt for", entityId);
  return {
    key: saml.verificationKey(encryptionCertificate).key,
    entityId,
    ...(options.encryptionAlgorithm !== null && { algorithm: options.encryptionAlgorithm as saml.DataEncryptionAlgorithm }),
    ...(options.keyTransportAlgorithm === saml.KEY_TRANSPORT.oaep && { keyTransport: { algorithm: "oaep", digest: "sha256" } as const }),
  };
}
