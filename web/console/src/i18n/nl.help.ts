import { applications } from "./nl.help.applications.ts";
import { choices } from "./nl.help.choices.ts";
import { providers } from "./nl.help.providers.ts";
import { realm } from "./nl.help.realm.ts";
import { served } from "./nl.help.served.ts";

/** The Dutch help texts of forms, which are loaded with the first one. */
export const help: Readonly<Record<string, string>> = { ...choices, ...served, ...realm, ...applications, ...providers };
