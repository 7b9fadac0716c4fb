import { randomFillSync, randomInt } from "node:crypto";
import { v7 } from "uuid";
import { clock } from "./clock.ts";

let lastAt = 0;
let sequence = 0;

/** Random bytes for many identifiers. Fetching them one by one would cost ten times as much as the rest of an identifier. */
const pool = new Uint8Array(256 * 16);
let used = pool.length;

function randomOfOne(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

/** Returns a new identifier: a UUIDv7, so that primary keys grow to the right. Identifiers of one millisecond sort in the order in which they were made. */
export function newId(): string {
  const msecs = clock.now();
  // RFC 9562 §6.2, method 1: the counter starts at random in each millisecond, with room to grow.
  sequence = msecs === lastAt ? sequence + 1 : randomInt(2 ** 31);
  lastAt = msecs;
  return v7({ msecs, seq: sequence, random: randomOfOne() });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Tells whether a path parameter can be an identifier. If not, the answer is 404 without a database query. */
export const isId = (value: string): boolean => UUID.test(value);

/** An id that no record has, and that sorts before all others. It is looked up for an unknown login name, so that this costs the same queries. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";
