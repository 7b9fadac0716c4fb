// The load generator, in its own process, so that its work does not count as the server's.
import { requestSlice } from "./requests.mjs";
import { rows } from "./rows.mjs";
import { serve } from "./slices.mjs";

/** @typedef {{ count: number, seconds: number, p50: number, p99: number }} Slice */

/** Every request of a run gets its own number, from which new names are made. */
let sent = 0;

serve(
  (
    /** @type {{ row: string, target: import("./rows.mjs").Target, seconds: number, connections: number }} */ { row: id, target, ...time },
  ) => {
    const row = rows.find((candidate) => candidate.id === id);
    if (!row || !("request" in row)) throw new Error(`${id} is not a row of requests`);
    return requestSlice({ origin: target.origin, ...time }, () => row.request(target, sent++), row.expect);
  },
);
