// Shared by the three formats: a body of any length arrives in chunks of any size and is read row by row.

/** The reason why a row was refused. It never holds the row's content: reports are stored, and users may be erased. */
export interface Fault {
  readonly code: string;
  readonly message: string;
}

/** One row as it was found; `fault` is set if it could not be parsed. */
export interface RawRow {
  /** Counts from 1; the header of a CSV is not counted. */
  readonly row: number;
  /** The line of the file at which the row begins. */
  readonly line: number;
  /** The bytes as they were sent; empty for a row that is too large to be kept. */
  readonly bytes: Buffer;
  readonly value?: unknown;
  readonly fault?: Fault;
}

/** The place where the body became unparsable: earlier rows stay, later ones cannot be separated. */
export interface Stop {
  readonly row: number;
  readonly line: number;
  /** Counted in bytes from the beginning. */
  readonly position: number;
  readonly message: string;
}

export interface RowReader {
  /** Returns the rows that this piece completes. */
  push(piece: Buffer): RawRow[];
  /** Returns the rows that the end of the body completes. */
  end(): RawRow[];
  /** Set if nothing more can be read. */
  readonly stopped: Stop | null;
}

/** A row may be as large as the body of any other request. */
const MAX_ROW_BYTES = 1024 * 1024;

export const tooLarge: Fault = { code: "import.row_too_large", message: "The row is larger than 1 MB" };
export const notUtf8: Fault = { code: "import.encoding", message: "The row is not valid UTF-8" };

/** Collects one row across the borders of pieces. If the row grows too large, only its length is kept. */
export class RowBytes {
  #parts: Buffer[] = [];
  #length = 0;

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.isTooLarge) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  get isTooLarge(): boolean {
    return this.#length > MAX_ROW_BYTES;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Returns the collected row, empty if it was too large, and begins the next one. */
  take(): Buffer {
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}
