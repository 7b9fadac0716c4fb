import { applications } from "./applications.ts";
import { providers } from "./providers.ts";
import { realm } from "./realm.ts";

/**
 * The console's own texts for descriptions of the API that address programs. The API's text is the key, and the check of the texts fails if the API no longer
 * has such a description. An empty text is not shown.
 */
export const own: Readonly<Record<string, string>> = { ...realm, ...applications, ...providers };

/** Returns the description of a member as a form shows it. One that begins with a small letter completes the error of a pattern, which shows it. */
export function descriptionOf(text: string): string {
  const written = own[text];
  if (written !== undefined) return written;
  if (/^[a-z]|^If omitted, |no control or invisible characters|^Without control or/.test(text)) return "";
  return (
    text
      // A form shows a member only where it applies, and a time as one.
      .replace(/^(True|`[a-z-]+`): (.)/, (_, _when, first: string) => first.toUpperCase())
      .replace(", in epoch milliseconds", "")
      .replace(/ It is never shown\. If omitted, the stored one is kept; .*$/, " Enter it again for another host or port.")
      .replace(/\b(If|if) (null|omitted)\b/g, "$1 empty")
      .replace(/\bNull (if|at|until)\b/g, "Empty $1")
      .replace(/[\p{L}\p{N})`”]$/u, "$&.")
  );
}
