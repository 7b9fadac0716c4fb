import { isCleanText } from "../../../kernel/text.ts";
import { scimError } from "../errors.ts";
import type { Attribute, ResourceType } from "../schema/attribute.ts";
import { type AttributePath, findAttribute } from "../schema/paths.ts";

export type Token =
  | { readonly kind: "(" | ")" | "[" | "]" }
  /** An attribute, an operator or a constant. Their position tells them apart. */
  | { readonly kind: "word"; readonly text: string }
  /** A sub-attribute after a value filter: `].value`. */
  | { readonly kind: "sub"; readonly text: string }
  | { readonly kind: "value"; readonly value: string | number };

/** The longest filter, longer than any that provisioning clients send. Parsing takes at most linear time. */
const MAX_LENGTH = 4096;

export const invalidFilter = (message: string) => scimError("invalidFilter", `filter: ${message}`);

// The pattern is sticky: each token is matched where the one before it ended, and nowhere else.
const TOKEN =
  /\s*(?:([()[\]])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])|\.([A-Za-z$][\w$-]*)|([A-Za-z$][\w$.:-]*))/uy;

/** RFC 7644 §3.4.2.2: splits a filter into tokens. Texts are JSON strings. */
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
    else if (quoted !== undefined) tokens.push({ kind: "value", value: textOf(quoted) });
    else if (number !== undefined) tokens.push({ kind: "value", value: Number(number) });
    else if (sub !== undefined) tokens.push({ kind: "sub", text: sub });
    else tokens.push({ kind: "word", text: word! });
  }
  return tokens;
}

/** Reads a text. Refuses a NUL or half a surrogate pair, however it is written, because no stored value contains one. */
function textOf(quoted: string): string {
  const text = JSON.parse(quoted) as string;
  if (!isCleanText(text)) throw invalidFilter("a text holds a NUL or half a surrogate pair");
  return text;
}

export const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof operators)[number];
export type Comparable = string | number | boolean | null;

export type Filter =
  | { readonly is: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly is: "not"; readonly of: Filter }
  | { readonly is: "compare"; readonly path: AttributePath; readonly by: Operator; readonly value: Comparable }
  | { readonly is: "present"; readonly path: AttributePath }
  /** True if one element of a multi-valued attribute matches all of `of`, whose paths are its sub-attributes. */
  | { readonly is: "element"; readonly path: AttributePath; readonly of: Filter };

const MAX_DEPTH = 16;
const MAX_TERMS = 64;

type Resolve = (name: string) => AttributePath | undefined;

/** RFC 7644 §3.4.2.2, figure 1: parses a filter. `not` binds more tightly than `and`, and `and` more tightly than `or`. */
export const parseFilter = (type: ResourceType, text: string): Filter => parserOf(text, (name) => findAttribute(type, name)).whole();

/** Parses the filter in the brackets of a path, which is about the sub-attributes of one attribute. */
export const parseValueFilter = (attribute: Attribute, text: string): Filter => parserOf(text, subAttributesOf(attribute)).whole();

const subAttributesOf =
  (attribute: Attribute): Resolve =>
  (name) => {
    const sub = (attribute.subAttributes ?? []).find((each) => each.name.toLowerCase() === name.toLowerCase());
    return sub && { extension: null, attribute: sub, sub: null };
  };

