import { LRUCache } from "lru-cache";
import type { Outbound } from "../../../platform/outbound/index.ts";
import type { Provider } from "../driver.ts";

/** The limit on providers whose tokens or connections a node caches. */
const MAX_CACHED = 500;

/**
 * Creates a cache for a driver. It belongs to one `Outbound`, with which it ends, and its entries to one version of a provider, so that a changed key or host
 * is used immediately.
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
    /** Removes an entry, unless a newer one has replaced it. */
    drop(outbound: Outbound, provider: Provider, kept: T): void {
      const store = storeOf(outbound);
      if (store.peek(keyOf(provider)) === kept) store.delete(keyOf(provider));
    },
  };
}
