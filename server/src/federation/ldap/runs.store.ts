import { type ColumnType, type Selectable, sql, type Updateable } from "kysely";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import type { ActorKind } from "../../platform/context.ts";
import { type Db, deleteInBatches, type Tx } from "../../platform/db/index.ts";
import { SYNC_DEFAULTS } from "./config.ts";
import { directoryProtocols } from "./directory.ts";

export type RunKind = "full" | "changed";
type RunState = "running" | "done" | "failed";

/** The progress of a run. */
export interface Report {
  readonly synced: number;
  readonly created: number;
  readonly updated: number;
  readonly disabled: number;
  readonly skipped: number;
  readonly failed: number;
  readonly errors: { readonly dn: string; readonly message: string }[];
  /** A note for administrators about the run as a whole. */
  readonly message: string | null;
}

interface RunsTable {
  realm_id: string;
  provider_id: string;
  run_id: string;
  kind: RunKind;
  dry_run: boolean;
  state: RunState;
  requested_by: string;
  /** Null if no user requested the run. */
  requested_by_id: string | null;
  /** Null if an earlier release began the run. */
  requested_by_kind: ActorKind | null;
  started_at: number;
  finished_at: number | null;
  lease_until: number;
  /** Empty until the first page has been read. */
  report: ColumnType<Partial<Report>, string, string>;
  mark: string | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    directory_runs: RunsTable;
  }
}

export interface Owner {
  readonly realm: string;
  readonly providerId: string;
}

/** A node that reports nothing for this long counts as dead. */
export const LEASE = 2 * MINUTE;
const KEEP = 90 * DAY;

type NewRun = Pick<RunsTable, "run_id" | "kind" | "dry_run" | "requested_by" | "requested_by_id" | "requested_by_kind">;

/** Starts a run. Returns false if another run is under way. */
export async function holdRun(tx: Tx, { realm, providerId }: Owner, run: NewRun, now: number): Promise<boolean> {
  const { rows } = await sql`
    insert into directory_runs (realm_id, provider_id, run_id, kind, dry_run, state, requested_by, requested_by_id, requested_by_kind, started_at, lease_until)
    values (${realm}, ${providerId}::uuid, ${run.run_id}::uuid, ${run.kind}, ${run.dry_run}, 'running', ${run.requested_by},
      ${run.requested_by_id}::uuid, ${run.requested_by_kind}, ${now}, ${clock.shared() + LEASE})
    on conflict (realm_id, provider_id) where state = 'running' do nothing returning run_id`.execute(tx);
  return rows.length > 0;
}

/** Returns the runs whose node died, of this directory or of every one. */
export async function abandonedRuns(db: Db, owner: Owner | null) {
  return db
    .selectFrom("directory_runs as r")
    .innerJoin("identity_providers as p", (join) =>
      join.onRef("p.realm_id", "=", "r.realm_id").onRef("p.provider_id", "=", "r.provider_id"),
    )
    .select(["r.realm_id", "r.provider_id", "r.run_id", "r.kind", "r.dry_run", "r.started_at", "r.report", "p.alias", "p.protocol"])
    .select(["r.requested_by", "r.requested_by_id", "r.requested_by_kind"])
    .where("r.state", "=", sql.lit("running" as const))
    .where("r.lease_until", "<", clock.shared())
    .$if(owner !== null, (query) => query.where("r.realm_id", "=", owner!.realm).where("r.provider_id", "=", owner!.providerId))
    .limit(100)
    .execute();
}

/** Stores the progress. Returns false if the run was taken for dead, so that another may run. */
export async function keepRun(db: Db, owner: Owner, runId: string, report: Report): Promise<boolean> {
  return changeRunning(db, owner, runId, { report: JSON.stringify(report), lease_until: clock.shared() + LEASE });
}

