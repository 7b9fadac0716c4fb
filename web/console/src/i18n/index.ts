import { useSyncExternalStore } from "react";

/** English texts are their own keys. Another language is a map from them, and a check fails if a text is missing. */
type Texts = Readonly<Record<string, string>>;

export const languages = { en: "English", nl: "Nederlands" } as const;
export type Language = keyof typeof languages;

const KEY = "gatehouse.language";
const listeners = new Set<() => void>();
let language: Language = initialLanguage();
let texts: Texts = {};

function initialLanguage(): Language {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return (wanted.find((tag): tag is Language => tag !== undefined && tag in languages) ?? "en") as Language;
}

/** The texts that help to fill in a form. They are many, so they come with the first form and not with the first page. */
let help: Texts = {};
let asked: { readonly language: Language; readonly done: Promise<void> } | null = null;

const load = async (wanted: Language): Promise<Texts> => (wanted === "nl" ? (await import("./nl.ts")).nl : {});

async function readHelp(): Promise<void> {
  try {
    help = language === "nl" ? (await import("./nl.help.ts")).help : {};
    changed();
  } catch (error) {
    asked = null;
    throw error;
  }
}

/** Loads the help texts of forms. */
export function loadHelp(): Promise<void> {
  if (asked?.language !== language) asked = { language, done: readHelp() };
  return asked.done;
}

/** Loads the language of the browser. */
export const begin = () => choose(language);

/** Changes the language. With `lasting`, this browser keeps it, whatever language it asks for. */
export async function choose(wanted: Language, lasting = false): Promise<void> {
  texts = await load(wanted);
  language = wanted;
  if (lasting) localStorage.setItem(KEY, wanted);
  document.documentElement.lang = wanted;
  changed();
  if (asked) await loadHelp();
}

let version = 0;
function changed(): void {
  version += 1;
  for (const listener of listeners) listener();
}

/** Returns the text in the current language, with `{name}` replaced. */
export function translate(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return (texts[text] ?? help[text] ?? text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export type Translate = typeof translate;

/** Returns the translation function, and renders the component again when the language changes. */
export function useText(): Translate {
  useSyncExternalStore(subscribe, () => version);
  return translate;
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => language);
}
