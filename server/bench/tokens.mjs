// npm run bench -- tokens: compares the cost of a token with that of its signature, and the cost of responses about tokens with that of the
// bare engine.
import pg from "pg";
import { request } from "undici";
import { residentMb, startAssistant, startServer } from "./processes.mjs";
import { measureRounds, median } from "./rounds.mjs";
import { copyRealms, seedTokens } from "./tokens-data.mjs";

/** The number of realms over which requests are spread. */
const SPREAD = 1_000;
/** The maximum ratio of the delay of the event loop under load to that of one that only answers. */
export const MAX_DELAY = 5;
/**
 * The number of requests of each row before the measurement, however long they take, so that the server is in use: its code is compiled and
 * it has served each realm before. They are counted, because on a busy machine a second or two is too short for either.
 */
const WARM_UP = 10 * SPREAD;
/** The number for rows that take long to prepare, and that use the code of earlier rows. */
const PREPARED_WARM_UP = 2 * SPREAD;
/** The sampling interval, which is part of every reading. */
const RESOLUTION_MS = 10;

/** Returns the number of codes that a slice may use up. @param {number} seconds */
export const codesFor = (seconds) => Math.ceil(400 * seconds);

/** @typedef {{ id: string, title: string, against?: string, target?: number }} TokenRow */

/** @type {TokenRow[]} */
const rows = [
  { id: "rsa", title: "RSA-2048 signature" },
  { id: "rsa-twice", title: "two RSA-2048 signatures" },
  { id: "empty", title: "Fastify, empty answer" },
  { id: "signed", title: "Fastify, an answer behind one signature", against: "rsa" },
  { id: "bare-machine", title: "bare engine: client_credentials ES256" },
  { id: "bare-userinfo", title: "bare engine: userinfo, opaque" },
  { id: "bare-introspection", title: "bare engine: introspection, opaque" },
  { id: "machine-rs256", title: "client_credentials RS256", against: "rsa", target: 1.2 },
  { id: "refresh", title: "refresh (access and ID token)", against: "rsa-twice", target: 1.35 },
  { id: "code", title: "code exchange (access and ID token)", against: "rsa-twice", target: 1.35 },
  { id: "machine-es256", title: "client_credentials ES256", against: "bare-machine", target: 1 },
  { id: "userinfo", title: "userinfo", against: "bare-userinfo", target: 1.3 },
  { id: "introspection", title: "introspection of a JWT", against: "bare-introspection", target: 1.3 },
  { id: "discovery", title: "discovery", against: "empty", target: 1.6 },
  { id: "jwks", title: "JWKS", against: "empty", target: 1.6 },
];

/** The rows that are also measured over many realms. */
const spread = ["machine-rs256", "machine-es256", "discovery"];

/**
 * @typedef {object} Tokens
 * @property {import("./rounds.mjs").Line[]} lines
 * @property {{ own: number, empty: number, ratio: number }} delay the p99 in milliseconds
 * @property {number | null} memoryMb the memory of the server that serves many realms
 * @property {number} realms
 */

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.realms
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {number} options.connections
 * @param {string | undefined} options.profile
 * @param {string[]} [options.only]
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 * @returns {Promise<Tokens>}
 */
