import type { Db } from "./tables.ts";

interface Asked<K, R> {
  readonly key: K;
  resolve(answer: R | undefined): void;
  reject(error: unknown): void;
}

/** Keys wait for the running query at most this long: a stuck connection must not block the others. */
const MAX_WAIT_MS = 50;
const MAX_BATCH = 100;

interface Queue<K, R> {
  running: number;
  isScheduled: boolean;
  startedAt: number;
  waiting: Asked<K, R>[];
}

/**
 * Batches the same query of concurrent requests: keys of one turn of the event loop share a query, and keys that arrive while it runs share the next one. A
 * round trip costs more than the read. A result is never older than its request. `ask` returns the results in the order of the keys.
 */
export function batched<K, R>(ask: (db: Db, keys: readonly K[]) => Promise<readonly (R | undefined)[]>) {
  const queues = new WeakMap<Db, Queue<K, R>>();

  const next = async (db: Db, queue: Queue<K, R>): Promise<void> => {
    queue.running++;
    while (queue.waiting.length > 0) {
      queue.startedAt = performance.now();
      const group = queue.waiting.splice(0, MAX_BATCH);
      try {
        const answers = await ask(
          db,
          group.map(({ key }) => key),
        );
        for (const [index, { resolve }] of group.entries()) resolve(answers[index]);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    queue.running--;
  };

  return async (db: Db, key: K): Promise<R | undefined> => {
    // A transaction sees its own writes and has one connection, so its reads are not batched.
    if (db.isTransaction) return (await ask(db, [key]))[0];
    const queue = queues.get(db) ?? { running: 0, isScheduled: false, startedAt: 0, waiting: [] };
    queues.set(db, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ key, resolve, reject });
      if (queue.isScheduled || (queue.running > 0 && performance.now() - queue.startedAt <= MAX_WAIT_MS)) return;
      queue.isScheduled = true;
      setImmediate(() => {
        queue.isScheduled = false;
        void next(db, queue);
      });
    });
  };
}
