import { MessageError } from "../driver.ts";

/** The body of a request to a gateway, in the form that an administrator writes: `{"phone": "{{to}}", "message": "{{text}}"}`. */
type ContentType = "json" | "form";
export type Values = Readonly<Record<string, string | null>>;

/** Spaces are trimmed apart: an expression with three quantifiers for them would try every division of many spaces. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export const mediaType: Record<ContentType, string> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
};

/** Escapes a placeholder's value, so that it cannot leave its string or field. */
const escaping: Record<ContentType, (value: string) => string> = {
  json: (value) => JSON.stringify(value).slice(1, -1),
  // Encodes like a form, including %0A and +. URLSearchParams also repairs lone surrogates, for which encodeURIComponent would throw.
  form: (value) => new URLSearchParams({ v: value }).toString().slice("v=".length),
};

/** The characters that placeholders may be filled with. A template may repeat a long one a thousand times. */
const MAX_FILLED = 16 * 1024 * 1024;

/** Fills in the values in one pass, so that a placeholder inside a value is never replaced. */
export function fillIn(template: string, contentType: ContentType, values: Values): string {
  let filled = 0;
  return template.replace(PLACEHOLDER, (_all, name: string) => {
    const value = values[name.trim()] ?? "";
    filled += value.length;
    if (filled > MAX_FILLED) throw new MessageError("rejected", new Error("the body is too long when it is filled in"));
    return escaping[contentType](value);
  });
}

/** Returns the body without a template: every value under its own name. */
export const plainBody = (contentType: ContentType, values: Values): string =>
  contentType === "json"
    ? JSON.stringify(values)
    : new URLSearchParams(Object.entries(values).map(([name, value]) => [name, value ?? ""])).toString();

/** Returns the error in a template, or null if there is none. */
export function faultOf(template: string, contentType: ContentType, names: readonly string[]): string | null {
  const used = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
  const unknown = [...new Set(used.filter((name) => !names.includes(name)))];
  if (unknown.length > 0) {
    const shown = unknown.slice(0, 5).map((name) => `{{${name}}}`);
    return `config.body has no use for ${shown.join(", ")}: it knows ${names.map((name) => `{{${name}}}`).join(", ")}`;
  }
  if (contentType === "form")
    return /[\s\p{Cc}]/u.test(template.replace(PLACEHOLDER, "")) ? "config.body must be one line, name=value&name=value" : null;
  // `x` alone is no JSON, so a placeholder outside of quotes is an error too.
  const filled = fillIn(template, "json", Object.fromEntries(names.map((name) => [name, "x"])));
  try {
    JSON.parse(filled);
    return null;
  } catch {
    return 'config.body must be JSON once it is filled in, with every placeholder inside quotes: {"phone": "{{to}}"}';
  }
}
