// npm run bench -- tokens signin --compare FILE: sends the same requests to this build and to another, in turn.
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { seedSignIns, WARM_UP } from "./signin.mjs";
import { codesFor, targetOf, warmUp } from "./tokens.mjs";
import { seedTokens } from "./tokens-data.mjs";

const TOKENS = [
  ["machine-es256", "client_credentials ES256"],
  ["machine-rs256", "client_credentials RS256"],
  ["refresh", "refresh (access and ID token)"],
  ["code", "code exchange (access and ID token)"],
  ["userinfo", "userinfo"],
  ["introspection", "introspection of a JWT"],
  ["discovery", "discovery"],
  ["jwks", "JWKS"],
];

/** The largest ratio of CPU time that counts as no worse. */
const MAX_RATIO = 1.03;
/** The rows of the other build have their own ids, with which the rows of this build are compared. */
const OTHER = "-other";

/**
 * @param {object} options
 * @param {(main?: string) => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {string} options.other the other build
 * @param {boolean} options.tokens
 * @param {boolean} options.signin
 * @param {() => number | null} options.dbCpu
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {number} options.connections
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 * @returns {Promise<import("./rounds.mjs").Line[]>}
 */
export async function measureBuilds({ newPlace, other, tokens, signin, dbCpu, rounds, seconds, connections, progress, untilTheEnd }) {
  /** @type {import("./rounds.mjs").Lane[][]} */
  const byBuild = [];
  for (const build of [null, other]) {
    progress(`builds: ${build ?? "this one"}`);
    const { pid, origin } = untilTheEnd(await startServer(build === null ? await newPlace() : await newPlace(build)));
    const rowOf = (/** @type {string} */ id, /** @type {string} */ title) =>
      build === null ? { id, title, against: id + OTHER, target: MAX_RATIO } : { id: id + OTHER, title };
    const common = { build: build === null ? "this" : "other", pid, dbCpu };
    /** @type {import("./rounds.mjs").Lane[]} */
    const lanes = [];
    if (tokens) {
      const at = await seedTokens(origin, { chains: connections, realm: "tokens" });
      const load = untilTheEnd(await startAssistant("tokens-load.mjs"));
      for (const [kind = "", title = ""] of TOKENS) {
        const target = targetOf(kind, at);
        const slice = (/** @type {number} */ time) => load.ask({ kind, target, seconds: time, connections });
        const prepare = () => load.ask({ target, codes: codesFor(seconds), connections });
        lanes.push({ ...common, row: rowOf(kind, title), slice, ...(kind === "code" && { prepare }) });
      }
    }
    if (signin) {
      const target = await seedSignIns(origin);
      const load = untilTheEnd(await startAssistant("signin-load.mjs"));
      const slice = (/** @type {number} */ time) => load.ask({ do: "signIns", target, seconds: Math.max(time, 3), connections });
      lanes.push({ ...common, row: rowOf("sign-in", "sign-in by password, code flow, from link to tokens"), slice });
    }
    byBuild.push(lanes);
  }
  const [own = [], others = []] = byBuild;
  const lanes = own.flatMap((lane, at) => [lane, others[at] ?? lane]);
  progress("builds: until everything has been used");
  for (const lane of lanes) {
    if (!lane.row.id.startsWith("sign-in")) await warmUp(lane, seconds);
    else for (let done = 0; done < WARM_UP; ) done += (await lane.slice(5)).count;
  }
  return measureRounds(lanes, { rounds, seconds, progress });
}
