import { scimError } from "../errors.ts";

export type Token =
  | { readonly kind: "(" | ")" | "[" | "]" }
  /** An attribute, an operator or a constant: they differ by where they stand. */
  | { readonly kind: "word"; readonly text: string }
  /** A sub-attribute behind a value filter: `].value`. */
  | { readonly kind: "sub"; readonly text: string }
  | { readonly kind: "value"; readonly value: string | number };

/** More than any provisioning client sends; what follows is at most linear in it. */
const MAX_LENGTH = 4096;

export const invalidFilter = (message: string) => scimError("invalidFilter", `filter: ${message}`);

// Sticky: each token is matched where the one before it ended, and nowhere else.
const TOKEN =
  /\s*(?:([()[\]])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])|\.([A-Za-z$][\w$-]*)|([A-Za-z$][\w$.:-]*))/uy;

/** RFC 7644 §3.4.2.2: the tokens of a filter. Texts are JSON strings. */
export function tokensOf(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw invalidFilter(`longer than ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end; ) {
    TOKEN.lastIndex = at;
    const [all, bracket, quoted, number, sub, word] = TOKEN.exec(text) ?? [];
    if (all === undefined) throw invalidFilter(`cannot be read at character ${at + 1}`);
    at = TOKEN.lastIndex;
    if (bracket !== undefined) tokens.push({ kind: bracket as "(" });
    else if (quoted !== undefined) tokens.push({ kind: "value", value: JSON.parse(quoted) as string });
    else if (number !== undefined) tokens.push({ kind: "value", value: Number(number) });
    else if (sub !== undefined) tokens.push({ kind: "sub", text: sub });
    else tokens.push({ kind: "word", text: word! });
  }
  return tokens;
}
