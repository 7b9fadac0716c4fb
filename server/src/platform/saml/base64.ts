import { SamlError, type SamlReason } from "./errors.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Decodes xs:base64Binary. Node's decoder skips characters that it does not know, so that different texts could stand for the same bytes. */
export function decodeBase64(text: string, reason: SamlReason, what: string): Buffer {
  const compact = /\s/.test(text) ? text.replace(/[ \t\r\n]+/g, "") : text;
  if (compact.length % 4 !== 0 || !BASE64.test(compact)) throw new SamlError(reason, `${what} is not base64`);
  return Buffer.from(compact, "base64");
}
