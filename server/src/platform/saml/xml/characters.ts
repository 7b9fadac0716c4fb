/** Characters that a document cannot contain, not even as a reference (XML 1.0 §2.2). Lone surrogates are among them. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** Most text is ASCII, for which this test is faster. */
const PRINTABLE_ASCII = /^[ -~]*$/;

export const isXmlText = (text: string): boolean => PRINTABLE_ASCII.test(text) || !FORBIDDEN.test(text);

/** Removes characters that XML cannot contain, for names that are shown to users. */
export const carriable = (text: string): string => (isXmlText(text) ? text : [...text].filter(isXmlText).join(""));

const START =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";

/** Namespaces in XML §3: a name without a colon. */
export const NCNAME = `[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`;

const WHOLE_NCNAME = new RegExp(`^${NCNAME}$`, "u");

export const isNcName = (text: string): boolean => WHOLE_NCNAME.test(text);

/** Returns an escape function that works in one pass: a chain of replacements would read the text once for each. */
function escaping(references: Readonly<Record<string, string>>): (text: string) => string {
  const found = new RegExp(`[${Object.keys(references).join("")}]`);
  return (text) => {
    const first = text.search(found);
    if (first < 0) return text;
    let escaped = "";
    let from = 0;
    for (let i = first; i < text.length; i++) {
      const reference = references[text[i]!];
      if (reference === undefined) continue;
      escaped += text.slice(from, i) + reference;
      from = i + 1;
    }
    return escaped + text.slice(from);
  };
}

/** Canonical XML 1.0 §2.3. */
export const escapeText = escaping({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" });

export const escapeAttribute = escaping({ "&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;" });

const SURROGATE = /[\uD800-\uDFFF]/;

/** Compares by code points, by which Canonical XML sorts. `<` compares strings by UTF-16 units, which differs above U+FFFF. */
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
