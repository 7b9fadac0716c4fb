import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { inTransaction } from "../db/index.ts";
import { createJobWorker, type Enqueue, enqueue, GiveUp, type JobHandler, type JobHandlers, queueDepth, TryAgain } from "./index.ts";
import { buryJob, claimJobs, deleteDeadJobs, extendLease, finishJob, rescheduleJob, retryJob } from "./store.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
  await iam.server.jobs.stop();
});
beforeEach(() => iam.core.db.deleteFrom("jobs").execute());
afterEach(() => {
  vi.useRealTimers();
  clock.reset();
});
afterAll(() => iam?.close());

const log = pino({ level: "silent" });
const put = (job: Partial<Enqueue> = {}) =>
  inTransaction(iam.core.db, (tx) => enqueue(tx, { kind: "test", runAt: clock.now(), ...job }, clock.now()));
const rows = () => iam.core.db.selectFrom("jobs").selectAll().orderBy("created_at").execute();
const claim = (limit = 10) => claimJobs(iam.core.db, ["test"], limit, clock.now(), MINUTE);
const worker = (run: JobHandlers[string]["run"], every?: number) =>
  createJobWorker(iam.core.db, { test: { run, ...(every !== undefined && { every }) } }, log);
/** Runs until nothing is due. */
const drain = async (each: ReturnType<typeof worker>) => {
  while ((await each.runDue()) > 0);
};

describe("enqueueing", () => {
  test("is part of the transaction: no commit, no job", async () => {
    const failing = inTransaction(iam.core.db, async (tx) => {
      await enqueue(tx, { kind: "test", runAt: clock.now() }, clock.now());
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await rows()).toEqual([]);
  });

  test("a key that waits already is waited for once; other kinds and dead ones do not stand in the way", async () => {
    for (let times = 0; times < 3; times++) await put({ dedupeKey: "a" });
    await put({ dedupeKey: "b" });
    await put({ dedupeKey: "a", kind: "other" });
    await put();
    await put();
    expect(await rows()).toHaveLength(5);
    const [first] = await claim(1);
    await buryJob(iam.core.db, first!, clock.now(), "dead");
    await put({ dedupeKey: String(first!.dedupe_key) });
    expect(await rows()).toHaveLength(6);
  });

  test("a key that is enqueued while its job runs makes it run once more", async () => {
    let runs = 0;
    const again = worker(async () => {
      if (++runs === 1) await put({ dedupeKey: "a" });
    });
    await put({ dedupeKey: "a" });
    await drain(again);
    expect([runs, await rows()]).toEqual([2, []]);
  });

  test("waits for its time", async () => {
    let runs = 0;
    const later = worker(async () => void runs++);
    await put({ runAt: clock.now() + HOUR });
    await drain(later);
    expect(runs).toBe(0);
    clock.advance(HOUR);
    await drain(later);
    expect(runs).toBe(1);
  });
});

describe("running", () => {
  test("three workers at once run each job exactly once, with its realm and payload", async () => {
    const seen: unknown[] = [];
    for (let n = 0; n < 100; n++) await put({ realm: "master", payload: { n } });
    const workers = [1, 2, 3].map(() => worker(async (job) => void seen.push(job)));
    await Promise.all(workers.map(drain));
    expect(seen).toHaveLength(100);
    expect(new Set(seen.map((job) => JSON.stringify(job))).size).toBe(100);
    expect(seen).toContainEqual(expect.objectContaining({ realm: "master", payload: { n: 7 } }));
    expect(await rows()).toEqual([]);
  });

  test("claims at most what it requested", async () => {
    for (let n = 0; n < 10; n++) await put();
    expect(await claim(3)).toHaveLength(3);
    expect(await claim(100)).toHaveLength(7);
    expect(await claim()).toEqual([]);
  });

  test("leaves alone what it has no handler for", async () => {
    await put({ kind: "of-a-newer-release" });
    expect(await worker(async () => {}).runDue()).toBe(0);
    expect(await rows()).toHaveLength(1);
  });

  test("a slow job does not keep others waiting", async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const seen: unknown[] = [];
    const one = worker(async ({ payload }) => {
      begun();
      if (payload.slow) await slow;
      seen.push(payload.name);
    });
    await put({ payload: { name: "slow", slow: true } });
    const first = one.runDue();
    // Otherwise a later turn might claim the slow job and wait for it.
    await started;
    await put({ payload: { name: "quick" } });
    while (!seen.includes("quick")) await one.runDue();
    expect(seen).toEqual(["quick"]);
    release();
    await first;
    expect(seen).toEqual(["quick", "slow"]);
  });

  test("stopping waits for what is running", async () => {
    let isDone = false;
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const one = worker(async () => {
      begun();
      await new Promise((resolve) => setImmediate(resolve));
      isDone = true;
    });
    await put();
    void one.runDue();
    await started;
    await one.stop();
    expect([isDone, await rows()]).toEqual([true, []]);
  });
});

