// Measures whether a directory stays as fast when it grows: administrators work with users in a realm of 10,000, in one of 1,000,000, and in
// one of 10,000 beside 10,000 other realms, queried in turn through the API. Compares an import with bare INSERTs.
import pg from "pg";
import { Pool } from "undici";
import { fillRealms, fillUsers, userIdOf, usernameOf } from "./directory-data.mjs";
import { measureImport } from "./directory-import.mjs";
import { cpuMs, startServer } from "./processes.mjs";
import { median } from "./rounds.mjs";
import { Browser } from "./seed.mjs";

export const SMALL = 10_000;
export const MAX_RATIO = 2;
const REALM = "bench";
const PASSWORD = "bench-Admin-password-2";
const AT_ONCE = 4;

/**
 * @typedef {object} Place One server with its database.
 * @property {number} pid
 * @property {number} users the number of initial users
 * @property {string[]} created the ids of the users that the bench created, to be erased
 * @property {number} serial
 * @property {(method: "GET" | "POST" | "DELETE", path: string, status: number, json?: object) => Promise<any>} send
 */

/** The operations, each with its count in a slice. @type {Record<string, { times: number, once: (place: Place, n: number) => Promise<unknown> }>} */
const operations = {
  "list, first 100": { times: 60, once: (place) => place.send("GET", "/users", 200) },
  "list, by age": { times: 60, once: (place) => place.send("GET", "/users?sort=-createdAt&size=50", 200) },
  "search, one match": { times: 200, once: (place, n) => place.send("GET", `/users?search=${usernameOf(anyOf(place, n))}`, 200) },
  "search, everybody matches": { times: 60, once: (place) => place.send("GET", "/users?search=person-", 200) },
  get: { times: 400, once: (place, n) => place.send("GET", `/users/${userIdOf(anyOf(place, n))}`, 200) },
  create: {
    times: 200,
    once: async (place) => {
      const username = `new-${process.pid}-${place.serial++}`;
      place.created.push((await place.send("POST", "/users", 201, { username, email: `${username}@example.com` })).userId);
    },
  },
  erase: { times: 200, once: (place) => place.send("DELETE", `/users/${place.created.pop()}/gdpr`, 204) },
};

/**
 * Returns the user of the n-th request. Requests spread over all users, so that caches do not help the large realm more than in reality.
 * @param {Place} place @param {number} n
 */
const anyOf = ({ users }, n) => 1 + ((n * 7919 + 13) % users);

/**
 * @typedef {{ cpu: number | null, db: number | null }} Cost of one request, in milliseconds
 * @typedef {object} DirectoryLine
 * @property {string} title
 * @property {Cost} small
 * @property {Cost} large
 * @property {Cost} realms
 * @property {Cost} largeRatio
 * @property {Cost} realmsRatio
 *
 * @typedef {object} Directory
 * @property {number} users
 * @property {number} realms
 * @property {DirectoryLine[]} lines
 * @property {import("./directory-import.mjs").ImportFigures} imports
 */

/**
 * @param {{ newPlace: () => Promise<Parameters<typeof startServer>[0]>, dbProcesses: () => Map<number, number> | null, rounds: number, users: number,
 *   realms: number, progress: (text: string) => void, untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options
 * @returns {Promise<Directory>}
 */
export async function measureDirectory({ newPlace, dbProcesses, rounds, users, realms, progress, untilTheEnd }) {
  const filled = (/** @type {number} */ count, /** @type {number} */ others) =>
    filledServer({ place: newPlace, users: count, realms: others, progress, untilTheEnd });
  const places = {
    small: await filled(Math.min(SMALL, users), 0),
    large: await filled(users, 0),
    realms: await filled(Math.min(SMALL, users), realms),
  };
  const kinds = /** @type {(keyof typeof places)[]} */ (Object.keys(places));

  /** @type {Map<string, Record<keyof typeof places, Cost[]>>} */
  const samples = new Map(Object.keys(operations).map((title) => [title, { small: [], large: [], realms: [] }]));
  let seed = 0;
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "warming up" : `directory, round ${round} of ${rounds}`);
    for (const [title, operation] of Object.entries(operations)) {
      for (const kind of kinds) {
        const cost = await slice(places[kind], operation, dbProcesses, seed);
        if (round > 0) samples.get(title)?.[kind].push(cost);
      }
      seed += operation.times;
    }
  }
  const imports = await measureImport({ place: places.small, rounds, progress });
  for (const kind of kinds) await places[kind].close();
  return { users, realms, lines: [...samples].map(([title, costs]) => summarise(title, costs)), imports };
}

