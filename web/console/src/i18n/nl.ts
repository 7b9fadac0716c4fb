import { fields } from "./nl.fields.ts";
import { first } from "./nl.first.ts";
import { members } from "./nl.members.ts";
import { second } from "./nl.second.ts";
import { third } from "./nl.third.ts";

/** Dutch. The keys are the English texts; the text of a page takes precedence over the name of a member. */
export const nl: Readonly<Record<string, string>> = { ...members, ...first, ...second, ...third, ...fields };
