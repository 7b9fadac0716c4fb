import { LRUCache } from "lru-cache";

/** Keeps the `max` values used last. Each counts as one: with `max` of its own, the cache would reserve room for all of them at once. */
export const createLru = <V extends {}>(max: number): LRUCache<string, V> => new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
