import { AsyncResource } from "node:async_hooks";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type Db, inTransaction } from "../db/index.ts";
import { pollEvery } from "../loop.ts";
import {
  buryJob,
  claimJobs,
  deleteDeadJobs,
  enqueue,
  extendLease,
  finishJob,
  type Job,
  nextDueAt,
  rescheduleJob,
  retryJob,
} from "./store.ts";

/** A job as its handler sees it. */
export interface RunningJob {
  /** The same id in all attempts. */
  readonly id: string;
  readonly realm: string | null;
  readonly payload: Record<string, unknown>;
  readonly sealed: string | null;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
}

/** Runs the jobs of one kind. A job may run twice, and even at the same time if its worker could not extend the lease. */
export interface JobHandler {
  readonly run: (job: RunningJob) => Promise<void>;
  /** The interval of a recurring job, which runs on one node at a time. */
  readonly every?: number;
  /** The waits after the first, the second … failed attempt. If there are more attempts, the last one applies to them. */
  readonly waits?: readonly number[];
  /** Called when a job is given up: after the last attempt, after a `GiveUp`, or if no worker survived it. */
  readonly buried?: (job: RunningJob) => void;
}

export type JobHandlers = Record<string, JobHandler>;

/** Thrown by a handler if trying again cannot help. The message is kept in the table. */
export class GiveUp extends Error {
  override readonly name = "GiveUp";
}

/** Thrown by a handler to be called again, but not before this time has passed. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

export interface JobWorker {
  start(): Promise<void>;
  /** Stops and waits for the running jobs. The others stay in the table. */
  stop(): Promise<void>;
  /** Looks for jobs at this time, or at once, and not only at the next turn. It serves jobs that have just been committed. */
  wake(dueAt?: number): void;
  /** Runs the jobs that are due and returns their number, for tests. */
  runDue(): Promise<number>;
}

interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

const LEASE = MINUTE;
/** One node runs at most this many jobs at once. */
const AT_ONCE = 20;
/** The limit per kind and realm: a realm whose peer does not respond must not block the others. */
const PER_REALM = 5;
const KEEP_DEAD = 30 * DAY;

/** Returns the usual wait: 2 s, 4 s, 8 s … at most an hour. */
const usualWait = (attempts: number): number => Math.min(HOUR, 2 ** attempts * SECOND);

/** Adds a fifth of jitter, so that failed jobs do not come back together. */
const jittered = (wait: number): number => Math.round(wait * (0.8 + Math.random() * 0.4));

/** Returns the time until the next attempt, before jitter. */
export const waitAfter = (attempts: number, waits?: readonly number[]): number =>
  waits?.[Math.min(attempts, waits.length) - 1] ?? usualWait(attempts);