export async function measureTokens({ newPlace, dbCpu, realms, rounds, seconds, connections, profile, progress, untilTheEnd }) {
  progress("tokens: a realm with clients");
  const place = await newPlace();
  const own = untilTheEnd(await startServer({ ...place, profile }));
  const target = await seedTokens(own.origin, { chains: connections });

  const many = await manyRealms({ newPlace, realms, progress, untilTheEnd });
  const load = untilTheEnd(await startAssistant("tokens-load.mjs"));
  const limits = untilTheEnd(await startAssistant("limits.mjs"));
  const engine = untilTheEnd(await startAssistant("tokens-bare.mjs"));
  const empty = untilTheEnd(await startAssistant("bare-server.mjs", ["empty"]));
  const loaded = untilTheEnd(await startAssistant("tokens-loaded.mjs"));
  const [bare, { origin: emptyOrigin }, { origin: loadedOrigin }] = [await engine.ask({}), await empty.ask({}), await loaded.ask({})];

  const requests = (/** @type {string} */ kind, /** @type {object} */ to) => (/** @type {number} */ time) =>
    load.ask({ kind, target: to, seconds: time, connections });
  const toOwn = (/** @type {string} */ kind, /** @type {typeof target & { realms?: string[] }} */ at) => requests(kind, targetOf(kind, at));
  const none = () => null;

  /** @type {import("./rounds.mjs").Lane[]} */
  const lanes = rows.map((row) => {
    if (row.id.startsWith("rsa"))
      return { row, build: null, pid: limits.pid, slice: (time) => limits.ask({ row: row.id, seconds: time }), dbCpu: none };
    if (row.id === "empty") return { row, build: null, pid: empty.pid, slice: requests("empty", { origin: emptyOrigin }), dbCpu: none };
    if (row.id === "signed") return { row, build: null, pid: loaded.pid, slice: requests("empty", { origin: loadedOrigin }), dbCpu: none };
    if (row.id.startsWith("bare-")) return { row, build: null, pid: engine.pid, slice: requests(row.id, bare), dbCpu: none };
    /** @type {import("./rounds.mjs").Lane} */
    const lane = { row, build: null, pid: own.pid, slice: toOwn(row.id, target), dbCpu };
    if (row.id !== "code") return lane;
    // Codes are made before the measurement, because signing in is another row's cost. A slice ends when they are used up.
    return { ...lane, prepare: () => load.ask({ target: targetOf("code", target), codes: codesFor(seconds), connections }) };
  });
  for (const id of spread) {
    const like = /** @type {TokenRow} */ (rows.find((row) => row.id === id));
    const row = {
      id: `${id}-spread`,
      title: `${like.title}, over ${many.names.length.toLocaleString("en")} of ${realms.toLocaleString("en")} realms`,
      against: id,
      target: 1.2,
    };
    lanes.push({
      row,
      build: null,
      pid: many.server.pid,
      slice: toOwn(id, { ...target, origin: many.server.origin, realms: many.names, secretOf: many.secretOf }),
      dbCpu,
    });
  }
  progress("tokens: until everything has been used");
  for (const lane of lanes) await warmUp(lane, seconds);
  const lines = await measureRounds(lanes, { rounds, seconds, progress });

  progress("tokens: the event loop under load");
  const mixed = requests("mixed", { ...target, secretOf: undefined, secret: target.secretOf.machine, webSecret: target.secretOf.web });
  /** @type {{ own: number, empty: number }[]} */
  const delays = [];
  for (let round = 0; round <= rounds; round++) {
    await readDelay(own.origin);
    await mixed(Math.max(seconds, 2));
    const ownDelay = await readDelay(own.origin);
    await loaded.ask({ reset: true });
    await requests("empty", { origin: loadedOrigin })(Math.max(seconds, 2));
    const { p99 } = await loaded.ask({});
    if (round > 0) delays.push({ own: ownDelay, empty: Math.max(0.1, p99 - RESOLUTION_MS) });
  }
  return {
    lines,
    delay: {
      own: median(delays.map((each) => each.own)),
      empty: median(delays.map((each) => each.empty)),
      ratio: median(delays.map((each) => each.own / each.empty)),
    },
    memoryMb: residentMb(many.server.pid),
    realms,
  };
}

/**
 * Returns the target of one kind of request, with the secret of the client that sends it.
 * @param {string} kind @param {Awaited<ReturnType<typeof seedTokens>> & { realms?: string[] }} at
 */
export function targetOf(kind, { secretOf, ...rest }) {
  const machine = kind === "machine-es256" ? "machine-es256" : "machine";
  return { ...rest, secret: secretOf[kind.startsWith("machine") ? machine : "web"] };
}

/** @param {import("./rounds.mjs").Lane} lane @param {number} seconds */
export async function warmUp(lane, seconds) {
  for (let answered = 0; answered < (lane.prepare ? PREPARED_WARM_UP : WARM_UP); ) {
    await lane.prepare?.();
    answered += (await lane.slice(seconds)).count;
  }
}

/** Starts a separate server, whose database contains many realms. @param {Pick<Parameters<typeof measureTokens>[0], "newPlace" | "realms" | "progress" | "untilTheEnd">} options */
async function manyRealms({ newPlace, realms, progress, untilTheEnd }) {
  const place = await newPlace();
  const first = untilTheEnd(await startServer(place));
  const { secretOf } = await seedTokens(first.origin, { chains: 1 });
  // This request creates a P-256 key to copy.
  const authorization = `Basic ${Buffer.from(`machine-es256:${secretOf["machine-es256"]}`).toString("base64")}`;
  const { statusCode, body } = await request(`${first.origin}/realms/bench/token`, {
    method: "POST",
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  if (statusCode !== 200) throw new Error(`token answered ${statusCode}: ${await body.text()}`);
  await body.dump();
  await first.stop();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  const names = await copyRealms(client, { count: realms, open: SPREAD, masterKey: place.masterKey, progress });
  await client.end();
  return { server: untilTheEnd(await startServer(place)), names, secretOf };
}

/** Returns the largest delay of the event loop since the last call, in milliseconds. @param {string} origin */
async function readDelay(origin) {
  const { body } = await request(`${origin}/monitoring/metrics`);
  const p99 = /^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)$/m.exec(await body.text())?.[1];
  return Math.max(0.1, Number(p99) * 1000 - RESOLUTION_MS);
}
