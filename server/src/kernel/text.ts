import { domainToASCII, domainToUnicode } from "node:url";

/** Normalises a login name, so that letter case and Unicode form make no difference. Stored keys are made with it, so it must not change. */
export const loginKey = (name: string): string => name.normalize("NFKC").toLowerCase().normalize("NFKC");

/** Tells whether a text can be stored. Postgres cannot store NUL, and a lone surrogate cannot be encoded. */
export const isCleanText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

/** Cuts a text to at most `length` code units without leaving half a surrogate pair. */
export const cut = (text: string, length: number): string => (text.length <= length ? text : text.slice(0, length).toWellFormed());

/** Returns the text without this character at its end, however often it stands there. An expression would try every such run in the text to its end. */
export function withoutEnding(text: string, character: string): string {
  let length = text.length;
  while (text[length - 1] === character) length--;
  return text.slice(0, length);
}

/** Returns a LIKE pattern that matches texts which start with `prefix`, whatever characters it contains. */
export const likePrefix = (prefix: string): string => `${prefix.replace(/[\\%_]/g, "\\$&")}%`;

/** Returns a domain as DNS has it, in lower-case ASCII, or "" for an invalid one. Newer releases of Node accept labels that are not valid punycode. */
export function asciiDomain(domain: string): string {
  const ascii = domainToASCII(domain);
  return /(^|\.)xn--/i.test(domainToUnicode(ascii)) ? "" : ascii;
}

// RFC 5321 §4.5.3.1 allows 64 bytes before the @ and 254 in all. Letters of every script are accepted (RFC 6531), but no characters with a meaning in a header
// or an envelope, and no quoted local parts, which nobody uses and which parsers read differently.
const ATOM = '[^\\s\\p{C}\\p{Default_Ignorable_Code_Point}()<>[\\]\\\\,;:"@.]+';
const LOCAL_PART = new RegExp(`^${ATOM}(\\.${ATOM})*$`, "u");
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u;

/** Characters whose canonical form is in ASCII (;, `, K): the login key turns them into it. */
const CANONICALLY_ASCII = /[\u037e\u1fef\u212a]/;

/** Node 20 writes it in a domain as ss, and Node 26 as ß: nodes of one service would mean different domains. */
const CAPITAL_SHARP_S = "\u1e9e";

/** Tells whether the text is a single mailbox, without a name beside it. This is the rule for addresses from every source. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return false;
  // The login key would turn a compatibility character (ⓐ, ﬁ) into another one, and so name another mailbox.
  if (local.normalize("NFKC") !== local.normalize("NFC") || CANONICALLY_ASCII.test(local)) return false;
  if (!LOCAL_PART.test(local) || !DOMAIN.test(domain) || domain.includes(CAPITAL_SHARP_S)) return false;
  // This comes last. A domain that cannot be written in ASCII cannot be looked up either.
  const ascii = asciiDomain(domain);
  return ascii !== "" && lowerCases(text).every((lower) => asciiDomain(lower.slice(lower.lastIndexOf("@") + 1)) === ascii);
}

/**
 * Returns the address in lower case, as the login key and mail programs have it. IDNA writes Σ as σ, but JavaScript makes ς of it at the end of a word:
 * the address would pass as one of a domain, and its mail would go to another.
 */
const lowerCases = (address: string): readonly string[] => (/[^\0-\x7f]/.test(address) ? [loginKey(address), address.toLowerCase()] : []);

/** Tells whether the text is an http or https address. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Characters that hide or reorder the text around them. Names need characters that join letters, mark their direction or select their shape, so these stay.
const UNSEEN =
  /[\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]+/gu;

/** Tells whether a text has characters that its reader cannot see, or that change the order of what the reader sees. */
export const hidesText = (text: string): boolean => text.search(UNSEEN) !== -1;

const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Removes characters from a person's name that its owner cannot see, and therefore cannot correct. */
export const cleanName = (text: string): string => text.replace(BREAKS, " ").replace(UNSEEN, "").trim();

/** Tells whether a text is one line in which people see something, and nothing hides or reorders it. */
export const isShownLine = (text: string): boolean => SEEN.test(text) && text === text.replace(BREAKS, " ").replace(UNSEEN, "");

const MAX_NAME = 255;

/** Reads a name from outside. Returns null if no visible character is left, or if the name is too long. */
export function nameOf(value: unknown): string | null {
  const name = typeof value === "string" && value.length <= 4 * MAX_NAME && value.isWellFormed() ? cleanName(value) : "";
  return SEEN.test(name) && name.length <= MAX_NAME ? name : null;
}

/** Reads a whole number of at most 15 digits, as people write it. `Number` would also read `0x10`, `1e2`, `+5`, ` 5` and an empty text. */
export const wholeNumber = (text: string): number | undefined => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined);
