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

/** Texts that are loaded when the first of them is needed, once for each language. */
function laterTexts<T>(none: T, read: () => Promise<T>) {
  let asked: { readonly language: Language; readonly done: Promise<void> } | null = null;
  const part = {
    current: none,
    get isWanted() {
      return asked !== null;
    },
    load(): Promise<void> {
      if (asked?.language !== language) asked = { language, done: start() };
      return asked.done;
    },
  };
  async function start(): Promise<void> {
    try {
      part.current = language === "nl" ? await read() : none;
      changed();
    } catch (error) {
      asked = null;
      throw error;
    }
  }
  return part;
}

const load = async (wanted: Language): Promise<Texts> => (wanted === "nl" ? (await import("./nl.ts")).nl : {});

/** The texts that help to fill in a form. They are many, so they come with the first form and not with the first page. */
const help = laterTexts<Texts>({}, async () => (await import("./nl.help.ts")).help);

/** The sentences of the server: errors, states and results. They come with the first one. */
const sentences = laterTexts<(sentence: string) => string | null>(
  () => null,
  async () => {
    const [{ translator }, { sentences }] = await Promise.all([import("./sentences.ts"), import("./nl.sentences.ts")]);
    return translator(sentences);
  },
);

/** Loads the help texts of forms. */
export const loadHelp = () => help.load();

/** Loads the sentences of the server. If that fails, they are shown as they came. */
export const loadSentences = async () => {
  if (language !== "en") await sentences.load().catch(() => undefined);
};

/** Returns a sentence of the server in the current language. One without a translation is shown as it came. */
export function served(sentence: string): string {
  void loadSentences();
  return sentences.current(sentence) ?? sentence;
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
  await Promise.all([help, sentences].filter((part) => part.isWanted).map((part) => part.load()));
}

let version = 0;
function changed(): void {
  version += 1;
  for (const listener of listeners) listener();
}

/** Returns the text in the current language, with `{name}` replaced. */
export function translate(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return (texts[text] ?? help.current[text] ?? text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
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
