import { didYouMean } from "../kernel/suggest.ts";
import { LOCALES, type Locale, messagesOf, type OwnTexts, pluralForms } from "./messages.ts";

export interface TextFault {
  /** The language, or the language and the name of the text. */
  readonly path: string;
  readonly message: string;
}

// Controls, line separators, and characters that reorder the text around them.
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** Texts of earlier releases. A realm may still have words for them, which no page shows. */
const FORMER: ReadonlySet<string> = new Set([
  ...["accountFirstName", "accountLastName", "invitationPasswordAgain", "lockedOutText", "movedOnText", "movedOnTitle"],
  "registerPasswordAgain",
]);

const namesIn = (text: string): string[] => [
  ...(pluralForms(text) ? [pluralForms(text)!.name] : [...text.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name!)),
];

/** Returns the reasons why a realm's own texts cannot be used: an unknown language or text, or a placeholder that the text does not have. */
export function ownTextFaults(texts: OwnTexts): TextFault[] {
  return Object.entries(texts).flatMap(([locale, own]) => {
    const spoken = LOCALES.find((known) => known === locale);
    if (spoken === undefined) return [{ path: locale, message: `no page has this language; the languages are ${LOCALES.join(", ")}` }];
    return Object.entries(own).flatMap(([key, text]) => {
      const message = faultOf(spoken, key, text);
      return message === null ? [] : [{ path: `${locale}.${key}`, message }];
    });
  });
}

function faultOf(locale: Locale, key: string, text: string): string | null {
  if (FORMER.has(key)) return null;
  const shipped = messagesOf(locale);
  if (!Object.hasOwn(shipped, key)) return `there is no such text.${didYouMean(key, Object.keys(shipped))}`;
  if (text.trim() === "" || UNSEEN.test(text)) return "it must be one line of visible characters";
  const allowed = namesIn(shipped[key as keyof typeof shipped]);
  const plural = pluralForms(text);
  if (plural && !allowed.includes(plural.name)) return `it is not given the number {${plural.name}}`;
  if (plural && plural.forms.other === undefined) return "a plural needs the form other";
  const unknown = plural
    ? undefined
    : text.replaceAll(/\{([a-z]+)\}/g, (whole, name) => (allowed.includes(name) ? "" : whole)).match(/\{[^}]*\}?|\}/);
  if (!unknown) return null;
  const values = allowed.map((name) => `{${name}}`).join(", ");
  return `it is not given ${unknown[0]}; ${values === "" ? "it has no values" : `its values are ${values}`}`;
}

/** Returns the shipped texts of a language by their names. */
export const shippedTexts = (locale: Locale): Readonly<Record<string, string>> => messagesOf(locale);
