import { SamlError } from "../errors.ts";
import { NAME_ID_FORMAT, NS } from "../names.ts";
import { attributeOf, optionalChild, trimmedTextOf, type XmlElement } from "../xml/tree.ts";
import { type Content, element, type Fragment } from "../xml/write.ts";
import { instant, requiredId, requiredInstant } from "./values.ts";

/** The members of every request and response (SAML core §3.2.1, §3.2.2). */
export interface Envelope {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly issueInstant: number;
  readonly issuer: string | null;
  readonly destination: string | null;
  readonly consent: string | null;
}

/** An envelope that we write always names its issuer. */
export interface NewEnvelope {
  readonly id: string;
  readonly issueInstant: number;
  readonly issuer: string;
  readonly destination?: string | null;
  readonly inResponseTo?: string | null;
}

export function readEnvelope(message: XmlElement): Envelope {
  checkVersion(message);
  return {
    id: requiredId(message),
    issueInstant: requiredInstant(message, "IssueInstant"),
    issuer: issuerOf(message),
    destination: attributeOf(message, "Destination"),
    consent: attributeOf(message, "Consent"),
  };
}

/** SAML core §4.1.3. */
export function checkVersion(element: XmlElement): void {
  if (attributeOf(element, "Version") !== "2.0") throw new SamlError("version", `${element.local} is not of version 2.0`);
}

/** Returns the issuer (SAML core §2.2.5). Its format is `entity` or absent (SAML profiles §4.1.4.1). */
export function issuerOf(element: XmlElement): string | null {
  const issuer = optionalChild(element, NS.saml, "Issuer");
  if (!issuer) return null;
  const format = attributeOf(issuer, "Format");
  if (format !== null && format !== NAME_ID_FORMAT.entity) throw new SamlError("issuer", "The issuer is not named by its entityID");
  const entityId = trimmedTextOf(issuer);
  // SAML core §8.3.6
  if (entityId === "" || entityId.length > 1024) throw new SamlError("issuer", "The issuer is not an entityID");
  return entityId;
}

export const messageElement = (
  name: "AuthnRequest" | "Response" | "LogoutRequest" | "LogoutResponse" | "ArtifactResolve" | "ArtifactResponse",
  { id, issueInstant, issuer, destination, inResponseTo }: NewEnvelope,
  attributes: Fragment["attributes"],
  ...children: Content[]
): Fragment =>
  element(
    `samlp:${name}`,
    { Destination: destination, ID: id, InResponseTo: inResponseTo, IssueInstant: instant(issueInstant), Version: "2.0", ...attributes },
    element("saml:Issuer", {}, issuer),
    ...children,
  );
