import { invalidValue } from "./errors.ts";

/** The bytes of one text that an index takes beside its other columns. */
const MAX_BYTES = 1024;

/** A text by which resources are found, as it is stored. */
export function checkKey(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalidValue(path, `is longer than ${MAX_BYTES} bytes`);
}
