import { SamlError } from "../../platform/saml/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlUpstream } from "./provider-metadata.ts";
import type { SamlRules } from "./rules.ts";
import type { SamlTools } from "./tools.ts";

/** Runs `work`, and turns a SamlError into an UpstreamError with the same reason. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SamlError) throw new UpstreamError(error.reason, error.message, error);
    throw error;
  }
}

/** Runs `open`, and once more with newly read metadata if a key is unknown, because providers change their keys. */
export async function withKeys<T>(
  provider: ProviderSnapshot,
  rules: SamlRules,
  { upstreams }: SamlTools,
  open: (upstream: SamlUpstream) => Promise<T>,
): Promise<{ readonly upstream: SamlUpstream; readonly opened: T }> {
  const upstream = await upstreams.read(provider, rules);
  try {
    return { upstream, opened: await open(upstream) };
  } catch (error) {
    const isUnknownKey = error instanceof SamlError && (error.reason === "signature_invalid" || error.reason === "no_certificate");
    const anew = isUnknownKey ? await upstreams.reread(provider, rules) : null;
    if (!anew) throw error;
    return { upstream: anew, opened: await open(anew) };
  }
}
