// The load generator: its own process, so that its work does not count as the server's.
import { Pool } from "undici";
import { rows } from "./rows.mjs";
import { sliceOf } from "./slices.mjs";

/** @typedef {{ count: number, seconds: number, p50: number, p99: number }} Slice */

/** Every request of a run gets its own number: names that must be new are made from it. */
let sent = 0;

/**
 * Keeps `connections` requests in progress until the time is over, then waits for the last ones.
 * @param {{ row: string, target: import("./rows.mjs").Target, seconds: number, connections: number }} task
 * @returns {Promise<Slice>}
 */
async function slice({ row: id, target, seconds, connections }) {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row || !("request" in row)) throw new Error(`${id} is not a row of requests`);
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  /** @type {number[]} */
  const latencies = [];
  const began = performance.now();
  const until = began + seconds * 1000;

  const visitor = async () => {
    while (performance.now() < until) {
      /** @type {import("./rows.mjs").Request} */
      const request = row.request(target, sent++);
      const at = performance.now();
      const { statusCode, body } = await pool.request(request);
      if (statusCode !== row.expect) {
        throw new Error(`${row.title}: ${request.method} ${request.path} answered ${statusCode}: ${(await body.text()).slice(0, 500)}`);
      }
      await body.dump();
      latencies.push(performance.now() - at);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return sliceOf(latencies, began);
  } finally {
    await pool.destroy();
  }
}

process.on("message", (task) => {
  slice(/** @type {any} */ (task)).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ ready: true });
