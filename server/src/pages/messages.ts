import { deAccount } from "./messages/account/de.ts";
import { type AccountMessages, enAccount } from "./messages/account/en.ts";
import { esAccount } from "./messages/account/es.ts";
import { frAccount } from "./messages/account/fr.ts";
import { nlAccount } from "./messages/account/nl.ts";
import { de } from "./messages/de.ts";
import { en, type Messages as SignInMessages } from "./messages/en.ts";
import { es } from "./messages/es.ts";
import { fr } from "./messages/fr.ts";
import { nl } from "./messages/nl.ts";

/** Every text of the pages. A language that misses one does not compile. */
export type Messages = SignInMessages & AccountMessages;

/** The languages. A new one is a file in `messages/`, one in `messages/account/`, and a line here. */
const LANGUAGES = {
  en: { ...en, ...enAccount },
  nl: { ...nl, ...nlAccount },
  de: { ...de, ...deAccount },
  fr: { ...fr, ...frAccount },
  es: { ...es, ...esAccount },
} satisfies Record<string, Messages>;

export type Locale = keyof typeof LANGUAGES;

export const LOCALES = Object.keys(LANGUAGES) as readonly Locale[];

export const messagesOf = (locale: Locale): Messages => LANGUAGES[locale];

/** A waiting time as people say it: seconds below one minute, else minutes, else hours, always rounded up. */
export function waitingTime(locale: Locale, seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  const [amount, unit] =
    whole < 60 ? [whole, "second"] : whole <= 5400 ? [Math.ceil(whole / 60), "minute"] : [Math.ceil(whole / 3600), "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

/** “30 days”, as people say it. */
export const daysText = (locale: Locale, days: number): string =>
  new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" }).format(days);
