import { clock, SECOND } from "../../kernel/clock.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { type AuditDraft, type ReadCtx, systemActor } from "../../platform/context.ts";
import { type LdapEntry, LdapError } from "../../platform/ldap/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { directoryOf } from "./directory.ts";
import { directoryErrors } from "./errors.ts";
import { type Mark, parseMark } from "./mark.ts";
import type { Memberships } from "./memberships.ts";
import { readDirectory } from "./reading.ts";
import {
  abandonedRuns,
  endRun,
  holdRun,
  keepRun,
  LEASE,
  lastMark,
  latestRuns,
  type Owner,
  type Report,
  type RunKind,
} from "./runs.store.ts";
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
    requested_by_kind: options.actor.kind,
  } as const;
  await endAbandonedRuns(parts, owner);
  if (!(await work.transact(origin, (ctx) => holdRun(ctx.tx, owner, begun, ctx.now)))) throw directoryErrors.running();

  const writer = createSyncWriter(parts, directory, options, startedAt);
  let state: "done" | "failed" = "done";
  let message: string | null = null;
  let read: { mark: Mark | null; kind: RunKind } = { mark: null, kind: begun.kind };
  let reportedAt = 0;
  const keep = async () => {
    if (!(await keepRun(db, owner, runId, writer.report(null)))) throw directoryErrors.taken_over();
  };
  const entryWriter = {
    regrouped: writer.regrouped,
    async take(entries: readonly LdapEntry[], memberships: Memberships) {
      await writer.take(entries, memberships);
      if (clock.now() - reportedAt < SECOND) return;
      reportedAt = clock.now();
      await keep();
    },
  };
  // A page may arrive slowly, and to disable many users takes long.
  const heartbeat = setInterval(() => {
    keep().catch((err) => parts.log.warn({ err, ...owner }, "could not say that a sync is still running"));
  }, LEASE / 4).unref();
  try {
    const pool = parts.pools.of(provider);
    const reading = await pool.own((connection) => readDirectory(pool, connection, directory, { mark, full: options.full }, entryWriter));
    read = reading;
    await keep();
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
    clearInterval(heartbeat);
    await work.transact(origin, async (ctx) => {
      const mark = state === "done" && read.mark !== null ? JSON.stringify(read.mark) : null;
      if (!(await endRun(ctx.tx, owner, runId, { state, report, mark }, ctx.now))) return;
      const seconds = (clock.now() - startedAt) / SECOND;
      const outcome = state === "done" ? "success" : "failure";
      if (!options.dryRun) ctx.afterCommit(() => parts.metrics.synced(provider.protocol, { outcome, seconds, report }));
      ctx.audit(eventOf({ alias: provider.alias, dryRun: options.dryRun, kind: read.kind, state, report }));
    });
  }
}

interface EndedRun {
  readonly alias: string;
  readonly dryRun: boolean;
  readonly kind: RunKind;
  readonly state: "done" | "failed";
  readonly report: Report;
}

const COUNTS = ["synced", "created", "updated", "disabled", "skipped", "failed"] as const;

const eventOf = ({ alias, dryRun, kind, state, report }: EndedRun): AuditDraft => ({
  ...{ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "user-federation", resourceId: alias },
  outcome: state === "done" ? "SUCCESS" : "FAILURE",
  detail: `${dryRun ? "dry run, " : ""}${kind} sync: ${COUNTS.map((name) => `${name} ${report[name]}`).join(", ")}`,
});

/** Ends runs whose node died, of this directory or of every one. What they have written is audited in the name of their requester. */
export async function endAbandonedRuns(
  { db, work, metrics }: Pick<SyncParts, "db" | "work" | "metrics">,
  of: Owner | null = null,
): Promise<void> {
  for (const run of await abandonedRuns(db, of)) {
    const { realm_id: realm, alias, kind, protocol, requested_by: name } = run;
    const owner = { realm, providerId: run.provider_id };
    const report = { ...NOTHING, ...run.report, message: "The server stopped during the sync." };
    const system = systemActor(realm);
    await work.transact({ realm, actor: system, sourceIp: null }, async (ctx) => {
      const end = { state: "failed", report, mark: null, onlyAbandoned: true } as const;
      if (!(await endRun(ctx.tx, owner, run.run_id, end, ctx.now))) return;
      const seconds = (ctx.now - run.started_at) / SECOND;
      if (!run.dry_run) ctx.afterCommit(() => metrics.synced(protocol, { outcome: "failure", seconds, report }));
      const event = eventOf({ alias, dryRun: run.dry_run, kind, state: "failed", report });
      const by = { id: run.requested_by_id, name, ...(run.requested_by_kind && { kind: run.requested_by_kind }) };
      ctx.audit(name === system.name ? event : { ...event, actor: by });
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
