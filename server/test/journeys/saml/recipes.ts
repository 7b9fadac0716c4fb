// The configuration that pages of docs show, with the addresses of this run: what people copy from there is what is tested.
import { readFileSync } from "node:fs";

const textOf = (page: string): string => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), "utf8");

/** Names under which the page knows things; `null` removes a line that holds one. */
export type Replacements = Readonly<Record<string, string>>;

export const issuerOnThePage = "https://id.example.com/realms/acme";
export const siteOnThePage = "https://app.example.com";

/** The file of that name on the page. A name that it does not hold is an error: the page and the test have to go together. */
export function recipe(file: string, replacements: Replacements, page = "saml-recipes.md"): string {
  const [, block] = new RegExp(`^\`\`\`\\w+ ${file.replace(".", "\\.")}\\n(.*?)^\`\`\`$`, "ms").exec(textOf(page)) ?? [];
  if (block === undefined) throw new Error(`docs/${page} has no block ${file}`);
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${file} on docs/${page} does not hold ${from}`);
    return text.replaceAll(from, to);
  }, block);
}
