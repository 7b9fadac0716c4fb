import { hash, randomBytes } from "node:crypto";
import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { formField } from "./post.ts";
import { withQuery } from "./redirect.ts";
import { checkedRelayState, type RelayStateLimit } from "./relay-state.ts";

const TYPE = 0x0004;
const SOURCE_BYTES = 20;
const HANDLE_BYTES = 20;
const BYTES = 4 + SOURCE_BYTES + HANDLE_BYTES;

/** An artifact (SAML bindings §3.6.4.2). */
export interface Artifact {
  readonly text: string;
  /** The index of the issuer's artifact resolution service. */
  readonly endpointIndex: number;
  /** The issuer's SourceID in hexadecimal: `sourceIdOf` its entityID. */
  readonly sourceId: string;
}

/** Returns the SourceID of an issuer (SAML bindings §3.6.4.2). SHA-1 only identifies the issuer and protects nothing. */
export const sourceIdOf = (entityId: string): string => hash("sha1", entityId, "hex");

/** Returns a new artifact of 160 random bits, which stands for one message and is used once. */
export function newArtifact(entityId: string, endpointIndex: number): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(TYPE, 0);
  head.writeUInt16BE(endpointIndex, 2);
  return Buffer.concat([head, Buffer.from(sourceIdOf(entityId), "hex"), randomBytes(HANDLE_BYTES)]).toString("base64");
}

export function readArtifact(text: string): Artifact {
  if (text.length > 2 * BYTES) throw new SamlError("binding", "The artifact is too long");
  const bytes = decodeBase64(text, "binding", "The artifact");
  if (bytes.length !== BYTES || bytes.readUInt16BE(0) !== TYPE) throw new SamlError("binding", "The artifact is not of type 0x0004");
  return {
    text: bytes.toString("base64"),
    endpointIndex: bytes.readUInt16BE(2),
    sourceId: bytes.subarray(4, 4 + SOURCE_BYTES).toString("hex"),
  };
}

export interface ReceivedArtifact {
  readonly artifact: Artifact;
  readonly relayState: string | null;
}

/** Reads an artifact (SAML bindings §3.6.3) that came by GET or POST. `fields` are decoded. */
export function readArtifactFields(fields: Readonly<Record<string, unknown>>, limit: RelayStateLimit = {}): ReceivedArtifact {
  const text = formField(fields, "SAMLart");
  if (text === null) throw new SamlError("binding", "There is no SAMLart");
  return { artifact: readArtifact(text), relayState: checkedRelayState(formField(fields, "RelayState"), limit) };
}

const artifactFields = (artifact: string, relayState: string | null = null): Record<string, string> => ({
  SAMLart: artifact,
  ...(relayState ? { RelayState: relayState } : {}),
});

export const artifactUrl = (location: string, artifact: string, relayState: string | null = null): string =>
  withQuery(
    location,
    Object.entries(artifactFields(artifact, relayState)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  );
