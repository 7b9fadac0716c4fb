/** One or several, as a list; undefined: none. Faster than `[value].flat()`. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** A message names at most this many things. */
const LISTED = 10;

/** A query for `listed` that reads this many rows can tell whether there are more. */
export const LISTING = LISTED + 1;

/** The first names, for a message. */
export const listed = (names: readonly string[], most = LISTED): string =>
  `${names.slice(0, most).join(", ")}${names.length > most ? ", …" : ""}`;
