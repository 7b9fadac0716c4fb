import { clock, SECOND } from "../../kernel/clock.ts";

/** A pending check holds back the next one for this long. */
const STUCK = 10 * SECOND;

/**
 * Calls `ask` at most once per `keepMs` for all callers, and no caller waits longer than `timeoutMs`. Failures are
 * cached too: a dependency that is down must not be checked more often than one that is up.
 */
export function cached<T>(keepMs: number, timeoutMs: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: number; settled: boolean; answer: Promise<T> } | undefined;
  return () => {
    const age = last ? Math.abs(clock.now() - last.at) : Number.POSITIVE_INFINITY;
    if (!last || (age >= keepMs && (last.settled || age >= STUCK))) {
      const pending = { at: clock.now(), settled: false, answer: ask() };
      const settle = () => {
        pending.settled = true;
      };
      pending.answer.then(settle, settle);
      last = pending;
    }
    return within(timeoutMs, last.answer);
  };
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