/** @param {string} title @param {Record<"small" | "large" | "realms", Cost[]>} costs @returns {DirectoryLine} */
function summarise(title, { small, large, realms }) {
  const middle = (/** @type {Cost[]} */ of) => ({ cpu: medianOf(of.map(({ cpu }) => cpu)), db: medianOf(of.map(({ db }) => db)) });
  // The ratio is taken by round, because both values were measured within moments of each other.
  const ratio = (/** @type {Cost[]} */ of, /** @type {keyof Cost} */ part) =>
    medianOf(of.map((cost, round) => divide(cost[part], small[round]?.[part] ?? null)));
  const ratios = (/** @type {Cost[]} */ of) => ({ cpu: ratio(of, "cpu"), db: ratio(of, "db") });
  return {
    title,
    small: middle(small),
    large: middle(large),
    realms: middle(realms),
    largeRatio: ratios(large),
    realmsRatio: ratios(realms),
  };
}

/** @param {number | null} value @param {number | null} by */
const divide = (value, by) => (value === null || !by ? null : value / by);
/** @param {(number | null)[]} values */
const medianOf = (values) => {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? median(known) : null;
};

/**
 * @param {Place} place @param {{ times: number, once: (place: Place, n: number) => Promise<unknown> }} operation
 * @param {() => Map<number, number> | null} dbProcesses @param {number} seed @returns {Promise<Cost>}
 */
async function slice(place, { times, once }, dbProcesses, seed) {
  const [cpu, processes] = [cpuMs(place.pid), dbProcesses()];
  let n = 0;
  const worker = async () => {
    while (n < times) await once(place, seed + n++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const [cpuAfter, after] = [cpuMs(place.pid), dbProcesses()];
  const db = after && [...after].reduce((total, [pid, used]) => total + used - (processes?.get(pid) ?? 0), 0);
  return { cpu: cpu === null || cpuAfter === null ? null : (cpuAfter - cpu) / times, db: db === null ? null : db / times };
}

/**
 * @param {{ place: () => Promise<Parameters<typeof startServer>[0]>, users: number, realms: number, progress: (text: string) => void,
 *   untilTheEnd: <T extends { stop: () => Promise<void> }>(program: T) => T }} options
 */
async function filledServer({ place: newPlace, users, realms, progress, untilTheEnd }) {
  const place = await newPlace();
  await withoutAutovacuum(place.databaseUrl);
  // The first start creates the tables. It ends before they are filled, because the server would read them for work all the time.
  const maker = untilTheEnd(await startServer(place));
  const pool = new Pool(maker.origin, { connections: 1 });
  const master = new Browser(pool);
  await master.signIn("master", "admin");
  for (const realm of [REALM, "bench-import", "bench-bare"])
    await master.send("POST", "/admin/realms", 201, { json: { realm, adminPassword: PASSWORD } });
  await pool.close();
  await maker.stop();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  if (realms > 0) await fillRealms(client, { like: REALM, count: realms, progress });
  await fillUsers(client, { realm: REALM, users, progress });
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.end();
  return openPlace(untilTheEnd(await startServer(place)), users, String(place.databaseUrl));
}

/**
 * Disables the vacuum of the cluster, which exists for this run only. It would run in the last filled database during a slice, and be
 * counted as the cost of a request.
 * @param {string | undefined} databaseUrl
 */
async function withoutAutovacuum(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("alter system set autovacuum = off");
  await client.query("select pg_reload_conf()");
  await client.end();
}

/** @param {import("./processes.mjs").RunningServer} server @param {number} users @param {string} databaseUrl */
async function openPlace(server, users, databaseUrl) {
  const pool = new Pool(server.origin, { connections: AT_ONCE, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const admin = new Browser(pool);
  await admin.signIn(REALM, "admin", PASSWORD);
  return {
    pid: server.pid,
    users,
    databaseUrl,
    pool,
    created: /** @type {string[]} */ ([]),
    serial: 0,
    close: () => pool.close(),
    /** @param {"GET" | "POST" | "DELETE"} method @param {string} path @param {number} status @param {object} [json] */
    send: (method, path, status, json) => admin.send(method, `/admin/realms/${REALM}${path}`, status, json && { json }),
    /** @param {string} realm */
    async signIn(realm) {
      const browser = new Browser(pool);
      await browser.signIn(realm, "admin", PASSWORD);
      return browser.jar;
    },
  };
}
