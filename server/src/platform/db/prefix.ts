import { type RawBuilder, sql } from "kysely";

/** The last character there is, which no name holds: between a prefix and the prefix with it lies what starts with it. */
const LAST = "\u{10FFFF}";

/** A range, because the columns are in byte order and a kept plan cannot use an index for `like $1`. */
export function startsWith(column: string | RawBuilder<unknown>, prefix: string): RawBuilder<boolean> {
  const key = typeof column === "string" ? sql.ref(column) : column;
  return sql<boolean>`(${key} >= ${prefix} and ${key} < ${prefix + LAST})`;
}
