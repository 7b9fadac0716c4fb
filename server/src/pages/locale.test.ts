import { describe, expect, test } from "vitest";
import { dirOf, type LocaleWishes, languageLinks, pickLocale } from "./index.ts";

const pick = (wishes: Partial<LocaleWishes>) => pickLocale({ realmDefault: "en", ...wishes });

describe("the language of a page", () => {
  test("comes from the first source that names one we have", () => {
    const all = { query: "nl", cookie: "en", acceptLanguage: "en" };
    expect(pick(all)).toBe("nl");
    expect(pick({ ...all, query: "xx", cookie: "nl" })).toBe("nl");
    expect(pick({ query: "xx", cookie: "nl", acceptLanguage: "en" })).toBe("nl");
    expect(pick({ cookie: "xx", acceptLanguage: "nl" })).toBe("nl");
    expect(pick({ acceptLanguage: "xx", realmDefault: "nl" })).toBe("nl");
    expect(pick({ realmDefault: "xx" })).toBe("en");
  });

  test("takes what is asked for in its order", () => {
    expect(pick({ query: "da-DK nl en" })).toBe("nl");
    expect(pick({ query: "en nl", realmDefault: "nl" })).toBe("en");
  });

  test.each([
    ["nl-BE", "nl"],
    ["NL-be", "nl"],
    ["nl-Latn-NL-x-private", "nl"],
    ["zh-Hant, nl-NL;q=0.5", "nl"],
    ["en;q=0.4, nl;q=0.9", "nl"],
    ["en;q=0.4,nl ; q=0.9 ,da", "nl"],
    ["de-CH, de;q=0.9, en;q=0.8", "de"],
    ["fr-CA,fr;q=0.8,en;q=0.5", "fr"],
    ["es-419, es;q=0.9", "es"],
    ["pt-PT, pt;q=0.9", "pt"],
    ["ar-EG, en;q=0.5", "ar"],
    ["nl;q=0, en;q=0.1", "en"],
    ["nl;q=0", "en"],
    ["nl;q=2, en;q=0.1", "en"],
    ["*, nl;q=0.5", "nl"],
    ["nlx", "en"],
    ["n", "en"],
    ["", "en"],
    [";;;,,,q=", "en"],
  ] as const)("reads Accept-Language %j as %s", (acceptLanguage, locale) => {
    expect(pick({ acceptLanguage })).toBe(locale);
  });

  test("reads a bounded part of a hostile header", () => {
    expect(pick({ acceptLanguage: `${"xx,".repeat(16)}nl` })).toBe("en");
    expect(pick({ acceptLanguage: `${"x".repeat(600)},nl` })).toBe("en");
    expect(pick({ acceptLanguage: `${"a-".repeat(5_000_000)},nl` })).toBe("en");
    expect(pick({ query: `${"xx ".repeat(16)}nl`, cookie: "<script>" })).toBe("en");
  });
});

test.each([
  ["en", "ltr"],
  ["ar", "rtl"],
  ["ar-EG", "rtl"],
  ["he", "rtl"],
  ["fa-IR", "rtl"],
  ["az-Arab", "rtl"],
  ["ar-Latn", "ltr"],
  ["nl-BE", "ltr"],
] as const)("%s is written %s", (locale, dir) => {
  expect(dirOf(locale)).toBe(dir);
});

test("language links are named in their own language", () => {
  expect(languageLinks((locale) => `?lang=${locale}`)).toEqual([
    { locale: "en", label: "English", href: "?lang=en" },
    { locale: "nl", label: "Nederlands", href: "?lang=nl" },
    { locale: "de", label: "Deutsch", href: "?lang=de" },
    { locale: "fr", label: "Français", href: "?lang=fr" },
    { locale: "es", label: "Español", href: "?lang=es" },
    { locale: "it", label: "Italiano", href: "?lang=it" },
    { locale: "pt", label: "Português", href: "?lang=pt" },
    { locale: "pl", label: "Polski", href: "?lang=pl" },
    { locale: "sv", label: "Svenska", href: "?lang=sv" },
    { locale: "ja", label: "日本語", href: "?lang=ja" },
    { locale: "ar", label: "العربية", href: "?lang=ar" },
  ]);
});
