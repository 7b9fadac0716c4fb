import { jsonRow } from "./json-row.ts";
import { type RawRow, RowBytes, type RowReader, type Stop } from "./rows.ts";

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const NEWLINE = 0x0a;
const isSpace = (byte: number) => byte === 0x20 || byte === NEWLINE || byte === 0x09 || byte === 0x0d;

/** More than the depth that a row may have (32, checked when it is parsed): this limit only stops a row that nests for ever. */
const MAX_DEPTH = 1_000;

type Expecting = "list" | "first" | "row" | "comma" | "end";

/**
 * Reads the elements of one JSON array, which it finds by following brackets and strings. The content of an element is checked when it is parsed; the
 * reading stops only if the start of the next element cannot be found.
 */
export function jsonArrayReader(): RowReader {
  const current = new RowBytes();
  let expecting: Expecting = "list";
  let inRow = false;
  let inText = false;
  let isEscaped = false;
  let open: number[] = [];
  let row = 0;
  let [line, position] = [1, 0];
  let rowLine = 1;
  let stopped: Stop | null = null;

  const stop = (message: string) => {
    // Within a row, its own number is reported, otherwise that of the next row.
    stopped = { row: inRow ? row : row + 1, line, position, message };
  };

  /** Reads a byte between rows: a bracket of the list, a comma or a space. Tells whether a row begins here. */
  const between = (byte: number): boolean => {
    if (isSpace(byte)) return false;
    if (expecting === "list") {
      if (byte === OPEN_LIST) expecting = "first";
      else stop("A JSON body is a list of users: it begins with [");
      return false;
    }
    if (expecting === "end") {
      stop("Something follows the end of the list");
      return false;
    }
    if (byte === CLOSE_LIST && expecting !== "row") {
      expecting = "end";
      return false;
    }
    if (expecting === "comma") {
      if (byte === COMMA) expecting = "row";
      else stop("A comma or the end of the list should stand here");
      return false;
    }
    if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte === 0x3a) {
      stop("A user should begin here");
      return false;
    }
    return true;
  };

  /** Reads a byte within a row. Tells whether this byte is its last (`after`: the byte before was). */
  const within = (byte: number): "on" | "last" | "after" => {
    if (inText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) inText = false;
      return !inText && open.length === 0 ? "last" : "on";
    }
    if (byte === QUOTE) {
      inText = true;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (open.push(byte) > MAX_DEPTH) stop("The row is nested too deeply");
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      // A number or word was the last element of the list.
      if (open.length === 0) return "after";
      if (open.pop() !== byte - 2) stop("Brackets do not match here");
      else if (open.length === 0) return "last";
    } else if (open.length === 0 && (byte === COMMA || isSpace(byte))) {
      return "after";
    }
    return "on";
  };

  return {
    get stopped() {
      return stopped;
    },
    push(piece) {
      const rows: RawRow[] = [];
      let from = 0;
      const finish = (until: number) => {
        current.add(piece.subarray(from, until));
        const isTooLarge = current.isTooLarge;
        rows.push(jsonRow({ row, line: rowLine }, current.take(), isTooLarge));
        inRow = false;
        expecting = "comma";
      };
      for (let at = 0; at < piece.length && !stopped; at++, position++) {
        const byte = piece[at]!;
        if (inRow) {
          const state = within(byte);
          if (state === "last") finish(at + 1);
          else if (state === "after") {
            finish(at);
            between(byte);
          }
        } else if (between(byte)) {
          inRow = true;
          row++;
          [from, rowLine, open] = [at, line, []];
          within(byte);
        }
        if (byte === NEWLINE) line++;
      }
      if (inRow && !stopped) current.add(piece.subarray(from));
      return rows;
    },
    end() {
      if (!stopped && (inRow || expecting !== "end")) stop(inRow ? "The body ends inside this row" : "The body ends before the list does");
      return [];
    },
  };
}
