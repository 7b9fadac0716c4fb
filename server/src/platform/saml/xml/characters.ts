/** XML 1.0 §2.2: what a document cannot carry at all, not even as a reference. Lone surrogates are among it. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** Most text is, and is told faster. */
const PRINTABLE_ASCII = /^[ -~]*$/;

export const isXmlText = (text: string): boolean => PRINTABLE_ASCII.test(text) || !FORBIDDEN.test(text);

const START =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";

/** Namespaces in XML §3: a name without a colon. */
export const NCNAME = `[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`;

const WHOLE_NCNAME = new RegExp(`^${NCNAME}$`, "u");

export const isNcName = (text: string): boolean => WHOLE_NCNAME.test(text);

/** Canonical XML 1.0 §2.3. */
export const escapeText = (text: string): string =>
  /[&<>\r]/.test(text) ? text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\r/g, "&#xD;") : text;

export const escapeAttribute = (value: string): string =>
  /[&<"\t\n\r]/.test(value)
    ? value
        .replace(/&/g, "&amp;")
        .replace(/</g, "&lt;")
        .replace(/"/g, "&quot;")
        .replace(/\t/g, "&#x9;")
        .replace(/\n/g, "&#xA;")
        .replace(/\r/g, "&#xD;")
    : value;

const SURROGATE = /[\uD800-\uDFFF]/;

/** Canonical XML sorts by code points; `<` of strings sorts by UTF-16 units, which differs above U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
