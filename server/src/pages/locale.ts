import { LOCALES, type Locale, messagesOf } from "./messages.ts";

export interface LocaleWishes {
  /** The languages that the user just chose on the page, or that the request names: separated by spaces, the best first. */
  readonly query?: string | undefined;
  /** The user's earlier choice. */
  readonly cookie?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly realmDefault: string;
}

// The longest header that is parsed, because callers control it.
const MAX_LENGTH = 512;
const MAX_RANGES = 16;
const RANGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i;

/** Returns the language of a page: the one chosen on it, the remembered choice, the browser's, or the realm's. */
export function pickLocale(wishes: LocaleWishes): Locale {
  const accepted = acceptedRanges(wishes.acceptLanguage);
  for (const range of [...tags(wishes.query), ...tags(wishes.cookie), ...accepted, ...tags(wishes.realmDefault)]) {
    const found = lookup(range);
    if (found) return found;
  }
  return "en";
}

const tags = (list: string | undefined): string[] =>
  (list ?? "")
    .slice(0, MAX_LENGTH)
    .split(/\s+/, MAX_RANGES)
    .filter((tag) => RANGE.test(tag));

// Parses ranges with weights (RFC 9110 §12.5.4). A range with weight 0 is not wanted.
function acceptedRanges(header: string | undefined): string[] {
  return (header ?? "")
    .slice(0, MAX_LENGTH)
    .split(",", MAX_RANGES)
    .map((part) => {
      const [range = "", ...parameters] = part.split(";", 4).map((piece) => piece.trim());
      const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? "1";
      return { range, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
    })
    .filter(({ range, weight }) => weight > 0 && RANGE.test(range))
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
}

// Finds a language (RFC 4647 §3.4) by shortening the range from its end until it fits. A single letter never stays last.
function lookup(range: string): Locale | undefined {
  const subtags = range.toLowerCase().split("-");
  while (subtags.length > 0) {
    const found = LOCALES.find((locale) => locale === subtags.join("-"));
    if (found) return found;
    subtags.pop();
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return undefined;
}

const RTL_LANGUAGES = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]);
const RTL_SCRIPTS = new Set(["adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"]);

/** Returns the writing direction of a language tag: by its script if it names one, otherwise by its language. */
export function dirOf(locale: string): "ltr" | "rtl" {
  const [language = "", ...rest] = locale.toLowerCase().split("-");
  const script = rest.find((subtag) => /^[a-z]{4}$/.test(subtag));
  return (script ? RTL_SCRIPTS.has(script) : RTL_LANGUAGES.has(language)) ? "rtl" : "ltr";
}

export interface LanguageLink {
  readonly locale: string;
  readonly label: string;
  readonly href: string;
}

/** Returns the language links of a page, each named in its own language. */
export const languageLinks = (hrefOf: (locale: Locale) => string): LanguageLink[] =>
  LOCALES.map((locale) => ({ locale, label: messagesOf(locale).languageName, href: hrefOf(locale) }));
