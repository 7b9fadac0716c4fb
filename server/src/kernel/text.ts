import { domainToASCII, domainToUnicode } from "node:url";
/** A login name, normalised: letter case and Unicode form do not make a difference. */
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
