import { isCleanText } from "./text.ts";

/** Deeper than any legitimate value. Recursive code would exhaust the stack at a few thousand levels. */
export const MAX_JSON_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Tells whether a text, if it is JSON, is nested too deeply to be worked with. Reads it once, without calling itself. */
export function isTooDeep(json: string): boolean {
  // Each level takes two brackets.
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

/** The position of the closing quote, or the end of the text. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

/** The top-level members that are nested too deeply; none for a value that is no object. */
export function tooDeepMembers(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
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

/** Checks the depth of a parameter: JSON, or a JWT whose header or claims are JSON. */
export function isTooDeepParameter(text: string): boolean {
  return text.length > 2 * MAX_JSON_DEPTH && jsonOf(text).some(isTooDeep);
}

/** A parameter is JSON, or a JWT whose header and claims are. */
const jsonOf = (text: string): readonly string[] => [text, ...jwtParts(text)];

/** The header and the claims of what may be a JWT. Their JSON may begin with a space, so the first letters do not tell. */
export function jwtParts(text: string): readonly string[] {
  const parts = text.split(".", 5);
  return parts.length < 3 ? [] : parts.slice(0, 2).map((part) => Buffer.from(part, "base64url").toString("utf8"));
}

/** Tells why a parameter cannot be processed: its depth, or a character that cannot be stored, also one that JSON in it writes as an escape. */
export function faultOfParameter(text: string): "too_deep" | "text" | undefined {
  if (isTooDeepParameter(text)) return "too_deep";
  const isClean = isCleanText(text) && jsonOf(text).every((json) => !json.includes("\\u") || isCleanJson(json));
  return isClean ? undefined : "text";
}

function isCleanJson(json: string): boolean {
  try {
    return isCleanValue(JSON.parse(json));
  } catch {
    return true; // not JSON: what it writes stays as it is
  }
}

function isCleanValue(value: unknown): boolean {
  // A text may be JSON again.
  if (typeof value === "string") return faultOfParameter(value) === undefined;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isCleanText(name) && isCleanValue(member));
}

/** Equal values have the same text, in whatever order their members come: the database keeps JSON in an order of its own. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
