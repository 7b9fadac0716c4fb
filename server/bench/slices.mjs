// For programs that the bench starts: repeats one kind of work for the given time, and reports how often and how fast.

/** @typedef {{ atOnce: number, once: () => Promise<unknown> }} Work */

/** Answers each message of the bench with the result of the work. @param {(task: any) => Promise<any>} work */
export function serve(work) {
  process.on("message", async (task) => {
    try {
      process.send?.(await work(task));
    } catch (error) {
      process.send?.({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  process.send?.({ ready: true });
}

/** Answers the bench's messages, each `{ row, seconds }`, with a slice of that row's work. @param {Record<string, Work>} work */
export const serveSlices = (work) => serve(({ row, seconds }) => slice(/** @type {Work} */ (work[row]), seconds));

/** @param {Work} work @param {number} seconds @returns {Promise<import("./load.mjs").Slice>} */
export async function slice({ atOnce, once }, seconds) {
  /** @type {number[]} */
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const worker = async () => {
    while (performance.now() < until) {
      const at = performance.now();
      await once();
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return sliceOf(times, began);
}

/** Returns the result of a slice that ends now. @param {number[]} times the duration of each piece of work, in milliseconds @param {number} began @returns {import("./load.mjs").Slice} */
export function sliceOf(times, began) {
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { count: times.length, seconds, p50: at(0.5), p99: at(0.99) };
}
