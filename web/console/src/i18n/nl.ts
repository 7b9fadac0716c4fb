import { fromAToH } from "./nl.a-h.ts";
import { fromIToS } from "./nl.i-s.ts";
import { members } from "./nl.members.ts";
import { fromTToZ } from "./nl.t-z.ts";

/** Dutch. The keys are the English texts; the text of a page takes precedence over the name of a member. */
export const nl: Readonly<Record<string, string>> = { ...members, ...fromAToH, ...fromIToS, ...fromTToZ };
