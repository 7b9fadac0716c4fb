import { isCleanText } from "./text.ts";

/** The deepest nesting that is accepted. It exceeds every legitimate value; recursive code would exhaust the stack at a few thousand levels. */
export const MAX_JSON_DEPTH = 100;

/** Tells whether a value is a JSON object: no list, and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a JSON object. Returns null for any other text. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // not JSON
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Tells whether a text, if it is JSON, is nested too deeply to be processed. It reads the text once, without recursion. */
export function isTooDeep(json: string): boolean {
  // Each level takes two brackets, so a short text cannot be too deep.
  if (json.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_JSON_DEPTH) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return false;
}

/**
 * Returns the path of the first member that its object has twice, or null. Parsers differ about which one counts (RFC 8259 §4), so another system, such as a
 * gateway, could have judged the other. The text must be JSON.
 */
export function repeatedMember(json: string): string | null {
  // The objects and lists around the position. A list counts its commas.
  const around: { readonly names: Set<string> | null; at: string | number }[] = [];
  let inner: (typeof around)[number] | undefined;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(json, at + 1);
        if (inner?.names && isName(json, end)) {
          inner.at = textIn(json.slice(at, end + 1));
          if (inner.names.has(inner.at)) return around.map((one) => one.at).join(".");
          inner.names.add(inner.at);
        }
        at = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        inner = { names: json.charCodeAt(at) === 0x7b ? new Set() : null, at: 0 };
        around.push(inner);
        break;
      case 0x2c: // ,
        if (inner?.names === null) inner.at = Number(inner.at) + 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        around.pop();
        inner = around.at(-1);
    }
  }
  return null;
}

/** Tells whether the string that ends here is the name of a member: a colon follows. */
function isName(json: string, end: number): boolean {
  let at = end + 1;
  while (json.charCodeAt(at) <= 0x20) at++;
  return json.charCodeAt(at) === 0x3a;
}

const textIn = (quoted: string): string => (quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1));

/** Returns the position of the closing quote, or the end of the text. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

/** Returns the top-level members that are nested too deeply, or none if the value is no object. */
export function tooDeepMembers(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (isDeeper(member, MAX_JSON_DEPTH - 1) ? [name] : []));
}

function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? [each as object] : []));
    if (level.length === 0) return false;
    if (depth === levels) return true;
    level = level.flatMap((each) => Object.values(each as object));
  }
  return false;
}

/** Tells whether a parameter is nested too deeply: as JSON, or as a JWT whose header or claims are. */
export function isTooDeepParameter(text: string): boolean {
  return text.length > 2 * MAX_JSON_DEPTH && jsonOf(text).some(isTooDeep);
}

/** Returns the texts that may be JSON: the parameter itself and, if it may be a JWT, its header and claims. */
const jsonOf = (text: string): readonly string[] => [text, ...jwtParts(text)];

/** Returns the header and the claims of a text that may be a JWT. Their JSON may begin with a space, so the first letters do not tell. */
export function jwtParts(text: string): readonly string[] {
  const parts = text.split(".", 5);
  return parts.length < 3 ? [] : parts.slice(0, 2).map((part) => Buffer.from(part, "base64url").toString("utf8"));
}

/** Returns the reason why a parameter cannot be processed: its depth, or a character that cannot be stored, even as an escape in JSON. */
export function faultOfParameter(text: string): "too_deep" | "text" | undefined {
  if (isTooDeepParameter(text)) return "too_deep";
  const isClean = isCleanText(text) && jsonOf(text).every((json) => !json.includes("\\u") || isCleanJson(json));
  return isClean ? undefined : "text";
}

function isCleanJson(json: string): boolean {
  try {
    return isCleanValue(JSON.parse(json));
  } catch {
    return true; // it is not JSON, so its escapes remain text
  }
}

function isCleanValue(value: unknown): boolean {
  // A string in it may be JSON again.
  if (typeof value === "string") return faultOfParameter(value) === undefined;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isCleanText(name) && isCleanValue(member));
}

/** Returns the same text for equal values, whatever the order of their members: the database stores JSON in its own order. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1))) : member,
  );