describe("failing", () => {
  test("is tried again later each time, and given up in the end, with the reason", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let runs = 0;
    const bad = worker(async () => {
      runs++;
      throw new Error(`no luck ${runs}\u0000`);
    });
    await put({ maxAttempts: 4 });
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await bad.runDue()).toBe(1);
      const [job] = await rows();
      expect(job).toMatchObject({ attempts: attempt, last_error: `no luck ${attempt}`, dead_at: null });
      waits.push(job!.run_at - clock.now());
      expect(await bad.runDue()).toBe(0);
      clock.advance(waits.at(-1)!);
    }
    for (const [index, wait] of waits.entries()) {
      const usual = 2 ** (index + 1) * SECOND;
      expect(wait).toBeGreaterThanOrEqual(usual * 0.8);
      expect(wait).toBeLessThanOrEqual(usual * 1.2);
    }
    expect(await bad.runDue()).toBe(1);
    expect(await rows()).toMatchObject([{ attempts: 4, last_error: "no luck 4", dead_at: expect.any(Number) }]);
    clock.advance(DAY);
    expect(await bad.runDue()).toBe(0);
    expect(await queueDepth(iam.core.db, clock.now())).toEqual({ waiting: 0, dead: 1, oldestMs: 0 });
    await deleteDeadJobs(iam.core.db, clock.now() + 1);
    expect(await rows()).toEqual([]);
  });

  test("a job whose worker died is taken over when its lease is over, and buried when it takes every worker down", async () => {
    await put({ maxAttempts: 2 });
    expect(await claim()).toHaveLength(1);
    clock.advance(MINUTE - SECOND);
    expect(await claim()).toEqual([]);
    clock.advance(SECOND);
    expect(await claim()).toMatchObject([{ attempts: 2 }]);
    clock.advance(MINUTE);
    let runs = 0;
    expect(await worker(async () => void runs++).runDue()).toBe(1);
    expect(runs).toBe(0);
    expect(await rows()).toMatchObject([{ dead_at: expect.any(Number), last_error: "the worker did not survive the last attempt" }]);
  });

  test("a worker whose lease ran out does not end the job of the one that took over", async () => {
    await put({ dedupeKey: "a" });
    const [late] = await claim();
    clock.advance(MINUTE);
    const [current] = await claim();
    expect(await extendLease(iam.core.db, late!, clock.now() + HOUR)).toBeNull();
    for (const ending of [
      () => finishJob(iam.core.db, late!, clock.now()),
      () => retryJob(iam.core.db, late!, 0, "x"),
      () => buryJob(iam.core.db, late!, 1, "x"),
      () => rescheduleJob(iam.core.db, late!, 0),
    ]) {
      await ending();
      expect(await rows()).toMatchObject([{ locked_until: current!.locked_until, dead_at: null, attempts: 2 }]);
    }
    await finishJob(iam.core.db, current!, clock.now());
    expect(await rows()).toEqual([]);
  });

  test("not even when the job has come round again under the same number", async () => {
    await put({ dedupeKey: "recurring" });
    const [late] = await claim();
    clock.advance(MINUTE);
    const [second] = await claim();
    await rescheduleJob(iam.core.db, second!, clock.now());
    clock.advance(1);
    const [third] = await claim();
    expect(third!.attempts).toBe(late!.attempts);
    await finishJob(iam.core.db, late!, clock.now());
    expect(await rows()).toMatchObject([{ locked_until: third!.locked_until }]);
  });

  test("a lease that was extended is honoured, and its job can still be finished", async () => {
    await put();
    const [claimed] = await claim();
    const extended = await extendLease(iam.core.db, claimed!, clock.now() + HOUR);
    clock.advance(30 * MINUTE);
    expect(await claim()).toEqual([]);
    await finishJob(iam.core.db, extended!, clock.now());
    expect(await rows()).toEqual([]);
  });
});

