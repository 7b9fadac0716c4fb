import { clock } from "../../../kernel/clock.ts";
import * as saml from "../../../platform/saml/index.ts";
import { endpointOf, entityIdOf, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { clientOf, inNameOf, type Refusals } from "../refusals.ts";
import { takeMessage } from "./store.ts";

export interface ArtifactParts extends SamlParts {
  readonly refusals: Refusals;
}

/**
 * SAML core §3.5: resolves an artifact. A service provider that has a key signs its requests. For one without a key, the artifact itself is
 * the proof, and it is useless to others. An unknown or expired artifact is answered without a message, and not with an error (§3.5.3).
 */
export async function resolveArtifact(parts: ArtifactParts, realm: string, body: Uint8Array): Promise<string> {
  const { baseUrl, db, vault } = parts;
  const received = await inNameOf(null, () => saml.readSoap(body));
  const { entityId, verificationKeys: keys } = await clientOf(parts, realm, received.claimedIssuer);
  const issuer = entityIdOf(baseUrl, realm);
  const { message, artifact } = await inNameOf(entityId, () => {
    const opened = saml.openArtifactResolve(received, { keys, required: keys.length > 0 });
    saml.destinationIsOurs(opened.message, [endpointOf(baseUrl, realm, "artifact")], false);
    return { message: opened.message, artifact: saml.readArtifact(opened.message.artifact) };
  });
  const isOurs = artifact.sourceId === saml.sourceIdOf(issuer) && artifact.endpointIndex === 0;
  const content = isOurs ? await takeMessage(db, vault, { realm, entityId }, artifact.text) : null;
  const response = saml.artifactResponseElement({
    ...{ id: saml.newMessageId(), issueInstant: clock.now(), issuer, inResponseTo: message.id },
    status: { code: saml.STATUS.success },
    content,
  });
  return saml.soapEnvelope(await saml.signed(response, await signingKeyOf(parts, realm)));
}
