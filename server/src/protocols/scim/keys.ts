import { invalidValue } from "./errors.ts";

/** The number of bytes of one text that fit into an index beside its other columns. */
const MAX_BYTES = 1024;

/** Refuses a text by which resources are found if it is too long for an index. */
export function checkKey(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalidValue(path, `is longer than ${MAX_BYTES} bytes`);
}