describe("a handler's report of a failure", () => {
  const handling = (handler: Partial<JobHandler>) => createJobWorker(iam.core.db, { test: { run: async () => {}, ...handler } }, log);

  test("makes a dead letter at once where a retry cannot help, and deletes the secret data", async () => {
    const buried: unknown[] = [];
    const run = async () => {
      throw new GiveUp("nobody there");
    };
    await put({ sealed: "v1.secret", payload: { n: 1 } });
    await drain(handling({ run, buried: (job) => buried.push(job) }));
    expect(await rows()).toMatchObject([
      { attempts: 1, sealed: null, payload: { n: 1 }, last_error: "nobody there", dead_at: expect.any(Number) },
    ]);
    expect(buried).toMatchObject([{ payload: { n: 1 }, attempt: 1 }]);
  });

  test("nothing: after the last attempt, or the death of its worker, it is a dead letter, recorded once, and knows nothing any more", async () => {
    const buried: string[] = [];
    const failing = handling({
      run: async () => {
        throw new Error("no");
      },
      buried: ({ id }) => buried.push(id),
    });
    const [first, second] = ["019b76da-a800-7f3c-9d1e-000000000001", "019b76da-a800-7f3c-9d1e-000000000002"];
    await put({ id: first, sealed: "v1.secret", maxAttempts: 1 });
    await drain(failing);
    await put({ id: second, sealed: "v1.secret", maxAttempts: 1 });
    await claim();
    clock.advance(MINUTE);
    await drain(failing);
    expect(buried).toEqual([first, second]);
    expect((await rows()).map(({ sealed }) => sealed)).toEqual([null, null]);
  });

  test("the wait grows with the attempt, and is at least the peer's", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let error: Error = new Error("no");
    const failing = handling({
      waits: [SECOND, MINUTE],
      run: async () => {
        throw error;
      },
    });
    await put();
    const waits: number[] = [];
    for (const next of [error, error, error, new TryAgain("busy", HOUR), new TryAgain("busy", 5)]) {
      error = next;
      expect(await failing.runDue()).toBe(1);
      waits.push((await rows())[0]!.run_at - clock.now());
      clock.advance(waits.at(-1)!);
    }
    for (const [index, usual] of [SECOND, MINUTE, MINUTE, null, MINUTE].entries()) {
      if (usual === null) continue;
      expect(waits[index]).toBeGreaterThanOrEqual(usual * 0.8);
      expect(waits[index]).toBeLessThanOrEqual(usual * 1.2);
    }
    expect(waits[3]).toBe(HOUR);
    expect((await rows())[0]).toMatchObject({ last_error: "busy", dead_at: null });
  });
});

