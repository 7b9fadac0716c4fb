import { isTooDeepParameter, MAX_JSON_DEPTH } from "../../kernel/json.ts";

/** The depth to which JWTs may be nested: a request object, and the `id_token_hint` in it. */
const MAX_TOKENS = 4;
/** The depth to which JSON may be nested, including JWTs and the engine's own members around a parameter. */
const MAX_DEPTH = 2 * MAX_JSON_DEPTH;
const MAX_VALUES = 10_000;
const TOO_DEEP = Symbol("too deep");

/**
 * Tells whether a value contains one of these texts, ignoring case, also inside JWTs, which are not verified. A value that is too deep or too large to
 * search counts as a match: erasing a user must neither fail nor leave data behind.
 */
export function names(value: unknown, texts: readonly string[]): boolean {
  const wanted = new Set(texts.map((text) => text.toLowerCase()));
  return search(value, (text) => wanted.has(text.toLowerCase())) ?? true;
}

/** Tells whether a value can be searched. What an anonymous request stores must be found when a user is erased. */
export const isReadable = (value: unknown): boolean => search(value, () => false) !== null;

/** Null: too deep or too large. Iterative, because a crafted value would exhaust the stack. */
function search(value: unknown, isWanted: (text: string) => boolean): boolean | null {
  const open: { readonly value: unknown; readonly depth: number; readonly tokens: number }[] = [{ value, depth: 0, tokens: 0 }];
  for (let seen = 0; ; seen++) {
    const next = open.pop();
    if (!next) return false;
    const { value, depth, tokens } = next;
    if (depth > MAX_DEPTH || tokens > MAX_TOKENS || seen > MAX_VALUES) return null;
    if (typeof value === "string") {
      if (isWanted(value)) return true;
      const content = contentOf(value);
      if (content === TOO_DEEP) return null;
      if (content !== undefined) open.push({ value: content, depth: depth + 1, tokens: tokens + 1 });
    } else if (typeof value === "object" && value !== null)
      for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1, tokens });
  }
}

/** The claims of what looks like a JWT, signed or not; undefined for any other text that is not nested too deeply. */
function contentOf(text: string): unknown {
  if (isTooDeepParameter(text)) return TOO_DEEP;
  const [, body] = /^eyJ[\w-]*\.(eyJ[\w-]*)\.[\w-]*$/.exec(text) ?? [];
  if (body === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  } catch {
    return undefined; // not JSON
  }
}
