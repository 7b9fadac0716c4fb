import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { attributeOf, elementsOf, onlyChild, trimmedTextOf, type XmlElement } from "../xml/tree.ts";
import { element, type Fragment } from "../xml/write.ts";
import { type Envelope, messageElement, type NewEnvelope, readEnvelope } from "./envelope.ts";
import { type Opened, openElement, type ReceivedMessage, receive, type Trust } from "./received.ts";
import { readStatus, type Status, statusElement } from "./status.ts";

/** SAML core §3.5.1. */
export interface ArtifactResolve extends Envelope {
  readonly artifact: string;
}

/** SAML core §3.5.2. */
export interface ArtifactResponse extends Envelope {
  readonly inResponseTo: string | null;
  readonly status: Status;
  /** The artifact's message, which is opened like any other. Null if the artifact is unknown or expired. */
  readonly content: ReceivedMessage | null;
}

export function openArtifactResolve(received: ReceivedMessage, trust: Trust): Opened<ArtifactResolve> {
  const { element: resolve, signed } = openElement(received, "ArtifactResolve", trust);
  const artifact = trimmedTextOf(onlyChild(resolve, NS.samlp, "Artifact"));
  return { message: { ...readEnvelope(resolve), artifact }, signed };
}

export function openArtifactResponse(received: ReceivedMessage, trust: Trust): Opened<ArtifactResponse> {
  const { element: response, original, signed } = openElement(received, "ArtifactResponse", trust);
  const covered = contentOf(response);
  const inside = contentOf(original);
  const content = covered && inside && receive(inside, { binding: "artifact", covered: signed ? covered : null });
  const message = {
    ...readEnvelope(response),
    inResponseTo: attributeOf(response, "InResponseTo"),
    status: readStatus(response),
    content,
  };
  return { message, signed };
}

const isPartOfResponse = ({ namespace, local }: XmlElement): boolean =>
  (namespace === NS.saml && local === "Issuer") ||
  (namespace === NS.ds && local === "Signature") ||
  (namespace === NS.samlp && (local === "Status" || local === "Extensions"));

function contentOf(response: XmlElement): XmlElement | null {
  const [content, ...more] = elementsOf(response).filter((child) => !isPartOfResponse(child));
  if (more.length > 0) throw new SamlError("message", "ArtifactResponse holds more than one message");
  return content ?? null;
}

export const artifactResolveElement = (resolve: NewEnvelope & { readonly artifact: string }): Fragment =>
  messageElement("ArtifactResolve", resolve, {}, element("samlp:Artifact", {}, resolve.artifact));

export const artifactResponseElement = (
  response: NewEnvelope & { readonly status: Parameters<typeof statusElement>[0]; readonly content: Fragment | null },
): Fragment => messageElement("ArtifactResponse", response, {}, statusElement(response.status), response.content);
