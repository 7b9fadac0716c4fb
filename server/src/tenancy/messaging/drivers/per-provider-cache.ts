import { LRUCache } from "lru-cache";
import type { Outbound } from "../../../platform/outbound/index.ts";
import type { Provider } from "../driver.ts";

/** A node caches tokens or connections of at most this many providers. */
const MAX_CACHED = 500;

/**
 * A driver's cache between messages. It belongs to one `Outbound` (and ends with it) and to one version of a
 * provider, so that a changed key or host is used immediately.
 */
export function perProviderCache<T extends object>(dispose: (kept: T) => void = () => {}) {
  const stores = new WeakMap<Outbound, LRUCache<string, T>>();
  const storeOf = (outbound: Outbound): LRUCache<string, T> => {
    const store = stores.get(outbound) ?? new LRUCache<string, T>({ max: MAX_CACHED, dispose });
    stores.set(outbound, store);
    return store;
  };
  const keyOf = ({ realm, id, version }: Provider) => `${realm}/${id}/${version}`;
  return {
    get: (outbound: Outbound, provider: Provider): T | undefined => storeOf(outbound).get(keyOf(provider)),
    set: (outbound: Outbound, provider: Provider, kept: T) => void storeOf(outbound).set(keyOf(provider), kept),
    /** Forgets it, unless something newer has taken its place. */
    drop(outbound: Outbound, provider: Provider, kept: T): void {
      const store = storeOf(outbound);
      if (store.peek(keyOf(provider)) === kept) store.delete(keyOf(provider));
    },
  };
}
