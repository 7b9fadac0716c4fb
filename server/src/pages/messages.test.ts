import { describe, expect, test } from "vitest";
import { Settings } from "../tenancy/settings/schema.ts";
import { LOCALES, messagesOf, waitingTime } from "./messages.ts";

const english = messagesOf("en");
const textsOf = (locale: (typeof LOCALES)[number]) => Object.entries(messagesOf(locale)) as [keyof typeof english, string][];

test("the pages speak what a realm can choose as its own language", () => {
  expect(Settings.properties.defaultLocale).toMatchObject({ enum: LOCALES });
});

describe.each(LOCALES.map((locale) => [locale]))("in %s", (locale) => {
  test("there is every text, in its own words", () => {
    expect(textsOf(locale).map(([key]) => key)).toEqual(Object.keys(english));
    const sentences = textsOf(locale).filter(([, text]) => /[.?]$/.test(text));
    if (locale !== "en") expect(sentences.filter(([key, text]) => text === english[key])).toEqual([]);
  });

  test("a text says the values of the English one, each as often", () => {
    const values = (text: string) => (text.match(/\{[^}]*\}/g) ?? []).sort();
    for (const [key, text] of textsOf(locale)) expect(values(text), key).toEqual(values(english[key]));
  });

  test("no space stands where none belongs, and titles and buttons end without a full stop", () => {
    for (const [key, text] of textsOf(locale)) {
      expect(text, key).not.toMatch(/^\s|\s$|\s{2}/u);
      if (key.endsWith("Title") || key.startsWith("choose") !== key.startsWith("chooseAccount")) expect(text, key).not.toMatch(/\.$/);
    }
  });

  test("a waiting time reads on in the sentence", () => {
    expect(waitingTime(locale, 900)).toMatch(/^15\s\p{L}+$/u);
  });
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
