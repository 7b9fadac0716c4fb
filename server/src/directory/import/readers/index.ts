// Reads a body of users in any of its formats, piece by piece. It holds at most one row and one piece in memory.
import type { Readable } from "node:stream";
import { malformed } from "../../../kernel/errors.ts";
import { csvReader } from "./csv.ts";
import { jsonArrayReader } from "./json-array.ts";
import { ndjsonReader } from "./ndjson.ts";
import type { RawRow, RowReader, Stop } from "./rows.ts";

export { TOTP_KEY } from "./csv-columns.ts";
export type { Fault, RawRow, Stop } from "./rows.ts";

export const delimiters = { ",": ",", ";": ";", tab: "\t" } as const;
export type Delimiter = keyof typeof delimiters;

export const mediaTypes = ["application/json", "application/x-ndjson", "text/csv"] as const;
export type MediaType = (typeof mediaTypes)[number];

const readers: Record<MediaType, (delimiter: Delimiter) => RowReader> = {
  "application/json": jsonArrayReader,
  "application/x-ndjson": ndjsonReader,
  "text/csv": (delimiter) => csvReader(delimiters[delimiter]),
};

/** Yields the body's rows, one piece at a time. Returns the place where the reading stopped, or null if it reached the end. */
export async function* readRows(body: Readable, type: MediaType, delimiter: Delimiter): AsyncGenerator<readonly RawRow[], Stop | null> {
  const reader = readers[type](delimiter);
  for await (const piece of withoutMark(body)) {
    yield reader.push(piece);
    if (reader.stopped) return reader.stopped;
  }
  yield reader.end();
  return reader.stopped;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Removes the byte order mark with which spreadsheets begin their files. Throws if the mark is that of UTF-16. */
async function* withoutMark(body: Readable): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0);
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (first === null) {
      yield piece;
      continue;
    }
    first = Buffer.concat([first, piece]);
    if (first.length < UTF8_MARK.length) continue;
    yield begin(first);
    first = null;
  }
  if (first === null) return;
  if (first.length === 0) throw malformed("The body is empty: send the users to import");
  yield begin(first);
}

function begin(bytes: Buffer): Buffer {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw malformed("The body is encoded as UTF-16: save it as UTF-8 and send it again");
  return bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? bytes.subarray(UTF8_MARK.length) : bytes;
}