/** Creates the worker. `alone` says that no other node can have this database open. */
export function createJobWorker(db: Db, given: JobHandlers, log: Log, alone = false): JobWorker {
  const handlers: JobHandlers = { ...given, "jobs.cleanup": { every: HOUR, run: () => deleteDeadJobs(db, clock.now() - KEEP_DEAD) } };
  const kinds = Object.keys(handlers);
  const running = new Map<Promise<void>, Job>();
  let timer: NodeJS.Timeout | undefined;
  let nextLook = 0;
  let isStarted = false;
  let isLooking = false;
  let looking: Promise<unknown> = Promise.resolve();
  /** True if a wake-up arrived during a poll. */
  let lookAgain = false;
  /** True if the last look had no place for all jobs: the worker looks again as soon as a place is free. */
  let leftBehind = false;

  const run = async (claimed: Job) => {
    const handler = handlers[claimed.kind]!;
    const isRecurring = handler.every !== undefined;
    const lease = keepLease(claimed);
    try {
      // A job that ended its worker in every attempt never failed in the normal way, so it is given up here.
      if (!isRecurring && claimed.attempts > claimed.max_attempts) throw new GiveUp("the worker did not survive the last attempt");
      await handler.run(seenBy(claimed));
      const job = await lease.end();
      await (handler.every === undefined ? finishJob(db, job, clock.now()) : rescheduleJob(db, job, clock.now() + handler.every));
    } catch (err) {
      await failed(await lease.end(), err, handler);
    }
  };

  /** Extends the lease while the job runs. `end` returns the current claim. */
  const keepLease = (claimed: Job) => {
    let job = claimed;
    let extending: Promise<void> = Promise.resolve();
    const extend = async () => {
      const extended = await extendLease(db, job, LEASE);
      if (extended) job = extended;
      else log.warn({ kind: job.kind, jobId: job.job_id }, "the lease of a job ran out, and another worker took the job over");
    };
    const timer = setInterval(() => {
      extending = extend().catch((err) => log.warn({ err, kind: job.kind }, "could not extend a job's lease"));
    }, LEASE / 3).unref();
    return {
      async end(): Promise<Job> {
        clearInterval(timer);
        await extending;
        return job;
      },
    };
  };

  const failed = async (job: Job, err: unknown, { every, waits, buried }: JobHandler) => {
    const reason = cut(String((err as Error)?.message ?? err), 500).replaceAll("\u0000", "");
    if (every === undefined && (err instanceof GiveUp || job.attempts >= job.max_attempts)) {
      log.error({ err, kind: job.kind, jobId: job.job_id, realm: job.realm_id }, "a job failed for the last time");
      if (await buryJob(db, job, clock.now(), reason)) buried?.(seenBy(job));
    } else {
      log.warn({ err, kind: job.kind, jobId: job.job_id, attempts: job.attempts }, "a job failed and will be tried again");
      const wait = jittered(waitAfter(job.attempts, waits));
      await retryJob(db, job, clock.now() + Math.max(wait, err instanceof TryAgain ? err.afterMs : 0), reason);
    }
  };

  /** Takes the due jobs and starts them. A slow job occupies one place and does not stop the others. */
  const begin = async (): Promise<Promise<void>[]> => {
    const begun: Promise<void>[] = [];
    for (;;) {
      const places = AT_ONCE - running.size;
      const before = [...running.values()];
      const jobs = places > 0 ? await claimJobs(db, kinds, places, clock.now(), LEASE, PER_REALM, placesByRealm(before)) : [];
      for (const job of jobs) {
        const done = run(job)
          .catch((err) => log.warn({ err, kind: job.kind, jobId: job.job_id }, "could not store how a job ended; it will run again"))
          .finally(() => {
            running.delete(done);
            // Alone, the next look was planned while this job was still running, and the job may be due again sooner.
            if (leftBehind || alone) wake();
          });
        running.set(done, job);
        begun.push(done);
      }
      // These are the places at the time of the claim, with jobs that have ended since.
      const hasFullRealm = placesByRealm([...before, ...jobs]).some((realm) => realm.places >= PER_REALM);
      leftBehind = jobs.length >= places || hasFullRealm;
      // The jobs of a full realm may have hidden jobs of other realms, which the next round takes.
      if (jobs.length === 0 || !leftBehind) return begun;
    }
  };

  /** Returns the time until the next look. */
  const pause = async (): Promise<number> => {
    const most = pollEvery(alone);
    const due = alone ? await nextDueAt(db, kinds) : null;
    return due === null ? most : Math.min(most, Math.max(0, due - clock.now()));
  };

  // The turns that follow a wake-up run in the worker's own async context, so that they do not count as a part of the request that caused it.
  const tick = AsyncResource.bind(() => {
    isLooking = true;
    lookAgain = false;
    looking = begin()
      .then(pause)
      .catch((err) => {
        log.warn({ err }, "could not look for jobs");
        return SECOND;
      })
      .then((wait) => {
        isLooking = false;
        if (!isStarted) return;
        if (lookAgain) tick();
        else schedule(wait);
      });
  });
  const schedule = (wait: number) => {
    clearTimeout(timer);
    nextLook = clock.now() + wait;
    timer = setTimeout(tick, wait).unref();
  };
  const wake = (dueAt = 0) => {
    if (!isStarted) return;
    if (isLooking) lookAgain = true;
    else if (dueAt > clock.now()) {
      if (dueAt < nextLook) schedule(dueAt - clock.now());
    } else {
      clearTimeout(timer);
      tick();
    }
  };

  return {
    async start() {
      const recurring = Object.entries(handlers).filter(([, { every }]) => every !== undefined);
      await inTransaction(db, async (tx) => {
        for (const [kind] of recurring) await enqueue(tx, { kind, dedupeKey: "recurring", runAt: clock.now() }, clock.now());
      });
      isStarted = true;
      schedule(SECOND);
    },
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      await looking;
      await Promise.all(running.keys());
    },
    wake,
    async runDue() {
      const begun = await begin();
      await Promise.all(begun);
      return begun.length;
    },
  };
}

const seenBy = (job: Job): RunningJob => ({
  id: job.job_id,
  realm: job.realm_id,
  payload: job.payload,
  sealed: job.sealed,
  attempt: job.attempts,
});

function placesByRealm(jobs: Iterable<Job>): { kind: string; realm: string; places: number }[] {
  const counted = new Map<string, { kind: string; realm: string; places: number }>();
  for (const { kind, realm_id: realm } of jobs) {
    if (realm === null) continue;
    const key = `${kind} ${realm}`;
    const known = counted.get(key) ?? { kind, realm, places: 0 };
    known.places++;
    counted.set(key, known);
  }
  return [...counted.values()];
}
