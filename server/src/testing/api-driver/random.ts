/** Numbers that look random, and are the same in every run with the same seed. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Returns Mulberry32, which is small, and random enough to vary requests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, chance: (probability) => next() < probability, pick: (from) => from[below(from.length)]! };
}

/** Texts that programs often mishandle. */
export const AWKWARD_TEXT = [
  "",
  " ",
  "\u0000",
  "\u202eada",
  "a\u0301",
  "\ud83d\ude00",
  "' or 1=1 --",
  "<script>alert(1)</script>",
  "{{link}}",
  "../../etc/passwd",
  "%00",
  "__proto__",
  "null",
  "-1",
  "1e309",
  "x".repeat(5_000),
] as const;
