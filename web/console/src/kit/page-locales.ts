import schema from "virtual:schema/UpdateRealmSettings";
import { describe } from "./schema.ts";

const { kind } = describe("defaultLocale", schema.properties?.defaultLocale ?? {});

/** The languages of the realms' pages. */
export const pageLocales: readonly string[] = kind.kind === "choice" ? kind.options.map(String) : [];

/** Returns the name of a language in the language of the console, or the tag if no name is known. */
export function localeName(tag: string, language: string): string {
  try {
    const name = new Intl.DisplayNames([language], { type: "language" }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  } catch {
    return tag;
  }
}

const FROM_THE_RIGHT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]);

/** Returns the direction of a language's script. */
export const directionOf = (tag: string): "ltr" | "rtl" => (FROM_THE_RIGHT.has(tag.toLowerCase().split("-", 1)[0]!) ? "rtl" : "ltr");
