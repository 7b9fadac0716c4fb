import { servedAToH } from "./nl.sentences.a-h.ts";
import { servedIToS } from "./nl.sentences.i-s.ts";
import { servedTToZ } from "./nl.sentences.t-z.ts";

/** Dutch for the sentences of the server, which are loaded with the first one. */
export const sentences: Readonly<Record<string, string>> = { ...servedAToH, ...servedIToS, ...servedTToZ };
