// Sends AuthZEN requests, in its own process, so that its work does not count as the server's.
import { requestSlice } from "./requests.mjs";
import { serve } from "./slices.mjs";

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

serve((/** @type {{ target: Target, seconds: number, connections: number }} */ { target, ...time }) => {
  const headers = { authorization: `Bearer ${target.token}`, "content-type": "application/json" };
  const next = () => ({ method: /** @type {const} */ ("POST"), path: target.path, headers, body: bodyOf(target) });
  return requestSlice({ origin: target.origin, ...time }, next, 200, "true");
});
