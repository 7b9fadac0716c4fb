// Measures the time of a start, on an empty database and again, and the memory of an idle server.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs, residentMb, startServer } from "./processes.mjs";
import { median } from "./rounds.mjs";

/** @typedef {import("./report.mjs").Figure} Figure */
/** @typedef {Parameters<typeof startServer>[0]} Place a server's folder and, on Postgres, its database */

const TRIES = 3;
const IDLE_SECONDS = 5;
const FIRST_START = 4;
const START_AGAIN = 1.5;
const IDLE_MB_ON_POSTGRES = 150;

/**
 * @param {Record<string, () => Promise<Place>>} emptyPlaces by the name of the database
 * @param {(text: string) => void} progress
 * @returns {Promise<Figure[]>}
 */
export async function measureStarts(emptyPlaces, progress) {
  /** @type {Map<string, { first: number[], again: number[] }>} */
  const times = new Map(Object.keys(emptyPlaces).map((name) => [name, { first: [], again: [] }]));
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    progress(`starts, ${attempt} of ${TRIES}`);
    for (const [name, makePlace] of Object.entries(emptyPlaces)) {
      const place = await makePlace();
      for (const kind of /** @type {const} */ (["first", "again"])) {
        const server = await startServer(place);
        times.get(name)?.[kind].push(server.readyMs / 1000);
        await server.stop();
      }
    }
  }
  return [...times].flatMap(([name, { first, again }]) => [
    { name: `${name}: first start to ready`, value: median(first), unit: /** @type {const} */ ("s"), target: FIRST_START },
    { name: `${name}: start again to ready`, value: median(again), unit: /** @type {const} */ ("s"), target: START_AGAIN },
  ]);
}

/**
 * Measures both servers at the same time, because an idle server does not disturb another.
 * @param {Record<string, import("./processes.mjs").RunningServer>} servers just started, by the name of the database
 * @returns {Promise<Figure[]>}
 */
export async function measureIdle(servers) {
  const before = Object.values(servers).map(({ pid }) => cpuMs(pid));
  await sleep(IDLE_SECONDS * 1000);
  return Object.entries(servers).flatMap(([name, { pid }], index) => {
    const [from, to] = [before[index] ?? null, cpuMs(pid)];
    const share = from === null || to === null ? null : (to - from) / IDLE_SECONDS / 10;
    return [
      {
        name: `${name}: memory after ${IDLE_SECONDS} s idle`,
        value: residentMb(pid),
        unit: /** @type {const} */ ("MB"),
        target: name === "Postgres" ? IDLE_MB_ON_POSTGRES : null,
      },
      { name: `${name}: CPU while idle`, value: share, unit: /** @type {const} */ ("%"), target: null },
    ];
  });
}

/** @param {string} folder @returns {Promise<string>} */
export const newFolder = (folder) => mkdtemp(join(folder, "server-"));
