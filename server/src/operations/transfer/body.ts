import { Readable } from "node:stream";
import { AppError, malformed } from "../../kernel/errors.ts";
import { parseJson } from "../../platform/http/index.ts";

const MAX_CONFIGURATION = 64 * 1024 * 1024;
const MAX_TAIL = 1024 * 1024;
const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];
const USERS = Buffer.from('"users"');

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;

export interface SplitBody {
  /** The document without its users. */
  readonly configuration: unknown;
  /** The list of users, as it arrives; null if the document has none. */
  readonly users: Readable | null;
}

/**
 * Splits a document at its member `users`, which comes last. The configuration is held in memory as a whole; the users, of whom there may be millions,
 * are passed on in pieces.
 */
export async function splitBody(body: Readable): Promise<SplitBody> {
  const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const scan = createScan();
  const held: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) break;
    const at = scan(value);
    held.push(at === null ? value : value.subarray(0, at));
    size += value.length;
    if (at !== null) return withUsers(Buffer.concat(held), value.subarray(at), pieces);
    if (size > MAX_CONFIGURATION) throw new AppError("request.too_large", 413, "The configuration is larger than 64 MB");
  }
  const text = Buffer.concat(held);
  if (text.length === 0) throw malformed("The body is empty: send a document");
  return { configuration: parseJson(text), users: null };
}

/** Returns a function that finds the list of the top-level member `users`: it returns the position of the list in a piece, or null. */
function createScan(): (piece: Buffer) => number | null {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  /** The last text at the top level, as long as it may be the name. */
  let text: number[] = [];
  let state: "none" | "named" | "colon" = "none";
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (inText) {
        if (depth === 1 && text.length <= USERS.length) text.push(byte);
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          inText = false;
          state = depth === 1 && USERS.equals(Buffer.from(text)) ? "named" : "none";
        }
        continue;
      }
      if (isSpace(byte)) continue;
      if (state === "colon" && byte === OPEN_LIST) return at;
      state = state === "named" && byte === COLON ? "colon" : "none";
      if (byte === QUOTE) [inText, text] = [true, [byte]];
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    }
    return null;
  };
}

function withUsers(head: Buffer, rest: Buffer, pieces: AsyncIterator<Buffer>): SplitBody {
  const text = head.toString("latin1");
  // The configuration ends at the comma or the bracket before the name.
  const end = text.lastIndexOf('"users"');
  const before = text.slice(0, end).trimEnd();
  const cut = before.endsWith(",") ? before.length - 1 : before.length;
  const configuration = parseJson(Buffer.concat([head.subarray(0, cut), Buffer.from("}")]));
  return { configuration, users: Readable.from(listOnly(rest, pieces), { objectMode: false }) };
}

/** Yields the list without the closing bracket of the document. The reader of the list refuses anything else that follows. */
async function* listOnly(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  let held = first;
  for (;;) {
    const end = endOfContent(held);
    if (end > 0) yield held.subarray(0, end);
    const tail = held.subarray(end);
    if (tail.length > MAX_TAIL) throw malformed("The document goes on with nothing in it");
    const { done, value } = await pieces.next();
    if (done) {
      if (!/^\s*\}\s*$/.test(tail.toString("latin1")))
        throw malformed("The document has to end after its users: `users` is its last member");
      return;
    }
    held = Buffer.concat([tail, value]);
  }
}

/** Returns the length without final spaces and closing brackets, which may be the document's own and wait for the next piece. */
function endOfContent(piece: Buffer): number {
  let end = piece.length;
  while (end > 0 && (isSpace(piece[end - 1]!) || piece[end - 1] === CLOSE_OBJECT)) end--;
  return end;
}
