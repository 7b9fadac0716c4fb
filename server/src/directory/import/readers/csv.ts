import { isUtf8 } from "node:buffer";
import { invalidFields } from "../../../kernel/errors.ts";
import { type Column, columnsOf, type RowColumns } from "./csv-columns.ts";
import { type Fault, notUtf8, type RawRow, RowBytes, type RowReader, type Stop, tooLarge } from "./rows.ts";

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The parser state within a record. A quote is special only if it begins a field; the field then lasts until the next quote. */
type Place = "begin" | "plain" | "quoted" | "quote";

/**
 * Reads a CSV (RFC 4180) with a header row. A record ends at a line break outside of quotes, whatever it holds: a quote in the wrong place spoils its
 * own record only. Bytes below 0x80 mean the same everywhere in UTF-8, so records are cut before they are decoded.
 */
export function csvReader(delimiter: string): RowReader {
  const comma = delimiter.charCodeAt(0);
  const current = new RowBytes();
  let columns: RowColumns | null = null;
  let place: Place = "begin";
  let row = 0;
  let [line, position] = [1, 0];
  let [rowLine, rowPosition] = [1, 0];
  let stopped: Stop | null = null;

  const finish = (rows: RawRow[]): void => {
    const isTooLarge = current.isTooLarge;
    const bytes = withoutReturn(current.take());
    if (bytes.length === 0 && !isTooLarge) return;
    if (columns === null) {
      columns = readHeader(bytes, isTooLarge, delimiter);
      return;
    }
    const at = { row: ++row, line: rowLine, bytes };
    rows.push({ ...at, ...(isTooLarge ? { fault: tooLarge } : readRecord(bytes, columns, delimiter)) });
  };

  return {
    get stopped() {
      return stopped;
    },
    push(piece) {
      const rows: RawRow[] = [];
      let from = 0;
      for (let at = 0; at < piece.length; at++, position++) {
        const byte = piece[at]!;
        if (byte === NEWLINE) line++;
        if (place === "quoted") {
          if (byte === QUOTE) place = "quote";
        } else if (byte === NEWLINE) {
          current.add(piece.subarray(from, at));
          finish(rows);
          place = "begin";
          [from, rowLine, rowPosition] = [at + 1, line, position + 1];
        } else if (byte === comma) place = "begin";
        else if (byte === QUOTE) place = place === "plain" ? "plain" : "quoted";
        else if (byte !== RETURN || place === "begin") place = "plain";
      }
      current.add(piece.subarray(from));
      return rows;
    },
    end() {
      const rows: RawRow[] = [];
      if (place === "quoted") {
        const message = "A quoted field begins in this row and does not end";
        stopped = { row: row + 1, line: rowLine, position: rowPosition, message };
      } else if (!current.isEmpty) finish(rows);
      if (columns === null && !stopped)
        throw invalidFields([{ field: "body", code: "empty", message: "A CSV body must begin with a header row" }]);
      return rows;
    },
  };
}

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes);

function readHeader(bytes: Buffer, isTooLarge: boolean, delimiter: string): RowColumns {
  const names = isTooLarge || !isUtf8(bytes) ? null : fieldsOf(bytes.toString("utf8"), delimiter);
  if (names === null) throw invalidFields([{ field: "body", code: "header", message: "The header row of the CSV cannot be read" }]);
  return columnsOf(names);
}

function readRecord(bytes: Buffer, columns: readonly Column[], delimiter: string): { value: unknown } | { fault: Fault } {
  if (!isUtf8(bytes)) return { fault: notUtf8 };
  const text = bytes.toString("utf8");
  if (text.includes("\u0000")) return { fault: { code: "import.text", message: "The row holds a NUL, which cannot be stored" } };
  const fields = fieldsOf(text, delimiter);
  if (fields === null)
    return { fault: { code: "import.malformed", message: "A quote is in a wrong place: inside quotes, double it (RFC 4180)" } };
  if (fields.length !== columns.length) {
    const message = `The row has ${fields.length} fields where the header has ${columns.length}`;
    return { fault: { code: "import.malformed", message } };
  }
  const value: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const field = fields[index]!;
    // An empty field means that the row does not name the member.
    if (field === "") continue;
    const fault = column.put(value, field);
    if (fault) return { fault };
  }
  return { value };
}

/** Returns the fields of one record, or null if its quotes do not follow the rules. */
function fieldsOf(record: string, delimiter: string): string[] | null {
  if (!record.includes('"')) return record.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (record[at] === '"') {
      let field = "";
      for (;;) {
        const close = record.indexOf('"', at + 1);
        if (close < 0) return null;
        field += record.slice(at + 1, close);
        at = close + 1;
        if (record[at] !== '"') break;
        field += '"';
      }
      fields.push(field);
      if (at === record.length) return fields;
      if (record[at] !== delimiter) return null;
    } else {
      const next = record.indexOf(delimiter, at);
      const field = record.slice(at, next < 0 ? undefined : next);
      if (field.includes('"')) return null;
      fields.push(field);
      if (next < 0) return fields;
      at = next;
    }
    at++;
  }
}
