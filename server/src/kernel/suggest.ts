/** Returns the most similar candidate, or null if none is similar enough. */
export function suggest(typed: string, candidates: readonly string[]): string | null {
  const wanted = fold(typed);
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 4)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  // A short word is similar to almost anything, so at least half of it must be right.
  return best !== null && bestDistance * 2 <= wanted.length ? best : null;
}

/** Returns ` Did you mean X?`, to be appended to a message, or an empty text. */
export function didYouMean(typed: string, candidates: readonly string[]): string {
  const guess = suggest(typed, candidates);
  return guess === null ? "" : ` Did you mean ${guess}?`;
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

/** Returns the optimal string alignment distance: it is Levenshtein's, but two swapped letters count as one slip. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, beforeLast[j - 2]! + 1);
      row.push(distance);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
