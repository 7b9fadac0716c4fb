import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Place } from "../../kernel/vault.ts";
import { type Db, deleteRows, type Tx } from "../db/index.ts";

interface JobsTable {
  job_id: string;
  realm_id: string | null;
  kind: string;
  payload: ColumnType<Record<string, unknown>, string, string>;
  /** Ciphertext: see cli/sealed-columns.ts. */
  sealed: ColumnType<string | null, string | null | undefined, string | null>;
  dedupe_key: string | null;
  run_at: number;
  attempts: Generated<number>;
  max_attempts: Generated<number>;
  locked_until: Generated<number>;
  last_error: string | null;
  dead_at: number | null;
  created_at: number;
}

declare module "../db/tables.ts" {
  interface Tables {
    jobs: JobsTable;
  }
}

const columns = [
  "jobs.job_id",
  "jobs.realm_id",
  "jobs.kind",
  "jobs.payload",
  "jobs.sealed",
  "jobs.dedupe_key",
  "jobs.attempts",
  "jobs.max_attempts",
  "jobs.locked_until",
] as const;

/** A job as its worker sees it. */
export type Job = Pick<
  Selectable<JobsTable>,
  "job_id" | "realm_id" | "kind" | "payload" | "sealed" | "dedupe_key" | "attempts" | "max_attempts" | "locked_until"
>;

export interface Enqueue {
  /** Given by callers that need the id first, to seal the payload. */
  readonly id?: string;
  readonly kind: string;
  readonly realm?: string | null;
  readonly payload?: Record<string, unknown>;
  /** The encrypted content: see `sealPlace`. */
  readonly sealed?: string;
  /** Only one job of this kind with this key exists at a time. A second one is dropped while the first waits; if the first is running, it runs again. */
  readonly dedupeKey?: string;
  readonly runAt: number;
  readonly maxAttempts?: number;
}

/** Returns the place of a job's sealed part, by which it opens for this job only. */
export const sealPlace = (realm: string, id: string): Place => ({ realm, table: "jobs", column: "sealed", row: id });

/** Enqueues a job in the transaction: it runs only after the commit. */
export const enqueue = (tx: Tx, job: Enqueue, now: number): Promise<void> => enqueueAll(tx, [job], now);

/** The number of jobs in one statement, which has at most 65,535 parameters. */
const AT_A_TIME = 1_000;

/** Enqueues several jobs of the same shape: either all or none have `maxAttempts`, and no two have the same key. */
export async function enqueueAll(tx: Tx, jobs: readonly Enqueue[], now: number): Promise<void> {
  for (let from = 0; from < jobs.length; from += AT_A_TIME) await insertJobs(tx, jobs.slice(from, from + AT_A_TIME), now);
}

async function insertJobs(tx: Tx, jobs: readonly Enqueue[], now: number): Promise<void> {
  enqueuedIn.set(tx, Math.min(...jobs.map(({ runAt }) => runAt), enqueuedIn.get(tx) ?? Number.POSITIVE_INFINITY));
  await tx
    .insertInto("jobs")
    .values(
      jobs.map((job) => ({
        job_id: job.id ?? newId(),
        realm_id: job.realm ?? null,
        kind: job.kind,
        payload: JSON.stringify(job.payload ?? {}),
        sealed: job.sealed ?? null,
        dedupe_key: job.dedupeKey ?? null,
        run_at: job.runAt,
        created_at: now,
        ...(job.maxAttempts !== undefined && { max_attempts: job.maxAttempts }),
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "dedupe_key"])
        .where("dead_at", "is", null)
        .where("dedupe_key", "is not", null)
        // An update, unlike "do nothing", keeps the row locked until the commit: the job cannot run earlier and miss what this transaction wrote.
        .doUpdateSet({ attempts: sql`case when jobs.locked_until > ${clock.shared()} then 0 else jobs.attempts end` }),
    )
    .execute();
}

/** Returns when the next job of these kinds can be taken, or null if none waits. */
export async function nextDueAt(db: Db, kinds: readonly string[]): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    select min(greatest(run_at, locked_until)) as due from jobs where dead_at is null and kind = any(${kinds}::text[])`.execute(db);
  return rows[0]?.due ?? null;
}

const enqueuedIn = new WeakMap<Tx, number>();

/** Returns when the first job that the transaction enqueued is due. After the commit, the worker of this process looks for jobs at that time. */
export const firstEnqueued = (tx: Tx): number | undefined => enqueuedIn.get(tx);

/** The number of a worker's places that the jobs of one kind and realm hold. */
export interface Taken {
  readonly kind: string;
  readonly realm: string;
  readonly places: number;
}

/**
 * Takes up to `limit` due jobs for the length of the lease. Several nodes never take the same one. It takes at most `perRealm` of one kind and realm, including
 * the jobs in `taken`; further jobs wait and do not block other realms.
 */
export async function claimJobs(
  db: Db,
  kinds: readonly string[],
  limit: number,
  now: number,
  leaseMs: number,
  perRealm = limit,
  taken: readonly Taken[] = [],
): Promise<Job[]> {
  const full = taken.filter(({ places }) => places >= perRealm);
  const { rows } = await sql<Job>`
    with taken as materialized (
      select t.kind, t.realm, t.places from json_to_recordset(${JSON.stringify(taken)}::text::json) as t (kind text, realm text, places integer)
    ),
    -- It is materialized, because as part of a join the locking read could run more than once and take more than the limit.
    due as materialized (
      select job_id, kind, realm_id, run_at from jobs
      where dead_at is null and run_at <= ${now} and locked_until <= ${clock.shared()} and kind = any(${kinds}::text[]) ${notIn(full)}
      order by run_at limit ${limit} for update skip locked
    ),
    ranked as (
      select due.job_id, due.realm_id, coalesce(t.places, 0) + row_number() over (partition by due.kind, due.realm_id order by due.run_at) as place
      from due left join taken t on t.kind = due.kind and t.realm = due.realm_id
    )
    update jobs set locked_until = ${clock.shared() + leaseMs}, attempts = jobs.attempts + 1
    from ranked where jobs.job_id = ranked.job_id and (ranked.realm_id is null or ranked.place <= ${perRealm}::integer)
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(db);
  return rows;
}

