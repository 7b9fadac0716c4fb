/** Thrown at once if every permit is taken and the queue is full, so that the caller can refuse the request instead of waiting. */
export class SemaphoreFull extends Error {
  constructor() {
    super("Every permit is taken and the queue is full");
    this.name = "SemaphoreFull";
  }
}

export interface Semaphore {
  /** Runs `work` once a permit is free. The queue is in order of arrival. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Tells whether `run` would refuse at this moment. */
  isFull(): boolean;
  stats(): { running: number; waiting: number };
}

/**
 * Runs at most `permits` pieces of work at a time, with at most `maxWaiting` in the queue. A function for `maxWaiting` can depend on the present duration of
 * the work.
 */
export function createSemaphore({ permits, maxWaiting }: { permits: number; maxWaiting: number | (() => number) }): Semaphore {
  if (!Number.isInteger(permits) || permits < 1) throw new RangeError("A semaphore needs at least one permit");
  let running = 0;
  const waiting: (() => void)[] = [];

  const isFull = () => running >= permits && waiting.length >= (typeof maxWaiting === "number" ? maxWaiting : maxWaiting());

  const acquire = async (): Promise<void> => {
    if (running < permits) {
      running += 1;
      return;
    }
    if (isFull()) throw new SemaphoreFull();
    // The permit is passed on to the next in the queue without being free in between, so that a newcomer cannot overtake.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return {
    async run(work) {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
    isFull,
    stats: () => ({ running, waiting: waiting.length }),
  };
}
