import type { Readable } from "node:stream";
import { malformed } from "../../kernel/errors.ts";

export interface Part {
  readonly name: string;
  readonly filename: string | null;
  /** The content must be read before the next part is requested, which skips the rest of it. */
  readonly content: AsyncIterable<Buffer>;
}

const MAX_HEAD = 16 * 1024;
/** Yields the parts of a form as they arrive (RFC 7578, RFC 2046 §5.1). A part may be of any length, and is not held in memory. */
export async function* readMultipart(body: Readable, contentType: string): AsyncGenerator<Part> {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  if (!boundary) throw malformed("The content type of a form names its boundary");
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`);
  const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  // The first delimiter may be at the very beginning, without a line break before it.
  let held: Buffer = Buffer.from("\r\n");
  const more = async (): Promise<void> => {
    const { done, value } = await pieces.next();
    if (done) throw malformed("The form ends before its last part does");
    held = Buffer.concat([held, value]);
  };
  async function* upToDelimiter(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = held.indexOf(delimiter);
      if (at >= 0) {
        if (at > 0) yield held.subarray(0, at);
        held = held.subarray(at + delimiter.length);
        return;
      }
      // The rest may be the beginning of a delimiter.
      const certain = held.length - delimiter.length;
      if (certain > 0) {
        yield held.subarray(0, certain);
        held = held.subarray(certain);
      }
      await more();
    }
  }
  for await (const _ of upToDelimiter()); // text before the first part means nothing
  for (;;) {
    while (held.length < 2) await more();
    if (held.subarray(0, 2).toString("latin1") === "--") return;
    while (!held.includes("\r\n\r\n")) {
      if (held.length > MAX_HEAD) throw malformed("The head of a part of the form is too long");
      await more();
    }
    const end = held.indexOf("\r\n\r\n");
    const head = held.subarray(0, end).toString("utf8");
    held = held.subarray(end + 4);
    const disposition = /^content-disposition:\s*form-data(.*)$/im.exec(head)?.[1] ?? "";
    const content = upToDelimiter();
    yield { name: parameterOf(disposition, "name") ?? "", filename: parameterOf(disposition, "filename"), content };
    for await (const _ of content); // skips what was not read
  }
}

const parameterOf = (disposition: string, name: string): string | null =>
  new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition)?.[1]?.slice(0, 255) ?? null;
