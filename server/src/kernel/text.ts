import { domainToASCII, domainToUnicode } from "node:url";

/** A login name, normalised: letter case and Unicode form do not make a difference. Stored keys are made by it: it must not change. */
export const loginKey = (name: string): string => name.normalize("NFKC").toLowerCase().normalize("NFKC");

/** NUL cannot be stored by Postgres and a lone surrogate cannot be encoded: neither may enter. */
export const isCleanText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

/** Cut to at most `length` code units without leaving half a surrogate pair. */
export const cut = (text: string, length: number): string => (text.length <= length ? text : text.slice(0, length).toWellFormed());

/** A LIKE pattern that matches what starts with `prefix`, whatever characters it holds. */
export const likePrefix = (prefix: string): string => `${prefix.replace(/[\\%_]/g, "\\$&")}%`;

/** A domain as DNS has it, in lower-case ASCII; "" for none. Newer releases of Node let labels pass that are no punycode of anything. */
export function asciiDomain(domain: string): string {
  const ascii = domainToASCII(domain);
  return /(^|\.)xn--/i.test(domainToUnicode(ascii)) ? "" : ascii;
}

// RFC 5321 §4.5.3.1: 64 before the @, 254 in all. Letters of every script (RFC 6531), but none of the characters that mean
// something in a header or an envelope, and no quoted local parts: they are unused, and parsers disagree about them.
const ATOM = '[^\\s\\p{C}\\p{Default_Ignorable_Code_Point}()<>[\\]\\\\,;:"@.]+';
const LOCAL_PART = new RegExp(`^${ATOM}(\\.${ATOM})*$`, "u");
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u;

/** One mailbox, bare: no name beside it, no second one behind it. The rule for addresses from every source. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || Buffer.byteLength(local) > 64 || Buffer.byteLength(text) > 254) return false;
  // A mailbox whose name has a compatibility character (ⓐ, ﬁ) is another one than that of its login key.
  if (local.normalize("NFKC") !== local.normalize("NFC")) return false;
  // The last: what cannot be written in ASCII cannot be looked up either.
  return LOCAL_PART.test(local) && DOMAIN.test(domain) && asciiDomain(domain) !== "";
}

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Characters that hide or reorder the text around them. Those that join letters, mark their direction or select their shape stay: names need them.
const UNSEEN =
  /[\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]+/gu;
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** The name of a person without what its owner cannot see, and therefore not correct. */
export const cleanName = (text: string): string => text.replace(BREAKS, " ").replace(UNSEEN, "").trim();

const MAX_NAME = 255;

/** Reads a name from outside; null: no character of a name is left. */
export function nameOf(value: unknown): string | null {
  const name = typeof value === "string" && value.length <= 4 * MAX_NAME && value.isWellFormed() ? cleanName(value) : "";
  return SEEN.test(name) && name.length <= MAX_NAME ? name : null;
}
