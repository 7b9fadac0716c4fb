import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Settings } from "../tenancy/settings/schema.ts";
import { countedText, LOCALES, messagesOf, pluralForms, waitingTime } from "./messages.ts";

const english = messagesOf("en");
const textsOf = (locale: (typeof LOCALES)[number]) => Object.entries(messagesOf(locale)) as [keyof typeof english, string][];

test("the pages speak what a realm can choose as its own language", () => {
  expect(Settings.properties.defaultLocale).toMatchObject({ enum: LOCALES });
});

describe.each(LOCALES.map((locale) => [locale]))("in %s", (locale) => {
  test("there is every text, in its own words", () => {
    expect(
      textsOf(locale)
        .map(([key]) => key)
        .sort(),
    ).toEqual(Object.keys(english).sort());
    const sentences = textsOf(locale).filter(([, text]) => /[.?。؟]$/.test(text));
    expect(sentences.length).toBeGreaterThan(100);
    if (locale !== "en") expect(sentences.filter(([key, text]) => text === english[key])).toEqual([]);
  });

  test("a text says the values of the English one, each as often", () => {
    const values = (text: string) => pluralForms(text)?.name ?? (text.match(/\{[^}]*\}/g) ?? []).sort();
    for (const [key, text] of textsOf(locale)) expect(values(text), key).toEqual(values(english[key]));
  });

  test("a text that counts has a form for each kind of number that the language tells apart", () => {
    const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
    for (const [key, text] of textsOf(locale)) {
      const plural = pluralForms(text);
      if (plural) expect(Object.keys(plural.forms).sort(), key).toEqual([...pluralCategories].sort());
      for (const count of plural ? [0, 1, 2, 3, 5, 11, 100] : []) expect(countedText(locale, text, count), key).not.toMatch(/[#{}]/);
    }
  });

  test("no space stands where none belongs, and titles and buttons end without a full stop", () => {
    for (const [key, text] of textsOf(locale)) {
      expect(text, key).not.toMatch(/^\s|\s$|\s{2}/u);
      if (key.endsWith("Title") || key.startsWith("choose") !== key.startsWith("chooseAccount")) expect(text, key).not.toMatch(/[.。]$/);
    }
  });

  test("a waiting time reads on in the sentence", () => {
    expect(waitingTime(locale, 900)).toMatch(/^15\s\p{L}+$/u);
  });
});

test("a text that counts takes the form of its number", () => {
  const left = (locale: (typeof LOCALES)[number], count: number) => countedText(locale, messagesOf(locale).accountCodesLeft, count);
  expect([left("en", 1), left("en", 8), left("nl", 1), left("fr", 0)]).toEqual([
    "1 code left",
    "8 codes left",
    "Nog 1 code",
    "0 code restant",
  ]);
});

test("French keeps its punctuation on the line of the word before", () => {
  for (const [key, text] of textsOf("fr")) {
    expect(text, key).not.toMatch(/[^\u202f][?!;]|[^\u00a0][:»]|«[^\u00a0]/u);
    expect(text, key).not.toContain("'");
  }
});

test("Spanish opens what it asks", () => {
  for (const [key, text] of textsOf("es")) expect((text.match(/¿/g) ?? []).length, key).toBe((text.match(/\?/g) ?? []).length);
});

test("every text is named by a page", () => {
  const root = new URL("../", import.meta.url);
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => /[.]tsx?$/.test(path) && !path.startsWith("pages/messages/") && !path.includes(".test."),
  );
  const named = new Set(paths.flatMap((path) => readFileSync(new URL(path, root), "utf8").match(/\w+/g) ?? []));
  // Some are put together: a subject, and Title or Text.
  const unused = Object.keys(messagesOf("en")).filter((key) => !named.has(key) && !named.has(key.replace(/(Title|Text)$/, "")));
  expect(unused).toEqual([]);
});
