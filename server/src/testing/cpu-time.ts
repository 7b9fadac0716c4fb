const ROUNDS = 5;

/**
 * Returns the least CPU time of each kind of work, in microseconds. Wall time would depend on the machine's other work. The least of several rounds counts,
 * because noise only adds. The rounds alternate, because a busy moment should affect all kinds.
 */
export async function leastCpuTime(...works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, work] of works.entries()) {
      const start = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(start);
      least[index] = Math.min(least[index]!, user + system);
    }
  }
  return least;
}
