/** Returns one or several values as a list, which is empty for undefined. It is faster than `[value].flat()`. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** Adds a value to the list of a key. A new list for each value would take quadratic time. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The most names in a message. */
const LISTED = 10;

/** A query for `listed` that reads this many rows can tell whether there are more. */
export const LISTING = LISTED + 1;

/** Joins the first names, for a message. */
export const listed = (names: readonly string[], most = LISTED): string =>
  `${names.slice(0, most).join(", ")}${names.length > most ? ", …" : ""}`;