function parserOf(text: string, resolveOutside: Resolve) {
  const tokens = tokensOf(text);
  let at = 0;
  let depth = 0;
  let terms = 0;
  let resolve = resolveOutside;

  const peek = (): Token | undefined => tokens[at];
  const isWord = (token: Token | undefined, word: string): boolean => token?.kind === "word" && token.text.toLowerCase() === word;
  const expect = (kind: Token["kind"], what: string): void => {
    if (tokens[at++]?.kind !== kind) throw invalidFilter(what);
  };
  const nested = <T>(read: () => T): T => {
    if (++depth > MAX_DEPTH) throw invalidFilter(`nested deeper than ${MAX_DEPTH} levels`);
    const result = read();
    depth--;
    return result;
  };

  const joined = (is: "and" | "or", part: () => Filter): Filter => {
    const parts = [part()];
    while (isWord(peek(), is)) {
      at++;
      parts.push(part());
    }
    return parts.length === 1 ? parts[0]! : { is, parts };
  };
  const disjunction = (): Filter => joined("or", conjunction);
  const conjunction = (): Filter => joined("and", factor);

  const inParentheses = (): Filter =>
    nested(() => {
      expect("(", "`not` is followed by a filter in parentheses");
      const inner = disjunction();
      expect(")", "a closing parenthesis is missing");
      return inner;
    });

  const factor = (): Filter => {
    const token = peek();
    if (token?.kind === "(") return inParentheses();
    if (isWord(token, "not") && tokens[at + 1]?.kind === "(") {
      at++;
      return { is: "not", of: inParentheses() };
    }
    return term();
  };

  const term = (): Filter => {
    if (++terms > MAX_TERMS) throw invalidFilter(`has more than ${MAX_TERMS} terms`);
    const token = tokens[at++];
    if (token?.kind !== "word") throw invalidFilter("an attribute is missing");
    const path = resolve(token.text);
    if (!path) throw invalidFilter(`there is no attribute ${token.text}`);
    if (path.attribute.returned === "never") throw invalidFilter(`${token.text} cannot be used in a filter`);
    if (peek()?.kind === "[") return elementOf(path);
    return comparison(path);
  };

  /** Parses `emails[type eq "work"]`, and `emails[type eq "work"].value eq "x"`, by which Microsoft Entra finds users. */
  const elementOf = (path: AttributePath): Filter => {
    if (path.sub || !path.attribute.subAttributes) throw invalidFilter(`${path.attribute.name} has no sub-attributes`);
    if (resolve !== resolveOutside) throw invalidFilter("a filter in brackets cannot hold another");
    at++;
    resolve = subAttributesOf(path.attribute);
    const inner = nested(disjunction);
    expect("]", "a closing bracket is missing");
    const behind = peek();
    const parts = [inner];
    if (behind?.kind === "sub") {
      at++;
      const sub = resolve(behind.text);
      if (!sub) throw invalidFilter(`${path.attribute.name} has no sub-attribute ${behind.text}`);
      parts.push(comparison(sub));
    }
    resolve = resolveOutside;
    return { is: "element", path, of: parts.length === 1 ? inner : { is: "and", parts } };
  };

  const comparison = (path: AttributePath): Filter => {
    const token = tokens[at++];
    const word = token?.kind === "word" ? token.text.toLowerCase() : "";
    if (word === "pr") return { is: "present", path };
    const by = operators.find((each) => each === word);
    if (!by) throw invalidFilter(`${path.attribute.name} is not followed by an operator`);
    return { is: "compare", path, by, value: comparable(path, by) };
  };

  const comparable = (path: AttributePath, by: Operator): Comparable => {
    const token = tokens[at++];
    if (token?.kind === "value") return fitting(path, by, token.value);
    if (isWord(token, "true") || isWord(token, "false")) return fitting(path, by, isWord(token, "true"));
    if (isWord(token, "null")) return fitting(path, by, null);
    throw invalidFilter(`${by} is not followed by a value: texts are in double quotes`);
  };

  return {
    whole(): Filter {
      const filter = disjunction();
      if (at < tokens.length) throw invalidFilter("something follows the filter");
      return filter;
    },
  };
}

/** Returns the attribute whose values are compared. For a complex one it is `value`. */
export const comparedAttribute = ({ attribute, sub }: AttributePath): Attribute | undefined =>
  sub ?? (attribute.type === "complex" ? attribute.subAttributes?.find(({ name }) => name === "value") : attribute);

/** RFC 7644 §3.4.2.2: converts a value for its attribute. A boolean has no order. Microsoft Entra sends the text "True". */
function fitting(path: AttributePath, by: Operator, value: Comparable): Comparable {
  const compared = comparedAttribute(path);
  if (!compared) throw invalidFilter(`${path.attribute.name} is complex: compare one of its sub-attributes`);
  const isEquality = by === "eq" || by === "ne";
  if (value === null) {
    if (isEquality) return null;
    throw invalidFilter(`null cannot be compared by ${by}`);
  }
  if (compared.type === "boolean") {
    const text = String(value).toLowerCase();
    if (!isEquality || (text !== "true" && text !== "false")) throw invalidFilter(`${compared.name} is compared by eq with true or false`);
    return text === "true";
  }
  if (compared.type === "dateTime" && Number.isNaN(Date.parse(String(value)))) throw invalidFilter(`${compared.name} is a time`);
  return typeof value === "boolean" ? String(value) : value;
}
