import { clock } from "../../kernel/clock.ts";
import {
  artifactResolveElement,
  isSuccess,
  newMessageId,
  type OpenedResponse,
  openArtifactResponse,
  openResponse,
  readArtifact,
  readSoap,
  SamlError,
  SOAP_ACTION,
  signed,
  soapEnvelope,
  sourceIdOf,
} from "../../platform/saml/index.ts";
import { callProvider, UpstreamError } from "../oidc/metadata.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { decryptionOf, signerOf } from "./keys.ts";
import { withKeys } from "./open.ts";
import type { SamlUpstream } from "./provider-metadata.ts";
import type { SamlRules } from "./rules.ts";
import { type SamlTools, spEntityIdOf } from "./tools.ts";

const MAX_BYTES = 1024 * 1024;

/** SAML profiles §5: asks the provider for the message that an artifact stands for. */
export async function resolveArtifact(
  provider: ProviderSnapshot,
  rules: SamlRules,
  text: string,
  tools: SamlTools,
): Promise<{ readonly upstream: SamlUpstream; readonly opened: OpenedResponse }> {
  const artifact = readArtifact(text);
  const { entityId, artifactResolution } = await tools.upstreams.read(provider, rules);
  if (artifact.sourceId !== sourceIdOf(entityId)) throw new SamlError("issuer", "The artifact is another provider's");
  const at = (upstream: SamlUpstream | null) => upstream?.artifactResolution(artifact.endpointIndex) ?? null;
  // An unknown index may be in newer metadata, so the metadata is read again.
  const url = artifactResolution(artifact.endpointIndex) ?? at(await tools.upstreams.reread(provider, rules));
  if (url === null) throw new UpstreamError("configuration", "The provider has no address where artifacts are resolved.");
  const id = newMessageId();
  const question = artifactResolveElement({
    ...{ id, issueInstant: clock.now(), issuer: spEntityIdOf(tools.baseUrl, provider), destination: url, artifact: artifact.text },
  });
  const headers = { "content-type": "text/xml; charset=utf-8", accept: "text/xml", soapaction: SOAP_ACTION };
  const soap = soapEnvelope(await signed(question, await signerOf(provider, rules, tools)));
  const answer = await callProvider(tools.outbound, url, "artifact", { method: "POST", headers, body: soap, maxBytes: MAX_BYTES });
  const received = readSoap(answer.body);
  return withKeys(provider, rules, tools, async ({ keys }) => {
    const { message } = openArtifactResponse(received, { keys, required: false });
    if (message.inResponseTo !== id) throw new SamlError("in_response_to", "The ArtifactResponse does not answer the question");
    if (message.issuer !== null && message.issuer !== entityId) throw new SamlError("issuer", "The issuer is another provider");
    if (!isSuccess(message.status)) throw new SamlError("status", "The provider did not resolve the artifact");
    // SAML core §3.5.3: the artifact was used before, or is too old.
    if (!message.content) throw new UpstreamError("no_answer", "The artifact stands for no message, or no more.");
    const decryption = decryptionOf(provider, rules, tools);
    return openResponse(message.content, { keys, ...(decryption && { decryption }) });
  });
}
