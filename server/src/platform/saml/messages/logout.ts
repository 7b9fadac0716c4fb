import type { Decryption } from "../encryption/decrypt.ts";
import { encryptedId, type Recipient } from "../encryption/encrypt.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { attributeOf, childrenNamed, textOf } from "../xml/tree.ts";
import { element, type Fragment } from "../xml/write.ts";
import { type Envelope, messageElement, type NewEnvelope, readEnvelope } from "./envelope.ts";
import { type NameId, nameIdElement, nameIdIn } from "./name-id.ts";
import { type Opened, openElement, type ReceivedMessage, type Trust } from "./received.ts";
import { readStatus, type Status, statusElement } from "./status.ts";
import { instant, optionalInstant } from "./values.ts";

/** SAML core §3.7.1. */
export interface LogoutRequest extends Envelope {
  readonly nameId: NameId;
  /** The sessions to end. If it is empty, all sessions of the subject are meant. */
  readonly sessionIndexes: readonly string[];
  readonly notOnOrAfter: number | null;
  readonly reason: string | null;
}

/** SAML core §3.7.2. */
export interface LogoutResponse extends Envelope {
  readonly inResponseTo: string | null;
  readonly status: Status;
}

export async function openLogoutRequest(
  received: ReceivedMessage,
  trust: Trust & { readonly decryption?: Decryption },
): Promise<Opened<LogoutRequest>> {
  const { element: request, signed } = openElement(received, "LogoutRequest", trust);
  const nameId = await nameIdIn(request, trust.decryption, signed);
  if (!nameId) throw new SamlError("message", "LogoutRequest has no NameID");
  const message = {
    ...readEnvelope(request),
    nameId,
    sessionIndexes: childrenNamed(request, NS.samlp, "SessionIndex").map((index) => textOf(index)),
    notOnOrAfter: optionalInstant(request, "NotOnOrAfter"),
    reason: attributeOf(request, "Reason"),
  };
  return { message, signed };
}

export function openLogoutResponse(received: ReceivedMessage, trust: Trust): Opened<LogoutResponse> {
  const { element: response, signed } = openElement(received, "LogoutResponse", trust);
  return {
    message: { ...readEnvelope(response), inResponseTo: attributeOf(response, "InResponseTo"), status: readStatus(response) },
    signed,
  };
}

type NewLogoutRequest = NewEnvelope & {
  readonly nameId: Partial<NameId> & { readonly value: string };
  readonly sessionIndexes?: readonly string[];
  readonly notOnOrAfter?: number;
  readonly reason?: string;
  /** The recipient for whom the NameID is encrypted. */
  readonly recipient?: Recipient;
};

export function logoutRequestElement(request: NewLogoutRequest): Fragment {
  const nameId = nameIdElement(request.nameId);
  return messageElement(
    "LogoutRequest",
    request,
    { NotOnOrAfter: request.notOnOrAfter === undefined ? null : instant(request.notOnOrAfter), Reason: request.reason },
    request.recipient ? encryptedId(nameId, request.recipient) : nameId,
    ...(request.sessionIndexes ?? []).map((index) => element("samlp:SessionIndex", {}, index)),
  );
}

export const logoutResponseElement = (response: NewEnvelope & { readonly status: Parameters<typeof statusElement>[0] }): Fragment =>
  messageElement("LogoutResponse", response, {}, statusElement(response.status));
