import { first } from "./nl.first.ts";
import { second } from "./nl.second.ts";

/** Dutch. The keys are the English texts. */
export const nl: Readonly<Record<string, string>> = { ...first, ...second };
