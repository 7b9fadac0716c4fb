// Measures whether searching the audit trail stays as fast when it grows a thousandfold: each filter of /events over 10,000 and over
// 10,000,000 events, queried in turn through the API.
import pg from "pg";
import { Pool } from "undici";
import { BUSY_ACTOR, fillEvents, userId } from "./events-data.mjs";
import { startServer } from "./processes.mjs";
import { median } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

export const SMALL = 10_000;
export const LARGE = 10_000_000;
export const MAX_RATIO = 2;
const REALM = "bench";
const PASSWORD = "bench-Admin-password-2";
const DAY_MS = 24 * 3600 * 1000;
/** The requests are sent one after the other on one connection, to measure the latency and not the throughput. */
const REQUESTS = 20;

/** @param {number} now @returns {Record<string, Record<string, string | number>>} the searches by their names in the table */
export const searches = (now) => ({
  "no filter": {},
  "no filter, page 100": { page: 100 },
  "type, common": { type: "LOGIN_SUCCESS" },
  "type, rare": { type: "KEY_ROTATED" },
  "type, of which there is none": { type: "REGISTER" },
  category: { category: "ADMIN" },
  outcome: { outcome: "FAILURE" },
  "actor, a person": { actor: "user-77" },
  "actor, a person's id": { actor: userId(77) },
  "actor, a busy service": { actor: BUSY_ACTOR.name },
  "actor, a busy service's id": { actor: BUSY_ACTOR.id },
  resourceType: { resourceType: "users" },
  resourceId: { resourceId: userId(131) },
  "resourceType and resourceId": { resourceType: "users", resourceId: userId(131) },
  "the last month": { from: now - 30 * DAY_MS },
  "a month a year ago": { from: now - 395 * DAY_MS, to: now - 365 * DAY_MS },
  "type in the last month": { type: "LOGIN_FAILURE", from: now - 30 * DAY_MS },
  "type in the last year": { type: "LOGIN_FAILURE", from: now - 365 * DAY_MS },
  "actor in the last year": { actor: BUSY_ACTOR.name, from: now - 365 * DAY_MS },
});

/**
 * @typedef {object} EventsLine
 * @property {string} title
 * @property {number} small milliseconds on the small trail
 * @property {number} large
 * @property {number} ratio
 * @property {string} found the number of matches in the small and in the large trail
 */

/**
 * @param {{ newPlace: () => Promise<Parameters<typeof startServer>[0]>, rounds: number, total: number, progress: (text: string) => void,
 *   untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options
 * @returns {Promise<EventsLine[]>}
 */
export async function measureEvents({ newPlace, rounds, total, progress, untilTheEnd }) {
  const [small, large] = [await filledServer(SMALL), await filledServer(total)];

  /** @param {number} count */
  async function filledServer(count) {
    const place = await newPlace();
    // The first start creates the tables. It ends before they are filled, because the server would keep reading them for events to send.
    const maker = untilTheEnd(await startServer(place));
    const pool = new Pool(maker.origin, { connections: 1 });
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    await master.send("POST", "/admin/realms", 201, { json: { realm: REALM, adminPassword: PASSWORD } });
    await pool.close();
    await maker.stop();
    const client = new pg.Client({ connectionString: place.databaseUrl });
    await client.connect();
    await fillEvents(client, { total: count, realm: REALM, progress });
    await client.end();
    return openServer(untilTheEnd(await startServer(place)));
  }

  /** @type {Map<string, { small: number[], large: number[], found: string }>} */
  const samples = new Map();
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "warming up" : `events, round ${round} of ${rounds}`);
    for (const [title, search] of Object.entries(searches(Date.now()))) {
      const times = await askInTurn(small, large, search);
      const sample = samples.get(title) ?? { small: [], large: [], found: "" };
      samples.set(title, sample);
      if (round === 0) continue;
      sample.small.push(median(times.small));
      sample.large.push(median(times.large));
      sample.found = times.found;
    }
  }
  await Promise.all([small.close(), large.close()]);
  return [...samples].map(([title, { small: few, large: many, found }]) => ({
    title,
    small: median(few),
    large: median(many),
    // The ratio is taken by round, because both values were measured within moments of each other.
    ratio: median(few.map((ms, round) => (many[round] ?? Number.NaN) / ms)),
    found,
  }));
}

/**
 * Sends the requests to both servers in turn, so that other work of the machine affects both in the same way.
 * @param {Awaited<ReturnType<typeof openServer>>} small @param {Awaited<ReturnType<typeof openServer>>} large
 * @param {Record<string, string | number>} search
 */
export async function askInTurn(small, large, search) {
  const times = { small: /** @type {number[]} */ ([]), large: /** @type {number[]} */ ([]), found: "" };
  for (let n = 0; n < REQUESTS; n++) {
    const [few, many] = [await small.ask(search), await large.ask(search)];
    times.small.push(few.ms);
    times.large.push(many.ms);
    times.found = `${few.found} / ${many.found}`;
  }
  return times;
}

/** @param {import("./processes.mjs").RunningServer} server */
export async function openServer(server) {
  const pool = new Pool(server.origin, { connections: 1, pipelining: 1 });
  const admin = new Browser(pool);
  await admin.signIn(REALM, "admin", PASSWORD);
  return {
    close: () => pool.close(),
    /** @param {Record<string, string | number>} search */
    async ask(search) {
      const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]));
      const path = `/admin/realms/${REALM}/events?${query}`;
      const began = performance.now();
      const answer = await pool.request({ method: "GET", path, headers: { cookie: admin.jar.cookie } });
      const body = await answer.body.text();
      const ms = performance.now() - began;
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${body.slice(0, 500)}`);
      const { total } = JSON.parse(body);
      return { ms, found: `${answer.headers["x-total-estimated"] ? "about " : ""}${total.toLocaleString("en")}` };
    },
  };
}
