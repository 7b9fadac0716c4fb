import { jsonRow } from "./json-row.ts";
import { type RawRow, RowBytes, type RowReader } from "./rows.ts";

const NEWLINE = 0x0a;

/** Reads one JSON object per line. A line that cannot be read is a bad row; blank lines are skipped. */
export function ndjsonReader(): RowReader {
  const current = new RowBytes();
  let row = 0;
  let line = 0;

  const finish = (rows: RawRow[]): void => {
    line++;
    const isTooLarge = current.isTooLarge;
    const bytes = current.take();
    if (!isTooLarge && isBlank(bytes)) return;
    rows.push(jsonRow({ row: ++row, line }, bytes, isTooLarge));
  };

  return {
    stopped: null,
    push(piece) {
      const rows: RawRow[] = [];
      let from = 0;
      for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
        current.add(piece.subarray(from, at));
        finish(rows);
        from = at + 1;
      }
      current.add(piece.subarray(from));
      return rows;
    },
    end() {
      const rows: RawRow[] = [];
      if (!current.isEmpty) finish(rows);
      return rows;
    },
  };
}

/** Blanks are spaces, tabs, and the carriage return of a line that ends in CRLF. */
const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
