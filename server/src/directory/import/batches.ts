import type { CheckedRow } from "./row.ts";
import { isReady, keysOf } from "./row.ts";

const MAX_ROWS = 500;
/** A row may have a megabyte, so the size of a batch is bounded, too. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Hashing is slow, so batches are small: they show progress, and little is repeated after a failure. */
const MAX_PASSWORDS = 50;

export interface Batch {
  readonly rows: readonly CheckedRow[];
  /** The digest of all rows up to its last one, as they were sent. */
  readonly digest: string;
}

/**
 * Rows that are written together. No two of them share a name: a row that repeats an earlier one begins the next batch, and finds the conflict in
 * the database, like every other conflict.
 */
export class OpenBatch {
  #rows: CheckedRow[] = [];
  #keys = new Set<string>();
  #bytes = 0;
  #passwords = 0;

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  hasRoomFor(row: CheckedRow): boolean {
    if (this.#rows.length >= MAX_ROWS || this.#bytes >= MAX_BYTES || this.#passwords >= MAX_PASSWORDS) return false;
    return !isReady(row) || keysOf(row).every((key) => !this.#keys.has(key));
  }

  add(row: CheckedRow, bytes: number): void {
    this.#rows.push(row);
    this.#bytes += bytes;
    if (!isReady(row)) return;
    for (const key of keysOf(row)) this.#keys.add(key);
    if (row.user.password !== undefined) this.#passwords++;
  }

  take(digest: string): Batch {
    const batch = { rows: this.#rows, digest };
    this.#rows = [];
    this.#keys = new Set();
    this.#bytes = 0;
    this.#passwords = 0;
    return batch;
  }
}
