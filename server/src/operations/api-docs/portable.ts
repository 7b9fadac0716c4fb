import { NO_DOT_SEGMENT } from "../../platform/http/index.ts";

/** Classes of Unicode, and looking behind: generators of clients in other languages stop at them. */
const NOT_PORTABLE = /\\[pP]\{|\(\?</;
const IN_WORDS = "Without control characters and characters that cannot be seen";

/**
 * A copy of the document whose patterns every generator of clients understands. The server goes on to check the others; the document says in
 * words what they mean. The schemas themselves stay as they are: the routes validate by them.
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
