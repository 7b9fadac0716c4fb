import { clock, SECOND } from "../../kernel/clock.ts";
import { isId, newId } from "../../kernel/ids.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { type LdapEntry, LdapError } from "../../platform/ldap/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { directoryOf } from "./directory.ts";
import { directoryErrors } from "./errors.ts";
import { type Mark, parseMark } from "./mark.ts";
import type { Memberships } from "./memberships.ts";
import { readDirectory } from "./reading.ts";
import { endRun, holdRun, keepRun, lastMark, latestRuns, type Owner, type Report, type RunKind } from "./runs.store.ts";
import type { SyncOptions, SyncParts } from "./sync-parts.ts";
import { createSyncWriter } from "./sync-writer.ts";

export interface SyncResult extends Report {
  readonly runId: string;
  readonly kind: RunKind;
  readonly dryRun: boolean;
  readonly durationMs: number;
}

/**
 * Reads a directory and makes its users follow it. One run at a time is possible for each directory, on all nodes. If not everything could be read, the run
 * ends before any user counts as gone.
 */
export async function syncDirectory(parts: SyncParts, provider: ProviderSnapshot, options: SyncOptions): Promise<SyncResult> {
  const { db, work } = parts;
  const directory = directoryOf(provider);
  if (directory.everyone === null) throw directoryErrors.filter_finds_one();
  const owner = { realm: provider.realm, providerId: provider.providerId };
  const mark = parseMark(await lastMark(db, owner));
  const [runId, startedAt] = [newId(), clock.now()];
  const origin = { realm: provider.realm, actor: options.actor, sourceIp: options.sourceIp };
  const begun = {
    run_id: runId,
    kind: options.full || mark === null ? "full" : "changed",
    dry_run: options.dryRun,
    requested_by: options.actor.name,
    requested_by_id: isId(options.actor.id) ? options.actor.id : null,
  } as const;
  if (!(await work.transact(origin, (ctx) => holdRun(ctx.tx, owner, begun, ctx.now)))) throw directoryErrors.running();

  const writer = createSyncWriter(parts, directory, options, startedAt);
  let state: "done" | "failed" = "done";
  let message: string | null = null;
  let read: { mark: Mark | null; kind: RunKind } = { mark: null, kind: begun.kind };
  let reportedAt = 0;
  const entryWriter = {
    regrouped: writer.regrouped,
    async take(entries: readonly LdapEntry[], memberships: Memberships) {
      await writer.take(entries, memberships);
      if (clock.now() - reportedAt < SECOND) return;
      reportedAt = clock.now();
      if (!(await keepRun(db, owner, runId, writer.report(null)))) throw directoryErrors.taken_over();
    },
  };
  try {
    const pool = parts.pools.of(provider);
    const reading = await pool.own((connection) => readDirectory(pool, connection, directory, { mark, full: options.full }, entryWriter));
    read = reading;
    // Only a full read shows who is gone, or a directory that lists its changed entries.
    const warning = await writer.finish(reading.kind === "full" ? "unseen" : reading.missing);
    message = [warning, ...reading.notes].filter((note) => note !== null).join(" ") || null;
  } catch (error) {
    state = "failed";
    message = error instanceof LdapError ? error.message : null;
    if (!(error instanceof LdapError)) {
      await finish(writer.report("It was broken off by an error of this server."));
      throw error;
    }
    parts.log.warn(
      { ...owner, fault: error.fault, resultCode: error.resultCode, diagnostic: error.diagnostic },
      `a sync failed: ${error.message}`,
    );
  }
  const report = writer.report(message);
  await finish(report);
  if (state === "failed") throw directoryErrors.failed(report);
  return { ...report, runId, kind: read.kind, dryRun: options.dryRun, durationMs: clock.now() - startedAt };

  async function finish(report: Report): Promise<void> {
    await work.transact(origin, async (ctx) => {
      const mark = state === "done" && read.mark !== null ? JSON.stringify(read.mark) : null;
      if (!(await endRun(ctx.tx, owner, runId, { state, report, mark }, ctx.now))) return;
      const outcome = state === "done" ? "success" : "failure";
      const seconds = (clock.now() - startedAt) / SECOND;
      if (!options.dryRun) ctx.afterCommit(() => parts.metrics.synced(provider.protocol, { outcome, seconds, report }));
      const counts = (["synced", "created", "updated", "disabled", "skipped", "failed"] as const).map((name) => `${name} ${report[name]}`);
      ctx.audit({
        ...{ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "user-federation", resourceId: provider.alias },
        outcome: state === "done" ? "SUCCESS" : "FAILURE",
        detail: `${options.dryRun ? "dry run, " : ""}${read.kind} sync: ${counts.join(", ")}`,
      });
    });
  }
}

const NOTHING = { synced: 0, created: 0, updated: 0, disabled: 0, skipped: 0, failed: 0, errors: [], message: null };

/** Returns the runs, newest first, with the progress of a running one. */
export async function readRuns(ctx: ReadCtx, owner: Owner, page: { readonly size: number; readonly before: string | null }) {
  return (await latestRuns(ctx.tx, owner, page)).map((row) => ({
    ...{ ...NOTHING, ...row.report },
    ...{ runId: row.run_id, kind: row.kind, dryRun: row.dry_run, state: row.state, requestedBy: row.requested_by },
    ...{ startedAt: row.started_at, finishedAt: row.finished_at },
  }));
}
