// The loop of the load generators.
import { Pool } from "undici";
import { slice } from "./slices.mjs";

/**
 * Keeps `connections` requests in progress until the time is over, then waits for the last ones.
 * @param {{ origin: string, seconds: number, connections: number }} task
 * @param {() => import("./rows.mjs").Request} next
 * @param {number} expect the status of every response
 * @param {string} [holds] a text that each response must contain
 * @returns {Promise<import("./load.mjs").Slice>}
 */
export async function requestSlice({ origin, seconds, connections }, next, expect, holds) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const once = async () => {
    const request = next();
    const { statusCode, body } = await pool.request(request);
    const text = statusCode === expect && holds === undefined ? "" : await body.text();
    if (statusCode !== expect || (holds !== undefined && !text.includes(holds)))
      throw new Error(`${request.method} ${request.path} answered ${statusCode}: ${text.slice(0, 500)}`);
    if (text === "") await body.dump();
  };
  try {
    return await slice({ atOnce: connections, once }, seconds);
  } finally {
    await pool.destroy();
  }
}
