import { clock } from "../../kernel/clock.ts";
import { userErrors } from "../users/index.ts";
import { type Outcome, writeBatch } from "./batch.ts";
import { MAX_ERRORS } from "./imports.store.ts";
import { createKeySet } from "./key-set.ts";
import { type CheckedRow, isReady, keysOf, type ReadyRow } from "./row.ts";
import type { OnConflict, RowError } from "./schema.ts";
import { type ImportParts, type Target, tally } from "./target.ts";

/** Thrown instead of committing a batch. */
class Undone extends Error {
  readonly outcomes: Outcome[];
  constructor(outcomes: Outcome[]) {
    super("A dry run commits nothing");
    this.outcomes = outcomes;
  }
}

/** A target that writes every batch and rolls it back: the database reports its errors, and no row stays. */
export function dryRunTarget({ transact, vault, links }: ImportParts, onConflict: OnConflict): Target {
  const startedAt = clock.now();
  const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
  const listed: RowError[] = [];
  // Each batch is rolled back, so repeated names in the file are found here.
  const names = createKeySet();
  const asUsername = (key: string) => `u ${key}`;
  const asAddress = (key: string) => `a ${key}`;
  const isRepeated = (row: CheckedRow): row is ReadyRow =>
    isReady(row) && keysOf(row).some((key) => names.has(asUsername(key)) || names.has(asAddress(key)));
  const repeated = (row: ReadyRow): Outcome => {
    const isThere = !row.inactiveKeys.has(row.usernameKey) && names.has(asUsername(row.usernameKey));
    if (onConflict === "skip" && (isThere || row.user.userId === undefined)) return "skipped";
    if (onConflict === "update" && isThere) return "updated";
    const { code, message } = userErrors.login_name_taken();
    return { code, message };
  };

  const undone = (write: Parameters<Parameters<typeof writeBatch>[3]>[0]): Promise<Outcome[]> =>
    transact(async (ctx): Promise<Outcome[]> => {
      throw new Undone(await write(ctx));
    }).catch((error) => {
      if (error instanceof Undone) return error.outcomes;
      throw error;
    });

  const report = (status: "COMPLETED" | "FAILED", stopped: Parameters<Target["finish"]>[0]) => ({
    importId: null,
    status,
    dryRun: true,
    rows: counts.created + counts.updated + counts.skipped + counts.failed,
    ...counts,
    errors: listed,
    errorsTruncated: counts.failed > listed.length,
    stopped,
    startedAt,
    finishedAt: clock.now(),
  });

  return {
    done: { rows: 0, digest: "" },
    async write(batch) {
      const fresh = batch.rows.filter((row) => !isRepeated(row));
      const results = new Map(batch.rows.filter(isRepeated).map((row): [CheckedRow, Outcome] => [row, repeated(row)]));
      const outcomes = await writeBatch({ ...batch, rows: fresh }, onConflict, { vault, links }, undone);
      for (const [index, row] of fresh.entries()) {
        results.set(row, outcomes[index]!);
        if (isReady(row) && outcomes[index] === "created")
          for (const key of keysOf(row)) names.add(key === row.usernameKey ? asUsername(key) : asAddress(key));
      }
      const { errors, ...more } = tally(
        batch.rows,
        batch.rows.map((row) => results.get(row)!),
      );
      for (const name of ["created", "updated", "skipped", "failed"] as const) counts[name] += more[name];
      listed.push(...errors.slice(0, MAX_ERRORS - listed.length));
    },
    finish: async (stopped) => report(stopped ? "FAILED" : "COMPLETED", stopped),
    interrupt: async () => {},
  };
}