/** Excludes full realms. It is a plain condition, so that due jobs are still read in order from the index. */
const notIn = (full: readonly Taken[]) =>
  full.length === 0
    ? sql``
    : sql`and (realm_id is null or (kind, realm_id) not in (${sql.join(full.map(({ kind, realm }) => sql`(${kind}, ${realm})`))}))`;

/**
 * Selects the job while this worker's claim holds. The end of the lease identifies the claim: a worker whose lease ran out must not end the job of its
 * successor. `thisRun` also compares the attempts, which change if the job was enqueued again while it ran.
 */
const held = (db: Db, job: Job) => db.updateTable("jobs").where("job_id", "=", job.job_id).where("locked_until", "=", job.locked_until);
const thisRun = (db: Db, job: Job) => held(db, job).where("attempts", "=", job.attempts);

/** Deletes a job that is not needed any more. One that is running at this moment runs to its end. */
export async function cancelJob(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, "jobs", { job_id: id });
}

export async function finishJob(db: Db, job: Job, now: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("jobs")
    .where("job_id", "=", job.job_id)
    .where("locked_until", "=", job.locked_until)
    .where("attempts", "=", job.attempts)
    .executeTakeFirst();
  if (numDeletedRows === 0n) await held(db, job).set({ locked_until: 0, run_at: now, last_error: null }).execute();
}

/** Schedules the next run of a recurring job, which is never finished. */
export async function rescheduleJob(db: Db, job: Job, runAt: number): Promise<void> {
  await held(db, job).set({ run_at: runAt, locked_until: 0, attempts: 0, last_error: null }).execute();
}

export async function retryJob(db: Db, job: Job, runAt: number, error: string): Promise<void> {
  await held(db, job).set({ run_at: runAt, locked_until: 0, last_error: error }).execute();
}

/** Ends a job as failed and deletes its sealed content. Returns false if it was requested again while it ran: it is then retried. */
export async function buryJob(db: Db, job: Job, now: number, error: string): Promise<boolean> {
  const { numUpdatedRows } = await thisRun(db, job)
    .set({ dead_at: now, locked_until: 0, last_error: error, sealed: null })
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await retryJob(db, job, now, error);
  return numUpdatedRows > 0n;
}

/** Returns the job with its new lease, or null if another worker has taken it over. */
export async function extendLease(db: Db, job: Job, leaseMs: number): Promise<Job | null> {
  const until = clock.shared() + leaseMs;
  const { numUpdatedRows } = await held(db, job).set({ locked_until: until }).executeTakeFirst();
  return numUpdatedRows > 0n ? { ...job, locked_until: until } : null;
}

export async function queueDepth(db: Db, now: number): Promise<{ waiting: number; dead: number; oldestMs: number }> {
  const { rows } = await sql<{ waiting: number; dead: number; oldest: number | null }>`
    select (select count(*) from jobs where dead_at is null and run_at <= ${now}) as waiting,
           (select count(*) from jobs where dead_at is not null) as dead,
           (select min(run_at) from jobs where dead_at is null and run_at <= ${now}) as oldest`.execute(db);
  const { waiting = 0, dead = 0, oldest = null } = rows[0] ?? {};
  return { waiting, dead, oldestMs: oldest === null ? 0 : now - oldest };
}

export async function deleteDeadJobs(db: Db, before: number): Promise<void> {
  await db.deleteFrom("jobs").where("dead_at", "<", before).execute();
}
