// Asks AuthZEN: its own process, so that its work does not count as the server's.
import { Pool } from "undici";
import { sliceOf } from "./slices.mjs";

/** @typedef {{ origin: string, path: string, token: string, resources: number, batch: number }} Target */

let sent = 0;

/** @param {Target} target */
function bodyOf({ resources, batch }) {
  const question = () => ({
    subject: { type: "user", id: `user${sent % 100}` },
    action: { name: "view" },
    resource: { type: "doc", id: `/docs/${(sent++ * 7919) % resources}` },
  });
  return JSON.stringify(batch === 1 ? question() : { evaluations: Array.from({ length: batch }, question) });
}

/** @param {{ target: Target, seconds: number, connections: number }} task */
async function slice({ target, seconds, connections }) {
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${target.token}`, "content-type": "application/json" };
  /** @type {number[]} */
  const latencies = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const visitor = async () => {
    while (performance.now() < until) {
      const at = performance.now();
      const { statusCode, body } = await pool.request({ method: "POST", path: target.path, headers, body: bodyOf(target) });
      const text = await body.text();
      if (statusCode !== 200 || !text.includes("true")) throw new Error(`${target.path} answered ${statusCode}: ${text.slice(0, 500)}`);
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
