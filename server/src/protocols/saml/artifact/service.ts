import { clock } from "../../../kernel/clock.ts";
import {
  artifactResponseElement,
  destinationIsOurs,
  newMessageId,
  openArtifactResolve,
  readArtifact,
  readSoap,
  STATUS,
  signed,
  soapEnvelope,
  sourceIdOf,
} from "../../../platform/saml/index.ts";
import { clientOf } from "../clients.ts";
import { endpointOf, entityIdOf, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { inNameOf, type Refusals } from "../refusals.ts";
import { takeMessage } from "./store.ts";

export interface ArtifactParts extends SamlParts {
  readonly refusals: Refusals;
}

/**
 * SAML core §3.5. A service provider that has a key signs its requests; of one that has none, the artifact itself is the proof, and it is
 * worth nothing to others. An artifact that is not known, or no longer, is answered without a message, and not as an error (§3.5.3).
 */
export async function resolveArtifact(parts: ArtifactParts, realm: string, body: Uint8Array): Promise<string> {
  const { baseUrl, db, vault } = parts;
  const received = await inNameOf(null, () => readSoap(body));
  const { entityId, verificationKeys: keys } = await clientOf(parts, realm, received.claimedIssuer);
  const issuer = entityIdOf(baseUrl, realm);
  const { message, artifact } = await inNameOf(entityId, () => {
    const opened = openArtifactResolve(received, { keys, required: keys.length > 0 });
    destinationIsOurs(opened.message, [endpointOf(baseUrl, realm, "artifact")], false);
    return { message: opened.message, artifact: readArtifact(opened.message.artifact) };
  });
  const isOurs = artifact.sourceId === sourceIdOf(issuer) && artifact.endpointIndex === 0;
  const content = isOurs ? await takeMessage(db, vault, { realm, entityId }, artifact.text) : null;
  const response = artifactResponseElement({
    ...{ id: newMessageId(), issueInstant: clock.now(), issuer, inResponseTo: message.id },
    status: { code: STATUS.success },
    content,
  });
  return soapEnvelope(await signed(response, await signingKeyOf(parts, realm)));
}
