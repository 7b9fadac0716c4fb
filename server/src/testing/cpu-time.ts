const ROUNDS = 5;

/**
 * The least CPU time that each kind of work took, in microseconds. CPU time, because wall time is the machine's affair; the least of
 * several rounds, because noise only adds; taken in turn, because a busy moment should fall on all of them.
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
