import { SamlError, type SamlReason } from "./errors.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** xs:base64Binary. Node's decoder skips what it does not know: two texts could then stand for the same bytes unnoticed. */
export function decodeBase64(text: string, reason: SamlReason, what: string): Buffer {
  const compact = /\s/.test(text) ? text.replace(/[ \t\r\n]+/g, "") : text;
  if (compact.length % 4 !== 0 || !BASE64.test(compact)) throw new SamlError(reason, `${what} is not base64`);
  return Buffer.from(compact, "base64");
}
