/** Returns one or several values as a list, which is empty for undefined. It is faster than `[value].flat()`. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** The most names in a message. */
const LISTED = 10;

/** A query for `listed` that reads this many rows can tell whether there are more. */
export const LISTING = LISTED + 1;

/** Joins the first names, for a message. */
export const listed = (names: readonly string[], most = LISTED): string =>
  `${names.slice(0, most).join(", ")}${names.length > most ? ", …" : ""}`;
