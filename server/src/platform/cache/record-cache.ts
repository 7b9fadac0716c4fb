import { createLru } from "../../kernel/lru.ts";
import type { RealmChanges } from "./realm-changes.ts";

/** Caches records of all realms by realm and name. */
export interface RecordCache<T> {
  /** Returns null if the realm has no record of that name. */
  get(realm: string, name: string): Promise<T | null>;
}

export interface LoadedRecord<T> {
  readonly record: T;
  readonly configVersion: number;
}

/** The mark of all records of a realm that were read since its last change. A record whose generation is not the present one of its realm is stale. */
interface Generation {
  configVersion: number;
}

const MAX_RECORDS = 10_000;
const MAX_REALMS = 2_000;

/** Keeps the records in use until a change of their realm's configuration is announced. */
export function createRecordCache<T>(
  changes: RealmChanges,
  load: (realm: string, name: string) => Promise<LoadedRecord<T> | null>,
): RecordCache<T> {
  // Only records that exist are kept: guessing names must not push them out.
  const kept = createLru<{ readonly record: T; readonly generation: Generation }>(MAX_RECORDS);
  const generations = createLru<Generation>(MAX_REALMS);
  // Concurrent requests share a read, so that a hundred requests for a cold record read it once.
  const loading = new Map<string, { readonly realm: string; readonly record: Promise<T | null> }>();

  changes.onDrop((realm, version) => {
    if (realm === null) {
      kept.clear();
      generations.clear();
      loading.clear();
    } else if (version === undefined || generations.peek(realm)?.configVersion !== version) {
      generations.delete(realm);
      for (const [key, reading] of loading) if (reading.realm === realm) loading.delete(key);
    }
  });

  const keep = (key: string, realm: string, { record, configVersion }: LoadedRecord<T>) => {
    const generation = generations.get(realm) ?? { configVersion };
    // This is the version of the oldest record that was read: a change that only some of the records have seen drops all of them.
    generation.configVersion = Math.min(generation.configVersion, configVersion);
    generations.set(realm, generation);
    kept.set(key, { record, generation });
  };

  const read = (key: string, realm: string, name: string): Promise<T | null> => {
    const reading = { realm, record: load(realm, name).then(done, failed) };
    loading.set(key, reading);
    // A change during the read has removed the entry: the result is used for the waiting callers, and not cached.
    const isCurrent = () => loading.get(key) === reading;
    function done(loaded: LoadedRecord<T> | null): T | null {
      if (isCurrent()) {
        loading.delete(key);
        if (loaded) keep(key, realm, loaded);
      }
      return loaded?.record ?? null;
    }
    function failed(error: unknown): never {
      if (isCurrent()) loading.delete(key);
      throw error;
    }
    return reading.record;
  };

  return {
    get: async (realm, name) => {
      changes.expire();
      const key = `${realm}\u0000${name}`;
      const found = kept.get(key);
      if (found && found.generation === generations.get(realm)) return found.record;
      return loading.get(key)?.record ?? read(key, realm, name);
    },
  };
}
