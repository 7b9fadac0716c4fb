import type { Db } from "./tables.ts";

interface Asked<K, R> {
  readonly key: K;
  resolve(answer: R | undefined): void;
  reject(error: unknown): void;
}

/** Whoever comes while one query is under way waits for it, unless that takes long: a stuck connection must not hold up everybody. */
const PATIENCE_MS = 50;
const TOGETHER = 100;

interface Queue<K, R> {
  underWay: number;
  beganAt: number;
  waiting: Asked<K, R>[];
}

/**
 * One question that many requests ask at the same time. Alone, a request asks at once. Under load, those that come while others are
 * being answered wait for a moment and share a query: a trip to the database costs more than what is read there. An answer is
 * never older than its question. `ask` answers in the order of its keys.
 */
export function gathered<K, R>(ask: (db: Db, keys: readonly K[]) => Promise<readonly (R | undefined)[]>) {
  const queues = new WeakMap<Db, Queue<K, R>>();

  const next = async (db: Db, queue: Queue<K, R>): Promise<void> => {
    queue.underWay++;
    while (queue.waiting.length > 0) {
      queue.beganAt = performance.now();
      const group = queue.waiting.splice(0, TOGETHER);
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
    queue.underWay--;
  };

  return async (db: Db, key: K): Promise<R | undefined> => {
    // A transaction sees what others do not, and has one connection.
    if (db.isTransaction) return (await ask(db, [key]))[0];
    const queue = queues.get(db) ?? { underWay: 0, beganAt: 0, waiting: [] };
    queues.set(db, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ key, resolve, reject });
      if (queue.underWay === 0 || performance.now() - queue.beganAt > PATIENCE_MS) void next(db, queue);
    });
  };
}
