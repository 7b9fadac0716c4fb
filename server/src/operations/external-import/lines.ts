import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { malformed } from "../../kernel/errors.ts";

const NEWLINE = 0x0a;
const MAX_LINE = 4 * 1024 * 1024;

/** Yields the lines of a text of any length. Throws if a line is too long. */
export async function* linesOf(body: Readable): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0);
  const text = (bytes: Buffer): string => {
    if (!isUtf8(bytes)) throw malformed("The file is not valid UTF-8");
    return bytes.toString("utf8").replace(/\r$/, "");
  };
  for await (const piece of body as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      yield text(Buffer.concat([held, piece.subarray(from, at)]));
      held = Buffer.alloc(0);
      from = at + 1;
    }
    held = Buffer.concat([held, piece.subarray(from)]);
    if (held.length > MAX_LINE) throw malformed("A line of the file is longer than 4 MB");
  }
  if (held.length > 0) yield text(held);
}
