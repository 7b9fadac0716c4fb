import { LRUCache } from "lru-cache";

/** Keeps the `max` values used last. Each has the size 1, because with its own option `max` the cache would reserve room for all of them at once. */
export const createLru = <V extends {}>(max: number): LRUCache<string, V> => new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
