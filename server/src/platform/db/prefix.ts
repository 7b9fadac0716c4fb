import { type RawBuilder, sql } from "kysely";
import { likePrefix, loginKey } from "../../kernel/text.ts";

/** The last code point, which no name contains: everything that starts with a prefix lies between the prefix and the prefix followed by this character. */
const LAST = "\u{10FFFF}";

/** Compares by a range, because the columns are in byte order and a kept plan cannot use an index for `like $1`. */
export function startsWith(column: string | RawBuilder<unknown>, prefix: string): RawBuilder<boolean> {
  const key = typeof column === "string" ? sql.ref(column) : column;
  return sql<boolean>`(${key} >= ${prefix} and ${key} < ${prefix + LAST})`;
}

/**
 * Compares names that have no folded key of their own, ignoring letter case: Postgres folds them as `loginKey` does, whatever the locale of the database.
 * No index serves it, so it is for lists of few records.
 */
export const nameStartsWith = (column: string, prefix: string): RawBuilder<boolean> =>
  sql<boolean>`name_key(${sql.ref(column)}) like ${likePrefix(loginKey(prefix))}`;
