import { KeyObject } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, type JWSHeaderParameters } from "jose";
import { LRUCache } from "lru-cache";
import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import { createRereadLimit } from "../brokers/reread-limit.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { discover, type Endpoints, endpointsOf, fetchObject, needsDiscovery, UpstreamError } from "./metadata.ts";

/** Documents of OpenID providers: they are read once, kept for a while, and read again for an unknown key. */
export interface Upstreams {
  readonly outbound: Outbound;
  endpoints(provider: ProviderSnapshot): Promise<Endpoints>;
  /** The key that a JWS with this header was signed with. */
  keyOf(jwksUrl: string, header: JWSHeaderParameters): Promise<KeyObject>;
}

const FRESH = 10 * MINUTE;
/** A document of an hour ago is better than no sign-in. */
const STALE = 24 * HOUR;
/** A provider that does not answer is not asked for every click. */
const FAILED = 5 * SECOND;
const MAX_KEPT = 1_000;

interface Kept {
  readonly document: Record<string, unknown>;
  readonly readAt: number;
  /** Finds the key that signed a token, and imports it once. Only for a set of keys. */
  find?: ReturnType<typeof createLocalJWKSet>;
}

export function createUpstreams(outbound: Outbound): Upstreams {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  const failed = new LRUCache<string, { readonly error: UpstreamError; readonly at: number }>({ max: MAX_KEPT });
  const rereads = createRereadLimit(MAX_KEPT);
  // Shared, so that a hundred sign-ins at once read it once.
  const reading = new Map<string, Promise<Kept>>();

  const read = (key: string, load: () => Promise<Record<string, unknown>>): Promise<Kept> => {
    const known = reading.get(key);
    if (known) return known;
    const now = load().then(
      (document) => {
        const entry: Kept = { document, readAt: clock.now() };
        kept.set(key, entry);
        failed.delete(key);
        return entry;
      },
      (error) => {
        if (error instanceof UpstreamError) failed.set(key, { error, at: clock.now() });
        throw error;
      },
    );
    reading.set(key, now);
    const done = () => void reading.delete(key);
    now.then(done, done);
    return now;
  };

  const document = async (key: string, load: () => Promise<Record<string, unknown>>, maxAge = FRESH): Promise<Kept> => {
    const known = kept.get(key);
    const age = known ? clock.now() - known.readAt : Number.POSITIVE_INFINITY;
    if (known && age < maxAge) return known;
    const failure = failed.get(key);
    if (failure && clock.now() - failure.at < FAILED) {
      if (known && age < STALE) return known;
      throw failure.error;
    }
    return read(key, load).catch((error) => {
      if (known && age < STALE) return known;
      throw error;
    });
  };

  const keysOf = (jwksUrl: string) => `keys ${jwksUrl}`;
  const keys = async (jwksUrl: string, maxAge?: number) => {
    const load = async () => {
      const set = await fetchObject(outbound, jwksUrl, "keys");
      if (!Array.isArray(set.keys)) throw new UpstreamError("keys", "The provider published no keys.");
      return set;
    };
    const known = await document(keysOf(jwksUrl), load, maxAge);
    known.find ??= createLocalJWKSet(known.document as unknown as JSONWebKeySet);
    return known.find;
  };

  return {
    outbound,
    async endpoints({ config }) {
      if (!needsDiscovery(config)) return endpointsOf(config, null);
      const issuer = String(config.issuer);
      return endpointsOf(config, (await document(`issuer ${issuer}`, () => discover(outbound, issuer))).document);
    },
    async keyOf(jwksUrl, header) {
      const find = await keys(jwksUrl);
      try {
        return KeyObject.from(await find(header));
      } catch (error) {
        if ((error as { code?: string }).code !== "ERR_JWKS_NO_MATCHING_KEY") throw error;
        // Rotated.
        if (!rereads.take(jwksUrl) && !reading.has(keysOf(jwksUrl))) throw error;
        const findAgain = await keys(jwksUrl, 0);
        return KeyObject.from(await findAgain(header));
      }
    },
  };
}
