import { hostOf, UpstreamError } from "../oidc/metadata.ts";
import type { TestedCheck, TestTools } from "../providers/protocol.ts";
import type { OpenProvider, ReadMetadata } from "../providers/provider.ts";
import { readProviderMetadata, samlUpstream } from "./provider-metadata.ts";

/** Checks the metadata, the certificates, and whether the provider's addresses respond. Returns a line for each. */
export async function testSaml(provider: OpenProvider, { outbound, readMetadata }: TestTools): Promise<TestedCheck[]> {
  const { config } = provider;
  const checks: TestedCheck[] = [];
  const tell = (name: string, ok: boolean, message: string) => void checks.push({ name, ok, message });
  let metadata: ReadMetadata | null = null;
  try {
    if (config.metadataUrl !== undefined) {
      metadata = await readMetadata(provider);
      tell("metadata", true, `${hostOf(String(config.metadataUrl))} published the metadata of ${metadata.entityId}.`);
    } else if (config.metadataXml !== undefined) metadata = readProviderMetadata(Buffer.from(String(config.metadataXml)), config);
    const { keys, sso, artifactResolution } = samlUpstream(config, metadata, outbound);
    tell("certificates", keys.length > 0, keys.length > 0 ? `${keys.length} that can be used.` : "There is none that can be used.");
    await reach("single sign-on", sso.location);
    const artifacts = artifactResolution(0);
    if (config.responseBinding === "artifact" && artifacts !== null) await reach("artifact resolution", artifacts);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    tell(error instanceof UpstreamError && error.reason === "configuration" ? "configuration" : "metadata", false, error.message);
  }
  return checks;

  /** Sends a plain request, to which any response will do. */
  async function reach(name: string, url: string): Promise<void> {
    try {
      await outbound.fetch(url, { overflow: "truncate", timeoutMs: 5_000 });
      tell(name, true, `${hostOf(url)} answers.`);
    } catch (error) {
      tell(name, false, error instanceof Error ? error.message : `${hostOf(url)} could not be reached.`);
    }
  }
}
