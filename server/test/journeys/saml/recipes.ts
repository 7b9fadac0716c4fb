// The configurations in pages of docs, with the addresses of this run, so that the tests use what people copy from there.
import { readFileSync } from "node:fs";

const textOf = (page: string): string => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), "utf8");

/** Replacements of names on the page. `null` removes the lines that contain the name. */
export type Replacements = Readonly<Record<string, string>>;

export const issuerOnThePage = "https://id.example.com/realms/acme";
export const siteOnThePage = "https://app.example.com";

/** Returns the file of that name on the page. A name that it does not contain is an error, because the page and the test have to agree. */
export function recipe(file: string, replacements: Replacements, page = "saml-recipes.md"): string {
  const [, block] = new RegExp(`^\`\`\`\\w+ ${file.replace(".", "\\.")}\\n(.*?)^\`\`\`$`, "ms").exec(textOf(page)) ?? [];
  if (block === undefined) throw new Error(`docs/${page} has no block ${file}`);
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${file} on docs/${page} does not hold ${from}`);
    return text.replaceAll(from, to);
  }, block);
}
