import { newId } from "../../kernel/ids.ts";
import { type AuditDraft, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { writeBatch } from "./batch.ts";
import { importErrors } from "./errors.ts";
import { abandonedImports, addProgress, finishImport, HOLD, holdImport, keepHold, MAX_ERRORS } from "./imports.store.ts";
import type { Status, UserImport } from "./schema.ts";
import { type ImportOptions, type ImportParts, type Target, tally } from "./target.ts";

/** A target that stores rows, with their number and outcomes, in the database. One request at a time holds an import. */
export async function storedTarget(
  { transact, log, vault, links }: ImportParts,
  { importId = newId(), onConflict }: Pick<ImportOptions, "importId" | "onConflict">,
): Promise<Target> {
  const holder = newId();
  const held = await transact((ctx) => holdImport(ctx.tx, ctx.realm, importId, holder, ctx.actor, ctx.now));
  if (!held) throw importErrors.running();
  let listed = held.report.errors.length;
  let hasWritten = false;

  // A body may arrive slowly, so the lease is extended between commits, too.
  const heartbeat = setInterval(() => {
    transact((ctx) => keepHold(ctx.tx, ctx.realm, importId, holder)).catch((err) =>
      log.warn({ err, importId }, "could not say that an import is still running"),
    );
  }, HOLD / 4).unref();

  const finish = async (status: Status, stopped: Parameters<Target["finish"]>[0]): Promise<UserImport | null> => {
    clearInterval(heartbeat);
    return transact(async (ctx) => {
      const ended = await finishImport(ctx.tx, ctx.realm, importId, holder, status, stopped, ctx.now);
      // Each import is one event. A repetition that changed nothing is none.
      const isSame = ended?.report.rows === held.report.rows && ended.report.status === held.before;
      if (ended && !isSame) ctx.audit(eventOf(ended.report, held.before === null ? null : held.report.rows));
      return ended?.report ?? null;
    });
  };

  return {
    done: { rows: held.report.rows, digest: held.digest },
    async write(batch) {
      const outcomes = await writeBatch(batch, onConflict, { vault, links }, (write) =>
        transact(async (ctx) => {
          const results = await write(ctx);
          const { errors, ...counts } = tally(batch.rows, results);
          const progress = { ...counts, rows: batch.rows.length, digest: batch.digest, errors: errors.slice(0, MAX_ERRORS - listed) };
          if (!(await addProgress(ctx.tx, ctx.realm, importId, holder, progress, ctx.now))) throw importErrors.taken_over();
          return results;
        }),
      );
      hasWritten = true;
      listed = Math.min(MAX_ERRORS, listed + tally(batch.rows, outcomes).failed);
    },
    async finish(stopped) {
      const report = await finish(stopped ? "FAILED" : "COMPLETED", stopped);
      if (!report) throw importErrors.taken_over();
      return report;
    },
    async interrupt() {
      // An import that another process has taken over is not ended here. A complete import that got no further row stays complete.
      const status = held.before === "COMPLETED" && !hasWritten ? "COMPLETED" : "INTERRUPTED";
      await finish(status, null).catch((err) => log.warn({ err, importId }, "could not mark an import as interrupted"));
    },
  };
}

/** `before` is the number of rows that were done when the import was sent again with the same id; null for the first time. */
const eventOf = ({ importId, status, rows, created, updated, skipped, failed }: UserImport, before: number | null): AuditDraft => ({
  category: "ADMIN",
  type: "ADMIN_ACTION",
  resourceType: "users",
  resourceId: importId!,
  detail: `import ${status}: ${rows} rows, ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed${
    before === null ? "" : `; repeated with the same importId, ${before} rows were done before`
  }`,
});

/** Ends imports of a stopped server: the committed rows are audited, and the imports can be resumed. */
export async function endAbandonedImports({ db, work }: { db: Db; work: UnitOfWork }): Promise<void> {
  for (const { realm, importId, holder, actor } of await abandonedImports(db)) {
    await work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
      const ended = await finishImport(ctx.tx, realm, importId, holder, "INTERRUPTED", null, ctx.now);
      if (ended) ctx.audit({ ...eventOf(ended.report, null), ...(actor && { actor }) });
    });
  }
}
