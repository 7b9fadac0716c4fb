import { cut } from "../../kernel/text.ts";

/** The placeholders besides `user.<attribute>`. The template's key decides which of them exist. */
const placeholderNames = [
  ...(["realm", "code", "ttl", "user", "link", "organization", "agent", "browser", "address", "time"] as const),
  ...(["brand", "brandColor", "brandText", "brandDarkColor", "brandDarkText"] as const),
] as const;
export type PlaceholderName = (typeof placeholderNames)[number];

/** A part of a template: literal text, or the name of a value. */
export type Part = string | Slot;
export interface Slot {
  readonly name: string;
  /** True in a link's address: the value is a part of that address, and must remain one. */
  readonly inUrl?: boolean;
  /** True in the text of HTML, where the brand is shown as its logo. */
  readonly isMark?: boolean;
  /** True where no value is allowed. The placeholder is rendered as nothing. */
  readonly isWithheld?: boolean;
}

export type Values = (name: string) => string;

/** The placeholders of every mail: the realm's logo or name, and colours, which are always #rrggbb. */
export const brandPlaceholders = ["brand", "brandColor", "brandText", "brandDarkColor", "brandDarkText"] as const;
const COLORS: ReadonlySet<string> = new Set(brandPlaceholders.slice(1));
export const isColor = (name: string): boolean => COLORS.has(name);

// The characters that the name of a user's attribute may contain (see `attributes` of a user).
const ATTRIBUTE = /^user\.[A-Za-z0-9_.:-]{1,128}$/;
const MAX_FAULTS = 20;

export const isPlaceholder = (name: string): boolean => ATTRIBUTE.test(name) || (placeholderNames as readonly string[]).includes(name);

/** Splits a template at its placeholders, in one pass. `fault` is called with each error. */
export function parseTemplate(text: string, allowed: readonly PlaceholderName[], fault: (message: string) => void): Part[] {
  const parts: Part[] = [];
  const unknown = new Set<string>();
  let from = 0;
  let faults = 0;
  const report = (message: string) => {
    if (faults++ < MAX_FAULTS) fault(message);
  };
  for (;;) {
    const open = text.indexOf("{{", from);
    if (open < 0) break;
    const close = text.indexOf("}}", open + 2);
    if (close < 0) {
      report(`“${shown(text.slice(open))}” opens a placeholder with {{ that no }} closes`);
      break;
    }
    const name = text.slice(open + 2, close).trim();
    if (open > from) parts.push(text.slice(from, open));
    from = close + 2;
    if (name.includes("{")) report(`“{{${shown(name)}}}” has braces inside a placeholder: they cannot be nested`);
    else if (name === "") report("“{{ }}” is a placeholder without a name");
    else if (!isPlaceholder(name) || !(name.startsWith("user.") || allowed.includes(name as PlaceholderName))) {
      if (!unknown.has(name)) report(`“{{${shown(name)}}}” is not known here: this message has ${listed(allowed)}`);
      unknown.add(name);
    } else parts.push({ name });
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

const shown = (text: string) => (text.length > 40 ? `${cut(text, 40)}…` : text);
const listed = (allowed: readonly string[]) => `${allowed.map((name) => `{{${name}}}`).join(", ")} and {{user.<attribute>}}`;

// Control characters, the two line breaks of Unicode, and characters that change the direction of the surrounding text.
const UNSEEN = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** Turns a value into one line of visible text, so that it cannot begin a header, a line or a paragraph. */
export const oneLine = (value: string): string => value.toWellFormed().replace(UNSEEN, " ");

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escapeHtml = (value: string): string => value.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Inserts values unchanged: a placeholder inside a value remains text. */
export const renderText = (parts: readonly Part[], values: Values): string =>
  parts.map((part) => (typeof part === "string" ? part : oneLine(values(part.name)))).join("");

/** Inserts values as HTML. `mark` is the brand as HTML. */
export const renderHtml = (parts: readonly Part[], values: Values, mark?: string): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.isWithheld) return "";
      if (part.isMark && mark !== undefined) return mark;
      const value = oneLine(values(part.name));
      return escapeHtml(part.inUrl ? encodeURIComponent(value) : value);
    })
    .join("");
