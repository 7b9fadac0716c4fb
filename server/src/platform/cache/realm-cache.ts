import { createLru } from "../../kernel/lru.ts";
import type { RealmChanges } from "./realm-changes.ts";

export interface RealmCache<T> {
  /** Returns null for a realm that does not exist. */
  get(realm: string): Promise<T | null>;
  /** Returns the cached value without loading it. */
  peek(realm: string): T | undefined;
}

const MAX_REALMS = 2_000;

/** Keeps what `load` returns for the realms in use, until a change of the realm is announced. */
export function createRealmCache<T extends { readonly configVersion: number }>(
  changes: RealmChanges,
  load: (realm: string) => Promise<T | null>,
): RealmCache<T> {
  // Only realms that exist are kept: guessing names must not push them out.
  const kept = createLru<T>(MAX_REALMS);
  // Concurrent requests share a read, so that a hundred requests for a cold realm read it once.
  const loading = new Map<string, Promise<T | null>>();

  changes.onDrop((realm, version) => {
    if (realm === null) {
      kept.clear();
      loading.clear();
    } else if (version === undefined || kept.peek(realm)?.configVersion !== version) {
      kept.delete(realm);
      loading.delete(realm);
    }
  });

  const read = async (realm: string): Promise<T | null> => {
    const reading = load(realm);
    loading.set(realm, reading);
    // A change during the read has removed the entry: the result is used for the waiting callers, and not cached.
    const isCurrent = () => loading.get(realm) === reading;
    try {
      const value = await reading;
      if (value && isCurrent()) kept.set(realm, value);
      return value;
    } finally {
      if (isCurrent()) loading.delete(realm);
    }
  };

  return {
    async get(realm) {
      changes.expire();
      return kept.get(realm) ?? loading.get(realm) ?? read(realm);
    },
    peek(realm) {
      changes.expire();
      return kept.get(realm);
    },
  };
}