export async function endRun(
  tx: Tx,
  owner: Owner,
  runId: string,
  end: { readonly state: RunState; readonly report: Report; readonly mark: string | null; readonly onlyAbandoned?: boolean },
  now: number,
): Promise<boolean> {
  const change = { state: end.state, report: JSON.stringify(end.report), mark: end.mark, finished_at: now };
  return changeRunning(tx, owner, runId, change, end.onlyAbandoned);
}

async function changeRunning(
  db: Db,
  { realm, providerId }: Owner,
  runId: string,
  change: Updateable<RunsTable>,
  onlyAbandoned = false,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("directory_runs")
    .set(change)
    .where("realm_id", "=", realm)
    .where("provider_id", "=", providerId)
    .where("run_id", "=", runId)
    .where("state", "=", "running")
    .$if(onlyAbandoned, (query) => query.where("lease_until", "<", clock.shared()))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns runs, newest first; with `before`, only runs older than that one. */
export async function latestRuns(
  db: Db,
  { realm, providerId }: Owner,
  { size, before }: { readonly size: number; readonly before: string | null },
): Promise<Omit<Selectable<RunsTable>, "realm_id" | "provider_id" | "requested_by_id" | "requested_by_kind" | "lease_until" | "mark">[]> {
  return db
    .selectFrom("directory_runs")
    .select(["run_id", "kind", "dry_run", "state", "requested_by", "started_at", "finished_at", "report"])
    .where("realm_id", "=", realm)
    .where("provider_id", "=", providerId)
    .$if(before !== null, (query) => query.where("run_id", "<", before!))
    .orderBy("run_id", "desc")
    .limit(size)
    .execute();
}

/** Returns the mark of the last complete run: how far it read the directory. */
export async function lastMark(db: Db, { realm, providerId }: Owner): Promise<string | null> {
  const row = await db
    .selectFrom("directory_runs")
    .select("mark")
    .where("realm_id", "=", realm)
    .where("provider_id", "=", providerId)
    .where("state", "=", "done")
    .where("dry_run", "=", false)
    .orderBy("run_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.mark ?? null;
}

export async function deleteOldRuns(db: Db, now: number): Promise<void> {
  await deleteInBatches(db, "directory_runs", sql`finished_at < ${now - KEEP}`);
}

export interface DueSync {
  /** Null if the directory uses the default filter. */
  readonly filter: string | null;
  readonly realm: string;
  readonly alias: string;
  readonly full: boolean;
}

/** Returns the directories whose next sync is due. The interval begins at the last attempt, even if it failed. */
export async function dueSyncs(db: Db, now: number): Promise<DueSync[]> {
  const last = (kinds: string[]) => sql`coalesce((select max(r.started_at) from directory_runs r
    where r.realm_id = p.realm_id and r.provider_id = p.provider_id and not r.dry_run and r.kind = any(${kinds}::text[])), p.created_at)`;
  const minutes = (member: keyof typeof SYNC_DEFAULTS) => sql`coalesce((p.config->>${member})::bigint, ${SYNC_DEFAULTS[member]})`;
  const isDue = (member: keyof typeof SYNC_DEFAULTS, kinds: string[]) =>
    sql`(${minutes(member)} > 0 and ${last(kinds)} + ${minutes(member)} * ${MINUTE} <= ${now})`;
  const { rows } = await sql<{ realm_id: string; alias: string; filter: string | null; full: boolean; changed: boolean }>`
    select p.realm_id, p.alias, p.config->>'userSearchFilter' as filter, ${isDue("fullSyncMinutes", ["full"])} as full, ${isDue("changedSyncMinutes", ["full", "changed"])} as changed
    from identity_providers p join realms m on m.realm_id = p.realm_id and m.deleted_at is null
    where p.enabled and p.protocol = any(${[...directoryProtocols]}::text[])`.execute(db);
  return rows
    .filter(({ full, changed }) => full || changed)
    .map((row) => ({ realm: row.realm_id, alias: row.alias, filter: row.filter, full: row.full }));
}
