import { NO_DOT_SEGMENT } from "../../platform/http/index.ts";

/** Unicode classes and lookbehind, which generators of clients in other languages do not understand. */
const NOT_PORTABLE = /\\[pP]\{|\(\?</;
const IN_WORDS = "Without control or invisible characters";

/**
 * Returns a copy of the document with only those patterns that every generator of clients understands. The others are described in words; the server
 * still checks them. The schemas themselves stay as they are, because the routes validate by them.
 */
export function withPortablePatterns<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withPortablePatterns) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withPortablePatterns(member)]));
  if (typeof copy.pattern !== "string") return copy as T;
  const { pattern, ...rest } = copy;
  if (!NOT_PORTABLE.test(pattern)) return { ...rest, pattern: pattern.replace(NO_DOT_SEGMENT, "") } as T;
  return { description: IN_WORDS, ...rest } as T;
}
