import { SECOND } from "../kernel/clock.ts";

/**
 * Returns the interval of looking for work that may have come without a notice. It is a second if other nodes write to the same database. A process that is
 * alone with its database hears of its own commits, and a look costs the embedded database far more than Postgres. It looks when it is woken, when something is
 * due, and now and then to be safe.
 */
export const pollEvery = (alone: boolean): number => (alone ? 30 * SECOND : SECOND);

/** Work that is repeated and never runs twice at once. A turn comes at the latest after the interval, and sooner when the loop is woken. */
export interface Loop {
  start(): void;
  /** Runs a turn within this time, or after the running one. */
  wake(withinMs?: number): void;
  /** Stops and waits for the running turn. */
  stop(): Promise<void>;
}

/** Creates a loop. `turn` returns whether there is more to do at once. */
export function createLoop(turn: () => Promise<boolean>, everyMs: number, failed: (error: unknown) => void): Loop {
  let isOn = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let askedFor: number | undefined;

  const schedule = (withinMs: number) => {
    const at = performance.now() + withinMs;
    if (!isOn || at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(run, withinMs).unref();
  };
  const run = () => {
    timerAt = Number.POSITIVE_INFINITY;
    askedFor = undefined;
    running = turn().then(
      (more) => after(more ? 0 : Math.min(askedFor ?? everyMs, everyMs)),
      (error) => {
        failed(error);
        // A wake-up during a turn that failed does not make the next one come sooner.
        after(everyMs);
      },
    );
  };
  const after = (withinMs: number) => {
    running = undefined;
    schedule(withinMs);
  };

  return {
    start() {
      isOn = true;
      schedule(everyMs);
    },
    wake(withinMs = 0) {
      if (running) askedFor = Math.min(askedFor ?? withinMs, withinMs);
      else schedule(withinMs);
    },
    async stop() {
      isOn = false;
      clearTimeout(timer);
      await running;
    },
  };
}
