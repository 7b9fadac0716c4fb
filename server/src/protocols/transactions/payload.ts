import { sha256 } from "../../kernel/vault.ts";
import { transactionErrors } from "./errors.ts";
import type { CreateTransaction } from "./schema.ts";

const MAX_BYTES = 16 * 1024;

/** RFC 8785 (JCS): members sorted by UTF-16 code units, no spaces, numbers and strings as in ECMAScript. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** The hash to sign. If payload and hash are both sent, they must match. */
export function hashOf({ payload, payloadHash }: Pick<CreateTransaction, "payload" | "payloadHash">): string {
  if (payload === undefined) {
    if (payloadHash === undefined) throw transactionErrors.field("payload", "required", "send payload, or payloadHash");
    return payloadHash;
  }
  if (typeof payload !== "string" && (typeof payload !== "object" || payload === null || Array.isArray(payload)))
    throw transactionErrors.field("payload", "type", "a text or an object");
  const text = typeof payload === "string" ? payload : canonicalJson(payload);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw transactionErrors.field("payload", "too_long", "at most 16 KiB; send payloadHash instead of a larger one");
  const made = sha256(text);
  if (payloadHash !== undefined && payloadHash !== made)
    throw transactionErrors.field("payloadHash", "mismatch", "it is not the hash of payload");
  return made;
}
