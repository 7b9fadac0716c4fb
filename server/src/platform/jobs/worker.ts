import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type Db, inTransaction } from "../db/index.ts";
import { buryJob, claimJobs, deleteDeadJobs, enqueue, extendLease, finishJob, type Job, rescheduleJob, retryJob } from "./store.ts";

/** What a job of each kind does. It may run twice, never at once. `every` makes it recur, on one node at a time. */
export type JobHandlers = Record<
  string,
  { readonly run: (job: { realm: string | null; payload: Record<string, unknown> }) => Promise<void>; readonly every?: number }
>;

export interface JobWorker {
  start(): Promise<void>;
  /** Waits for the jobs that are running; the others stay in the table. */
  stop(): Promise<void>;
  /** Runs what is due now and answers how many that were: tests, and a nudge after a commit. */
  runDue(): Promise<number>;
}

interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

const LEASE = MINUTE;
const POLL = SECOND;
/** How many jobs one node runs at once. */
const AT_ONCE = 20;
const KEEP_DEAD = 30 * DAY;

/** 2 s, 4 s, 8 s … at most an hour, with a fifth of jitter so that failures do not march in step. */
const backoff = (attempts: number): number => Math.round(Math.min(HOUR, 2 ** attempts * SECOND) * (0.8 + Math.random() * 0.4));

export function createJobWorker(db: Db, given: JobHandlers, log: Log): JobWorker {
  const handlers: JobHandlers = { ...given, "jobs.cleanup": { every: HOUR, run: () => deleteDeadJobs(db, clock.now() - KEEP_DEAD) } };
  const kinds = Object.keys(handlers);
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<unknown> = Promise.resolve();

  const run = async (claimed: Job) => {
    const handler = handlers[claimed.kind]!;
    const isRecurring = handler.every !== undefined;
    const lease = keepLease(claimed);
    try {
      // A job that took its worker down each time never came to fail: this is where it ends.
      if (!isRecurring && claimed.attempts > claimed.max_attempts) throw new Error("the worker did not survive the last attempt");
      await handler.run({ realm: claimed.realm_id, payload: claimed.payload });
      const job = await lease.end();
      await (handler.every === undefined ? finishJob(db, job, clock.now()) : rescheduleJob(db, job, clock.now() + handler.every));
    } catch (err) {
      await failed(await lease.end(), err, isRecurring);
    }
  };

  /** Extends the lease while the job runs. `end` answers the claim as it stands then, for the ending to name. */
  const keepLease = (claimed: Job) => {
    let job = claimed;
    let extending: Promise<void> = Promise.resolve();
    const extend = async () => {
      const extended = await extendLease(db, job, clock.now() + LEASE);
      if (extended) job = extended;
      else log.warn({ kind: job.kind, jobId: job.job_id }, "a job took so long without news that another worker took it over");
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

  const failed = async (job: Job, err: unknown, isRecurring: boolean) => {
    const reason = cut(String((err as Error)?.message ?? err), 500).replaceAll("\u0000", "");
    if (!isRecurring && job.attempts >= job.max_attempts) {
      log.error({ err, kind: job.kind, jobId: job.job_id }, "a job failed for the last time");
      await buryJob(db, job, clock.now(), reason);
    } else {
      log.warn({ err, kind: job.kind, jobId: job.job_id, attempts: job.attempts }, "a job failed and will be tried again");
      await retryJob(db, job, clock.now() + backoff(job.attempts), reason);
    }
  };

  /** Takes what is due and begins it. A slow job keeps one place, not the others from running. */
  const begin = async (): Promise<Promise<void>[]> => {
    const places = AT_ONCE - running.size;
    if (places <= 0) return [];
    const jobs = await claimJobs(db, kinds, places, clock.now(), LEASE);
    return jobs.map((job) => {
      const done = run(job).catch((err) =>
        log.warn({ err, kind: job.kind, jobId: job.job_id }, "could not store how a job ended; it will run again"),
      );
      running.add(done);
      done.finally(() => running.delete(done));
      return done;
    });
  };

  const tick = () => {
    looking = begin().then(
      (begun) => again(begun.length === AT_ONCE ? 0 : POLL),
      (err) => {
        log.warn({ err }, "could not look for jobs");
        again(POLL);
      },
    );
  };
  const again = (after: number) => {
    if (timer) timer = setTimeout(tick, after).unref();
  };

  return {
    async start() {
      const recurring = Object.entries(handlers).filter(([, { every }]) => every !== undefined);
      await inTransaction(db, async (tx) => {
        for (const [kind] of recurring) await enqueue(tx, { kind, dedupeKey: "recurring", runAt: clock.now() }, clock.now());
      });
      timer = setTimeout(tick, POLL).unref();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await looking;
      await Promise.all(running);
    },
    async runDue() {
      const begun = await begin();
      await Promise.all(begun);
      return begun.length;
    },
  };
}
