import { isCleanText, isMailAddress } from "../../kernel/text.ts";

// Values that a provider reports about a user, if they can be stored.

/** Returns a line of text, or null if the value is none. It refuses lone surrogates: stored as another character, they would make two subjects one. */
export const lineOf = (value: unknown, maxLength = 255): string | null =>
  typeof value === "string" && value !== "" && value.length <= maxLength && isCleanText(value) && !/\p{Cc}/u.test(value) ? value : null;

/** Returns an address, by the rule for all addresses. Returns null if it is none; the user is then asked for one. */
export const addressOf = (text: string | null): string | null => (text !== null && isMailAddress(text) ? text : null);

/** Returns an identifier of the user, or of their session at the provider. Logouts use the same form as sign-ins. */
export const idOf = (value: unknown): string | null => lineOf(value, 1024);
