import { isTooDeepParameter, jwtParts, MAX_JSON_DEPTH } from "../../kernel/json.ts";
import { isCleanText } from "../../kernel/text.ts";
import { isPersonMember, type PersonNames } from "../../platform/db/index.ts";

/** The depth to which JWTs may be nested: a request object, and the `id_token_hint` in it. */
const MAX_TOKENS = 4;
/** The depth to which JSON may be nested, including JWTs and the engine's own members around a parameter. */
const MAX_DEPTH = 2 * MAX_JSON_DEPTH;
const MAX_VALUES = 10_000;
const TOO_DEEP = Symbol("too deep");

/**
 * Tells whether a value names a user, also inside JWTs, which are not verified. A value that is too deep or too large to search counts as a match:
 * erasing a user must neither fail nor leave data behind.
 */
export function namesPerson(value: unknown, { ids, names }: PersonNames): boolean {
  const lower = (texts: readonly string[]) => new Set(texts.map((text) => text.toLowerCase()));
  const [known, named] = [lower(ids), lower(names)];
  return search(value, (text, isPerson) => known.has(text.toLowerCase()) || (isPerson && named.has(text.toLowerCase()))) ?? true;
}

/** Tells whether a value can be stored and searched. A name that an anonymous request stores must be found when a user is erased. */
export const isReadable = (value: unknown): boolean => search(value, (text) => !isCleanText(text)) === false;

interface Open {
  readonly value: unknown;
  readonly depth: number;
  readonly tokens: number;
  /** True if the value is in a member that can name a user. */
  readonly isPerson: boolean;
}

/** Searches a value. Returns null if it is too deep or too large. Iterates, because a crafted value would exhaust the stack. */
function search(value: unknown, isWanted: (text: string, isPerson: boolean) => boolean): boolean | null {
  const open: Open[] = [{ value, depth: 0, tokens: 0, isPerson: false }];
  for (let seen = 0; ; seen++) {
    const next = open.pop();
    if (!next) return false;
    const { value, depth, tokens, isPerson } = next;
    if (depth > MAX_DEPTH || tokens > MAX_TOKENS || seen > MAX_VALUES) return null;
    if (typeof value === "string") {
      if (isWanted(value, isPerson)) return true;
      const content = contentOf(value);
      if (content === TOO_DEEP) return null;
      if (content !== undefined) open.push({ value: content, depth: depth + 1, tokens: tokens + 1, isPerson: false });
    } else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value))
        open.push({ value: member, depth: depth + 1, tokens, isPerson: isPerson || isPersonMember(name) });
  }
}

/** Returns the claims of a text that looks like a JWT, signed or not, and undefined for other texts that are not nested too deeply. */
function contentOf(text: string): unknown {
  if (isTooDeepParameter(text)) return TOO_DEEP;
  const [, claims] = jwtParts(text);
  if (claims === undefined) return undefined;
  try {
    return JSON.parse(claims);
  } catch {
    return undefined; // not JSON
  }
}
