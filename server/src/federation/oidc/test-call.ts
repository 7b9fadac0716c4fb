import type { TestedCheck } from "../providers/protocol.ts";
import type { CheckTools, OpenProvider } from "../providers/provider.ts";
import { discover, type Endpoints, endpointsOf, fetchObject, hostOf, needsDiscovery, UPSTREAM_TIMEOUT, UpstreamError } from "./metadata.ts";

/** Tests discovery, keys, token and userinfo endpoint. Returns a line for each; the steps after a failed one are left out. */
export async function testOidc({ config }: OpenProvider, { outbound }: CheckTools): Promise<TestedCheck[]> {
  const checks: TestedCheck[] = [];
  const tried = async <T>(name: string, work: () => Promise<{ message: string; value: T }>): Promise<T | null> => {
    try {
      const { message, value } = await work();
      checks.push({ name, ok: true, message });
      return value;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      checks.push({ name, ok: false, message: error.message });
      return null;
    }
  };

  let endpoints: Endpoints | null = null;
  if (needsDiscovery(config))
    endpoints = await tried("discovery", async () => {
      const document = await discover(outbound, String(config.issuer));
      return { message: `${hostOf(String(config.issuer))} published its discovery document.`, value: endpointsOf(config, document) };
    });
  else endpoints = endpointsOf(config, null);
  if (endpoints === null) return checks;

  const { jwksUrl, tokenUrl, userinfoUrl } = endpoints;
  if (jwksUrl !== null)
    await tried("keys", async () => {
      const { keys } = await fetchObject(outbound, jwksUrl, "keys");
      if (!Array.isArray(keys) || keys.length === 0) throw new UpstreamError("keys", `${hostOf(jwksUrl)} published no keys.`);
      return { message: `${hostOf(jwksUrl)} published ${keys.length} keys.`, value: null };
    });
  await reach("token endpoint", tokenUrl);
  if (userinfoUrl !== null) await reach("userinfo endpoint", userinfoUrl);
  return checks;

  /** Sends a plain request. Any response shows that the endpoint exists and has a certificate that this server trusts. */
  function reach(name: string, url: string) {
    return tried(name, async () => {
      const host = hostOf(url);
      try {
        await outbound.fetch(url, { overflow: "truncate", timeoutMs: UPSTREAM_TIMEOUT });
      } catch (error) {
        throw new UpstreamError(name, error instanceof Error ? error.message : `${host} could not be reached.`, error);
      }
      return { message: `${host} answers.`, value: null };
    });
  }
}
