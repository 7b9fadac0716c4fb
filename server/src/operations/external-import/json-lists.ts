import type { Readable } from "node:stream";
import { AppError } from "../../kernel/errors.ts";
import { parseJson } from "../../platform/http/index.ts";

const MAX_OUTSIDE = 64 * 1024 * 1024;
const [QUOTE, COMMA, BACKSLASH, COLON] = [0x22, 0x2c, 0x5c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;
const EMPTY_LIST = Buffer.from("[]");

/** Consecutive bytes, either of a list that is cut out, or of the text around the lists. */
interface Run {
  /** The number of the document that has the list, from 0 on; null for the text around the lists. */
  readonly of: number | null;
  readonly bytes: Buffer;
}

/**
 * Cuts the list `member` out of a JSON object, or of each object of a JSON list, as the text arrives. In the text around the lists, an empty list
 * replaces each of them.
 */
function createCutter(member: string): (piece: Buffer) => Run[] {
  const name = Buffer.from(JSON.stringify(member));
  let depth = 0;
  /** The depth of the document's members: 1, or 2 in a list of documents. */
  let level = 1;
  let document = 0;
  let inText = false;
  let isEscaped = false;
  let text: number[] = [];
  let state: "none" | "named" | "colon" = "none";
  let isInside = false;
  let hasBegun = false;
  return (piece) => {
    const runs: Run[] = [];
    let from = 0;
    const cut = (until: number) => {
      if (until > from) runs.push({ of: isInside ? document : null, bytes: piece.subarray(from, until) });
      from = until;
    };
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (inText) {
        if (!isInside && depth === level && text.length <= name.length) text.push(byte);
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          inText = false;
          state = !isInside && depth === level && name.equals(Buffer.from(text)) ? "named" : "none";
        }
        continue;
      }
      if (isSpace(byte)) continue;
      if (!hasBegun) {
        hasBegun = true;
        level = byte === OPEN_LIST ? 2 : 1;
      }
      if (state === "colon" && byte === OPEN_LIST) {
        cut(at);
        isInside = true;
      }
      state = state === "named" && byte === COLON ? "colon" : "none";
      if (byte === QUOTE) [inText, text] = [true, [byte]];
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
        if (isInside && depth === level) {
          cut(at + 1);
          isInside = false;
          runs.push({ of: null, bytes: EMPTY_LIST });
        }
      } else if (byte === COMMA && level === 2 && depth === 1) document++;
    }
    cut(piece.length);
    return runs;
  };
}

/** Parses a JSON text without the elements of its lists `member`. */
export async function aroundLists(body: Readable, member: string): Promise<unknown> {
  const cut = createCutter(member);
  const held: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>)
    for (const { of, bytes } of cut(piece)) {
      if (of !== null) continue;
      held.push(bytes);
      size += bytes.length;
      if (size > MAX_OUTSIDE) throw new AppError("request.too_large", 413, "What the file holds besides its users is larger than 64 MB");
    }
  return parseJson(Buffer.concat(held));
}

/** Yields the bytes of the list `member` of one document, including the brackets. Yields nothing if there is no such list. */
export async function* bytesOfList(body: Readable, member: string, document = 0): AsyncGenerator<Buffer> {
  const cut = createCutter(member);
  for await (const piece of body as AsyncIterable<Buffer>) for (const { of, bytes } of cut(piece)) if (of === document) yield bytes;
}

/** Parses a JSON text as a whole. */
export const wholeJson = (body: Readable): Promise<unknown> => aroundLists(body, "\u0000");
