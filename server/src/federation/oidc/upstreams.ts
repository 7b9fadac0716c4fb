import { KeyObject } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, type JWSHeaderParameters } from "jose";
import { HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { createRemoteDocuments, type Outbound, type RemoteDocumentRules } from "../../platform/outbound/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { discover, type Endpoints, endpointsOf, fetchObject, needsDiscovery, UpstreamError } from "./metadata.ts";

/** The documents of OpenID providers. They are read once, kept for some time, and read again for an unknown key. */
export interface Upstreams {
  readonly outbound: Outbound;
  endpoints(provider: ProviderSnapshot): Promise<Endpoints>;
  /** Finds the key that signed a JWS with this header. */
  keyOf(jwksUrl: string, header: JWSHeaderParameters): Promise<KeyObject>;
}

const FRESH = 10 * MINUTE;
const rules: RemoteDocumentRules = {
  max: 1_000,
  // An old document is better than no sign-in.
  staleMs: 24 * HOUR,
  // A provider that does not answer is not asked again by every click.
  pauseMs: 5 * SECOND,
  failureOf: (error) => (error instanceof UpstreamError ? "down" : "unexpected"),
};

/** Finds the key that signed a token. The key is imported once. */
type KeySet = ReturnType<typeof createLocalJWKSet>;

export function createUpstreams(outbound: Outbound): Upstreams {
  const issuers = createRemoteDocuments<Record<string, unknown>>(rules);
  const keySets = createRemoteDocuments<KeySet>(rules);
  return {
    outbound,
    async endpoints({ config }) {
      if (!needsDiscovery(config)) return endpointsOf(config, null);
      const issuer = String(config.issuer);
      const read = async () => ({ document: await discover(outbound, issuer), freshMs: FRESH });
      return endpointsOf(config, await issuers.get(issuer, read));
    },
    async keyOf(jwksUrl, header) {
      const read = async () => ({ document: await fetchKeys(outbound, jwksUrl), freshMs: FRESH });
      const find = await keySets.get(jwksUrl, read);
      try {
        return KeyObject.from(await find(header));
      } catch (error) {
        if ((error as { code?: string }).code !== "ERR_JWKS_NO_MATCHING_KEY") throw error;
        // The provider may have rotated its keys, so they are read again.
        const reread = keySets.rereadIncomplete(jwksUrl, read);
        if (!reread) throw error;
        const findAgain = await reread.catch(() => find);
        return KeyObject.from(await findAgain(header));
      }
    },
  };
}

async function fetchKeys(outbound: Outbound, jwksUrl: string): Promise<KeySet> {
  const set = await fetchObject(outbound, jwksUrl, "keys");
  if (!Array.isArray(set.keys)) throw new UpstreamError("keys", "The provider published no keys.");
  return createLocalJWKSet(set as unknown as JSONWebKeySet);
}
