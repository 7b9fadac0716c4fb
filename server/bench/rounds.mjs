// Measures the rows with requests or hashes in turn, each for a moment, again and again, so that a slow moment of the machine slows all of
// them in the same way.
import { cpuMs } from "./processes.mjs";

/** @typedef {{ id: string, title: string, against?: string, target?: number, withDatabase?: boolean }} Row `withDatabase`: the CPU time of the database counts too */
/** @typedef {{ rate: number, cpu: number | null, dbCpu: number | null, p50: number, p99: number }} Sample */

/**
 * One line of the table: a row, on one build if there are several.
 * @typedef {object} Lane
 * @property {Row} row
 * @property {string | null} build
 * @property {number} pid the process whose CPU time counts
 * @property {(seconds: number) => Promise<import("./load.mjs").Slice>} slice
 * @property {() => number | null} dbCpu
 * @property {() => Promise<unknown>} [prepare] the preparation, which is not measured
 */

/**
 * @typedef {object} Line
 * @property {string} id
 * @property {string} title
 * @property {string | null} build
 * @property {number} rate requests a second
 * @property {number | null} cpuMs CPU time of the server's process for one request, plus the database's with `withDatabase`
 * @property {number | null} cpuSpread the distance of the largest from the smallest round, as a share of the median
 * @property {number | null} dbCpuMs CPU time of Postgres for one request
 * @property {string | null} against
 * @property {number | null} ratio the ratio of CPU time to that row
 * @property {number | null} target
 * @property {number} p50 in milliseconds
 * @property {number} p99
 * @property {Sample[]} rounds the values of the medians
 */

/**
 * @param {Lane[]} lanes
 * @param {{ rounds: number, seconds: number, progress: (text: string) => void }} options
 * @returns {Promise<Line[]>}
 */
export async function measureRounds(lanes, { rounds, seconds, progress }) {
  /** @type {Map<Lane, Sample[]>} */
  const samples = new Map(lanes.map((lane) => [lane, []]));
  // The first round warms up (compilers, caches, connection pools) and does not count.
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const lane of lanes) {
      const sample = await measure(lane, seconds);
      if (round > 0) samples.get(lane)?.push(sample);
    }
  }
  return lanes.map((lane) => summarise(lane, samples));
}

/** @param {Lane} lane @param {number} seconds @returns {Promise<Sample>} */
async function measure(lane, seconds) {
  await lane.prepare?.();
  const [before, dbBefore] = [cpuMs(lane.pid), lane.dbCpu()];
  const { count, seconds: elapsed, p50, p99 } = await lane.slice(seconds);
  const [after, dbAfter] = [cpuMs(lane.pid), lane.dbCpu()];
  const each = (/** @type {number | null} */ from, /** @type {number | null} */ to) =>
    from === null || to === null ? null : (to - from) / count;
  const [own, dbCpu] = [each(before, after), each(dbBefore, dbAfter)];
  const cpu = lane.row.withDatabase && own !== null ? own + (dbCpu ?? 0) : own;
  return { rate: count / elapsed, cpu, dbCpu, p50, p99 };
}

/** @param {Lane} lane @param {Map<Lane, Sample[]>} samples @returns {Line} */
function summarise(lane, samples) {
  const own = samples.get(lane) ?? [];
  const against = "against" in lane.row ? lane.row.against : null;
  const [, limit] = [...samples].find(([other]) => other.row.id === against) ?? [];
  const cpu = own.map((sample) => sample.cpu).filter((value) => value !== null);
  // The ratio is taken by round, because both values were measured within seconds of each other.
  const ratios = own.flatMap(({ cpu }, round) => {
    const base = limit?.[round]?.cpu;
    return cpu !== null && base ? [cpu / base] : [];
  });
  return {
    id: lane.row.id,
    title: lane.row.title,
    build: lane.build,
    rate: median(own.map(({ rate }) => rate)),
    cpuMs: cpu.length > 0 ? median(cpu) : null,
    cpuSpread: cpu.length > 0 ? (Math.max(...cpu) - Math.min(...cpu)) / median(cpu) : null,
    dbCpuMs: medianOrNull(own.map(({ dbCpu }) => dbCpu)),
    against,
    ratio: ratios.length > 0 ? median(ratios) : null,
    target: "target" in lane.row ? lane.row.target : null,
    p50: median(own.map(({ p50 }) => p50)),
    p99: median(own.map(({ p99 }) => p99)),
    rounds: own,
  };
}

/** @param {(number | null)[]} values */
const medianOrNull = (values) => {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? median(known) : null;
};

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
