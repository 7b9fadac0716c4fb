import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { clock } from "../../kernel/clock.ts";
import { malformed } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { OpenBatch } from "./batches.ts";
import { dryRunTarget } from "./dry-run.ts";
import { importErrors } from "./errors.ts";
import { findImport } from "./imports.store.ts";
import { hashPasswords } from "./passwords.ts";
import { type RawRow, readRows, type Stop } from "./readers/index.ts";
import { checkRow } from "./row.ts";
import type { UserImport } from "./schema.ts";
import { storedTarget } from "./stored.ts";
import type { ImportOptions, ImportParts, Target } from "./target.ts";

export async function readImport(ctx: ReadCtx, importId: string): Promise<UserImport> {
  const found = await findImport(ctx.tx, ctx.realm, importId);
  if (!found) throw importErrors.not_found();
  return found.report;
}

/**
 * Imports the users of a body while it arrives. Rows are checked one by one and committed in batches. Whatever happens, committed rows stay, are
 * counted, and are not repeated.
 */
export async function importUsers(parts: ImportParts, body: Readable, options: ImportOptions): Promise<UserImport> {
  const rows = readRows(body, options.type, options.delimiter);
  // A body that cannot be read at all is a bad request, not an import.
  const begun = await firstRows(rows);
  const target = options.dryRun ? dryRunTarget(parts, options.onConflict) : await storedTarget(parts, options);
  try {
    const stopped = await writeRows(parts, begun, rows, target);
    return await target.finish(stopped);
  } catch (error) {
    await target.interrupt();
    throw error;
  }
}

type Rows = AsyncGenerator<readonly RawRow[], Stop | null>;
type Step = IteratorResult<readonly RawRow[], Stop | null>;

async function firstRows(rows: Rows): Promise<Step> {
  for (;;) {
    const step = await rows.next();
    if (!step.done && step.value.length === 0) continue;
    if (step.done && step.value) {
      const { message, line, position } = step.value;
      throw malformed(`${message} (line ${line}, byte ${position})`);
    }
    return step;
  }
}

async function writeRows(parts: ImportParts, begun: Step, rows: Rows, target: Target): Promise<Stop | null> {
  const { done } = target;
  const digest = createHash("sha256");
  const batch = new OpenBatch();
  let read = 0;
  const flush = async (): Promise<void> => {
    if (batch.isEmpty) return;
    const { rows: checked, digest: upTo } = batch.take(digest.copy().digest("base64url"));
    await target.write({ rows: await hashPasswords(checked, parts.hashPassword), digest: upTo });
  };
  let step = begun;
  for (; !step.done; step = await rows.next()) {
    for (const raw of step.value) {
      const row = ++read > done.rows ? checkRow(raw, clock.now()) : null;
      // The batch is written before this row is added to the digest, which covers the rows of the batch only.
      if (row && !batch.hasRoomFor(row)) await flush();
      digest.update(raw.bytes).update("\n");
      if (row) batch.add(row, raw.bytes.length);
      else if (read === done.rows && digest.copy().digest("base64url") !== done.digest) throw importErrors.other_file();
    }
  }
  // A body with fewer rows than were imported cannot be the same file.
  if (read < done.rows) throw importErrors.other_file();
  await flush();
  return step.value;
}