describe("places", () => {
  /** Jobs that run until they are let go, in the order they began. */
  const gate = () => {
    const begun: { realm: string | null; end: () => void }[] = [];
    const held = worker(({ realm }) => new Promise<void>((end) => begun.push({ realm, end })));
    const count = (realm: string | null) => begun.filter((job) => job.realm === realm).length;
    const release = () => {
      for (const { end } of begun.splice(0)) end();
    };
    return { begun, held, count, release };
  };
  const settle = async (isDone: () => boolean) => {
    while (!isDone()) await sleep(5);
  };

  test("one realm holds five of them at most, however many are waiting, and does not delay the others", async () => {
    const { held, count, release } = gate();
    for (let n = 0; n < 30; n++) await put({ realm: "slow" });
    await put({ realm: "quick" });
    await put();
    const running = held.runDue();
    await settle(() => count("quick") === 1 && count(null) === 1);
    expect([count("slow"), count("quick"), count(null)]).toEqual([5, 1, 1]);
    await put({ realm: "quick" });
    const more = held.runDue();
    await settle(() => count("quick") === 2);
    expect([count("slow"), count("quick")]).toEqual([5, 2]);
    expect(
      (await rows()).filter(({ attempts }) => attempts > 0),
      "what was passed over was not touched",
    ).toHaveLength(8);
    release();
    await Promise.all([running, more]);
    expect(await rows()).toHaveLength(25);
  });

  test("a place that comes free is taken at once, not at the next turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const seen: unknown[] = [];
    const all = worker(async ({ payload }) => void seen.push(payload.n));
    for (let n = 0; n < 40; n++) await put({ realm: n % 2 === 0 ? "one" : null, payload: { n } });
    await all.start();
    all.wake();
    while (seen.length < 40) await sleep(5);
    await all.stop();
    expect(seen).toHaveLength(40);
  });
});

describe("waking", () => {
  test("makes a started worker look at once, also while it looks; a stopped one stays as it is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let runs = 0;
    const one = worker(async () => void runs++);
    const turns = async (isDone: () => boolean) => {
      while (!isDone()) await sleep(5);
    };
    await put();
    one.wake();
    await iam.core.db.selectFrom("jobs").select("job_id").execute();
    expect(runs, "not started").toBe(0);
    await one.start();
    one.wake();
    await turns(() => runs === 1);
    expect(runs).toBe(1);
    one.wake();
    await put();
    one.wake();
    await turns(() => runs === 2);
    expect(runs).toBe(2);
    await one.stop();
    await put();
    one.wake();
    await iam.core.db.selectFrom("jobs").select("job_id").execute();
    expect(runs, "stopped").toBe(2);
  });
});

describe("recurring jobs", () => {
  test("run once per turn over all nodes, however many start, and go on after a failure", async () => {
    let runs = 0;
    const nodes = [1, 2, 3].map(() =>
      worker(async () => {
        if (++runs === 2) throw new Error("once");
      }, HOUR),
    );
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(nodes.map(drain));
    expect(runs).toBe(1);
    expect((await rows()).filter(({ kind }) => kind === "test")).toHaveLength(1);
    clock.advance(HOUR + SECOND);
    await Promise.all(nodes.map(drain));
    expect(runs).toBe(2);
    clock.advance(MINUTE);
    await Promise.all(nodes.map(drain));
    expect(runs).toBe(3);
    await Promise.all(nodes.map((node) => node.stop()));
    expect((await rows()).find(({ kind }) => kind === "test")).toMatchObject({ attempts: 0, last_error: null, dead_at: null });
  });
});

describe("alone with its database", () => {
  test("looks when a job is due and when one has failed, and otherwise leaves the database in peace", async () => {
    const requested = vi.fn();
    const ran: number[] = [];
    const begun = clock.now();
    const run: JobHandler["run"] = async ({ attempt }) => {
      ran.push(clock.now() - begun);
      if (attempt === 1) throw new Error("the first attempt fails");
    };
    const counted = iam.core.db.withPlugin({
      transformQuery: ({ node }) => {
        requested();
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const alone = createJobWorker(counted, { test: { run, waits: [SECOND / 2] } }, log, true);
    await alone.start();
    await put({ runAt: begun + SECOND });
    alone.wake();
    // The usual turn comes after 30 s.
    await vi.waitUntil(() => ran.length === 2, { timeout: 25 * SECOND });
    expect(ran[0]).toBeGreaterThanOrEqual(SECOND);
    await vi.waitUntil(async () => (await rows()).every(({ kind }) => kind !== "test"), { timeout: 25 * SECOND });
    // A worker that is not alone looks each second.
    await expect
      .poll(async () => {
        requested.mockClear();
        await sleep(1.5 * SECOND);
        return requested.mock.calls.length;
      })
      .toBe(0);
    await alone.stop();
  });
});
