import { isCleanText, isMailAddress } from "../../kernel/text.ts";

// Values of a provider about a user, if they can be stored.

/** A line of text. Half a character would be stored as another one: two subjects would become one. Null: it is none. */
export const lineOf = (value: unknown, maxLength = 255): string | null =>
  typeof value === "string" && value !== "" && value.length <= maxLength && isCleanText(value) && !/\p{Cc}/u.test(value) ? value : null;

/** An address by the rule that holds for all of them. Null: there is none, and the user is asked for one. */
export const addressOf = (text: string | null): string | null => (text !== null && isMailAddress(text) ? text : null);

/** An identifier: of the user, or of their session there. A logout names both as the sign-in did. */
export const idOf = (value: unknown): string | null => lineOf(value, 1024);
