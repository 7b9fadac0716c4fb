import { arAccount } from "./messages/account/ar.ts";
import { deAccount } from "./messages/account/de.ts";
import { type AccountMessages, enAccount } from "./messages/account/en.ts";
import { esAccount } from "./messages/account/es.ts";
import { frAccount } from "./messages/account/fr.ts";
import { itAccount } from "./messages/account/it.ts";
import { jaAccount } from "./messages/account/ja.ts";
import { nlAccount } from "./messages/account/nl.ts";
import { plAccount } from "./messages/account/pl.ts";
import { ptAccount } from "./messages/account/pt.ts";
import { svAccount } from "./messages/account/sv.ts";
import { ar } from "./messages/ar.ts";
import { de } from "./messages/de.ts";
import { en, type Messages as SignInMessages } from "./messages/en.ts";
import { es } from "./messages/es.ts";
import { fr } from "./messages/fr.ts";
import { it } from "./messages/it.ts";
import { ja } from "./messages/ja.ts";
import { nl } from "./messages/nl.ts";
import { pl } from "./messages/pl.ts";
import { pt } from "./messages/pt.ts";
import { sv } from "./messages/sv.ts";

/** Every text of the pages. A language without one of them does not compile. */
export type Messages = SignInMessages & AccountMessages;

/** The languages. A new one is a file in `messages/`, one in `messages/account/`, and a line here. */
const LANGUAGES = {
  en: { ...en, ...enAccount },
  nl: { ...nl, ...nlAccount },
  de: { ...de, ...deAccount },
  fr: { ...fr, ...frAccount },
  es: { ...es, ...esAccount },
  it: { ...it, ...itAccount },
  pt: { ...pt, ...ptAccount },
  pl: { ...pl, ...plAccount },
  sv: { ...sv, ...svAccount },
  ja: { ...ja, ...jaAccount },
  ar: { ...ar, ...arAccount },
} satisfies Record<string, Messages>;

export type Locale = keyof typeof LANGUAGES;

export const LOCALES = Object.keys(LANGUAGES) as readonly Locale[];

/** A realm's own versions of texts: by language, then by name. */
export type OwnTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The language of a page, and the own texts of its realm. */
export interface Spoken {
  readonly locale: Locale;
  readonly branding: { readonly texts?: OwnTexts | undefined } | null;
}

// The merged messages by the realm's own texts of a language, which are the same object as long as its settings live.
const merged = new WeakMap<object, Messages>();

export function messagesOf(page: Locale | Spoken): Messages {
  if (typeof page === "string") return LANGUAGES[page];
  const shipped = LANGUAGES[page.locale];
  const own = page.branding?.texts?.[page.locale];
  if (own === undefined) return shipped;
  const known = merged.get(own);
  if (known) return known;
  const texts = { ...shipped, ...own };
  merged.set(own, texts);
  return texts;
}

/** Writes a waiting time for people: seconds below one minute, then minutes, then hours, always rounded up. */
export function waitingTime(locale: Locale, seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  const [amount, unit] =
    whole < 60 ? [whole, "second"] : whole <= 5400 ? [Math.ceil(whole / 60), "minute"] : [Math.ceil(whole / 3600), "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

/** Writes “30 days” for people. */
export const daysText = (locale: Locale, days: number): string =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" }).format(days);

const PLURAL = /^\{([a-z]+), plural,((?:\s*[a-z]+\s*\{[^{}]*\})+)\s*\}$/;

/** Returns the forms of a text that depends on a number, in ICU's notation: `{count, plural, one {# code} other {# codes}}`. Returns null for other texts. */
export function pluralForms(text: string): { readonly name: string; readonly forms: Readonly<Record<string, string>> } | null {
  const [, name, forms] = PLURAL.exec(text) ?? [];
  if (name === undefined || forms === undefined) return null;
  return { name, forms: Object.fromEntries([...forms.matchAll(/([a-z]+)\s*\{([^{}]*)\}/g)].map(([, form, words]) => [form, words])) };
}

/** Returns a text with its number, in the form that the language requires. */
export function countedText(locale: Locale, text: string, count: number): string {
  const number = new Intl.NumberFormat(locale).format(count);
  const forms = pluralForms(text)?.forms;
  const form = forms && (forms[new Intl.PluralRules(locale).select(count)] ?? forms.other);
  return form === undefined ? text.replace("{count}", () => number) : form.replaceAll("#", () => number);
}
