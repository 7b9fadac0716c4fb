import type { CheckTools, OpenProvider, TestedCheck } from "../protocol.ts";
import {
  discover,
  type Endpoints,
  endpointsOf,
  fetchObject,
  hostOf,
  needsDiscovery,
  UPSTREAM_TIMEOUT,
  UpstreamError,
} from "./oidc-metadata.ts";

/** Discovery, keys and the token endpoint, each with a line of its own. What follows from one that failed is left out. */
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

  const { jwksUrl, tokenUrl } = endpoints;
  if (jwksUrl !== null)
    await tried("keys", async () => {
      const { keys } = await fetchObject(outbound, jwksUrl, "keys");
      if (!Array.isArray(keys) || keys.length === 0) throw new UpstreamError("keys", `${hostOf(jwksUrl)} published no keys.`);
      return { message: `${hostOf(jwksUrl)} published ${keys.length} keys.`, value: null };
    });
  await tried("token endpoint", async () => {
    const { host } = new URL(tokenUrl);
    try {
      // Nothing is sent but the question: whatever it answers, it is there, with a certificate that this server trusts.
      await outbound.fetch(tokenUrl, { overflow: "truncate", timeoutMs: UPSTREAM_TIMEOUT });
    } catch (error) {
      throw new UpstreamError("token", error instanceof Error ? error.message : `${host} could not be reached.`, error);
    }
    return { message: `${host} answers.`, value: null };
  });
  return checks;
}
