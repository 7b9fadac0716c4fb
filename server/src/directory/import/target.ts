import type { Logger } from "pino";
import type { Ctx } from "../../platform/context.ts";
import type { Outcome } from "./batch.ts";
import type { BatchTools } from "./batch-tools.ts";
import type { Batch } from "./batches.ts";
import type { HashPassword } from "./passwords.ts";
import type { Delimiter, MediaType, Stop } from "./readers/index.ts";
import { type CheckedRow, toRowError } from "./row.ts";
import type { OnConflict, RowError, UserImport } from "./schema.ts";

/** Runs one transaction and stores its events. */
export type Transact = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>;

export interface ImportParts extends BatchTools {
  readonly transact: Transact;
  readonly hashPassword: HashPassword;
  readonly log: Pick<Logger, "warn">;
}

export interface ImportOptions {
  readonly type: MediaType;
  readonly delimiter: Delimiter;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
  readonly importId: string | undefined;
}

/** The target of rows: the database, or nothing in a dry run. */
export interface Target {
  /** The number and digest of the rows that an earlier request has done. */
  readonly done: { readonly rows: number; readonly digest: string };
  write(batch: Batch): Promise<void>;
  finish(stopped: Stop | null): Promise<UserImport>;
  /** Called if the request was aborted, or the server cannot continue. */
  interrupt(): Promise<void>;
}

/** Counts the outcomes of a batch. */
export function tally(rows: readonly CheckedRow[], outcomes: readonly Outcome[]) {
  const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
  const errors: RowError[] = [];
  for (const [index, row] of rows.entries()) {
    const outcome = outcomes[index]!;
    if (typeof outcome === "string") counts[outcome]++;
    else {
      counts.failed++;
      errors.push(toRowError(row, outcome));
    }
  }
  return { ...counts, errors };
}
