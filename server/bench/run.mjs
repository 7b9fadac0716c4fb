// npm run bench: compares the product with the limits of the machine, measured in one run. docs/performance.md explains the figures.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startPostgres } from "../test/peers/index.mjs";
import { measureAuthz } from "./authz.mjs";
import { measureBrokers } from "./brokers.mjs";
import { measureBuilds } from "./builds.mjs";
import { measureConsole } from "./console.mjs";
import { measureDirectory } from "./directory.mjs";
import { measureEvents } from "./events.mjs";
import { measureLdap } from "./ldap.mjs";
import { measureMachines } from "./machines.mjs";
import { HELP, readOptions, UsageError } from "./options.mjs";
import { postgresCpu, postgresProcesses, residentMb, startAssistant, startServer } from "./processes.mjs";
import { measureProvisioning } from "./provisioning.mjs";
import { asText, verdict } from "./report.mjs";
import { measureRounds } from "./rounds.mjs";
import { measureSaml } from "./saml.mjs";
import { seed } from "./seed.mjs";
import { measureSignIns } from "./signin.mjs";
import { measureIdle, measureStarts, newFolder } from "./starts.mjs";
import { measureTokens } from "./tokens.mjs";

const OWN_MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const masterKey = randomBytes(32).toString("base64");

/** The functions that end the processes, the last one first. @type {(() => Promise<unknown>)[]} */
const cleanups = [];
const cleanUp = async () => {
  for (let undo = cleanups.pop(); undo; undo = cleanups.pop()) await undo();
};
/** @template {{ stop: () => Promise<void> }} T @param {T} program @returns {T} */
const untilTheEnd = (program) => {
  cleanups.push(program.stop);
  return program;
};

for (const [signal, number] of /** @type {const} */ ([
  ["SIGINT", 2],
  ["SIGTERM", 15],
])) {
  process.once(signal, () => {
    cleanUp().finally(() => process.exit(128 + number));
  });
}

const progress = (/** @type {string} */ text) => console.error(`… ${text}`);

/** @param {import("./options.mjs").Options} options @returns {Promise<import("./report.mjs").Report>} */
async function bench(options) {
  const loadBefore = loadavg()[0] ?? 0;
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-bench-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = untilTheEnd(await startPostgres());
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  cleanups.push(() => admin.end());
  const { rows: backend } = await admin.query("select pg_backend_pid() as pid, current_setting('server_version') as version");
  const dbCpu = postgresCpu(backend[0].pid);
  const dbProcesses = postgresProcesses(backend[0].pid);

  let databases = 0;
  const onPostgres = async (main = OWN_MAIN) => {
    const name = `bench_${++databases}`;
    await admin.query(`create database ${name}`);
    const databaseUrl = postgres.url.replace(/postgres$/, name);
    return { main, dataDir: await newFolder(folder), databaseUrl, masterKey };
  };
  const onEmbedded = async () => ({ main: OWN_MAIN, dataDir: await newFolder(folder) });

  const figures = options.starts ? await measureStarts({ embedded: onEmbedded, Postgres: onPostgres }, progress) : [];

  const load = untilTheEnd(await startAssistant("load.mjs"));
  const { connections, rounds, seconds } = options;
  const slice = (/** @type {string} */ row, /** @type {import("./rows.mjs").Target} */ target) => (/** @type {number} */ time) =>
    load.ask({ row, target, seconds: time, connections });

  const events = options.events
    ? await measureEvents({ newPlace: onPostgres, rounds: options.rounds, total: options.events, progress, untilTheEnd })
    : [];
  const directory = options.directory
    ? await measureDirectory({ newPlace: onPostgres, dbProcesses, rounds: options.rounds, ...options.directory, progress, untilTheEnd })
    : null;
  const [other] = options.compare;
  const builds =
    other !== undefined && (options.tokens || options.signin)
      ? await measureBuilds({
          ...{ newPlace: onPostgres, other, tokens: options.tokens !== null, signin: options.signin },
          ...{ dbCpu, rounds, seconds, connections, progress, untilTheEnd },
        })
      : [];
  const tokens =
    options.tokens && builds.length === 0
      ? await measureTokens({
          newPlace: onPostgres,
          dbCpu,
          rounds,
          seconds,
          connections,
          profile: options.profile,
          ...options.tokens,
          progress,
          untilTheEnd,
        })
      : null;

  const signIns =
    options.signin && builds.length === 0
      ? await measureSignIns({ newPlace: onPostgres, dbCpu, rounds, seconds, connections, profile: options.profile, progress, untilTheEnd })
      : null;

  const saml = options.saml
    ? await measureSaml({ newPlace: onPostgres, dbCpu, connections, profile: options.profile, rounds, seconds, progress, untilTheEnd })
    : [];

  const ldap = options.ldap
    ? await measureLdap({ newPlace: onPostgres, dbCpu, profile: options.profile, rounds, seconds, ...options.ldap, progress, untilTheEnd })
    : null;

  const brokers = options.brokers
    ? await measureBrokers({ newPlace: onPostgres, dbCpu, connections, profile: options.profile, rounds, seconds, progress, untilTheEnd })
    : [];

  const machines = options.machines
    ? await measureMachines({ newPlace: onPostgres, dbCpu, connections, profile: options.profile, rounds, seconds, progress, untilTheEnd })
    : [];

  const authz = options.authz
    ? await measureAuthz({ newPlace: onPostgres, dbCpu, connections, profile: options.profile, rounds, seconds, progress, untilTheEnd })
    : [];

  const provisioning = options.provisioning
    ? await measureProvisioning({
        newPlace: onPostgres,
        dbCpu,
        connections,
        profile: options.profile,
        rounds,
        seconds,
        ...options.provisioning,
        folder,
        progress,
        untilTheEnd,
      })
    : null;

  if (options.console)
    figures.push(...(await measureConsole({ newPlace: onPostgres, folder, rounds, ...options.console, progress, untilTheEnd })));

  const place = await onPostgres();
  if (options.profile) await mkdir(options.profile, { recursive: true });
  const own = untilTheEnd(await startServer({ ...place, profile: options.profile }));
  if (options.memory) {
    const embedded = untilTheEnd(await startServer(await onEmbedded()));
    progress("idle memory");
    figures.push(...(await measureIdle({ embedded, Postgres: own })));
    const target = await seed(embedded.origin, { users: 20, logins: 1 });
    await slice("admin-read", target)(2 * seconds);
    figures.push({
      name: `embedded: memory after ${2 * seconds} s of admin reads`,
      value: residentMb(embedded.pid),
      unit: "MB",
      target: null,
    });
    await embedded.stop();
  }

  const servers = [{ name: options.compare.length > 0 ? "this" : null, server: own, databaseUrl: place.databaseUrl }];
  for (const [index, main] of options.compare.entries()) {
    const other = await onPostgres(main);
    servers.push({ name: `other ${index + 1}`, server: untilTheEnd(await startServer(other)), databaseUrl: other.databaseUrl });
  }
  /** @type {import("./rounds.mjs").Line[]} */
  let lines = [];
  if (options.rows.length > 0) {
    progress("filling the database");
    const targets = [];
    for (const { name, server, databaseUrl } of servers) {
      targets.push({ name, server, target: await seed(server.origin, { users: 1000, logins: 200 }) });
      await refreshStatistics(databaseUrl);
    }
    const [first] = /** @type {[typeof targets[number]]} */ ([targets[0]]);
    const limits = untilTheEnd(await startAssistant("limits.mjs"));
    const bare = {
      empty: untilTheEnd(await startAssistant("bare-server.mjs", ["empty"])),
      read: untilTheEnd(await startAssistant("bare-server.mjs", ["read", place.databaseUrl])),
    };

    /** @type {import("./rounds.mjs").Lane[]} */
    const lanes = [];
    const none = () => null;
    for (const row of options.rows) {
      if (row.server === "limits") {
        const work = (/** @type {number} */ time) => limits.ask({ row: row.id, seconds: time });
        lanes.push({ row, build: null, pid: limits.pid, slice: work, dbCpu: none });
      } else if (row.server === "product") {
        for (const { name, server, target } of targets)
          lanes.push({ row, build: name, pid: server.pid, slice: slice(row.id, target), dbCpu: row.id === "jwks" ? none : dbCpu });
      } else {
        const server = bare[row.server];
        const { origin } = await server.ask({});
        const requested = slice(row.id, { ...first.target, origin });
        lanes.push({ row, build: null, pid: server.pid, slice: requested, dbCpu: row.server === "read" ? dbCpu : none });
      }
    }
    lines = await measureRounds(lanes, { rounds, seconds, progress });
    figures.push({ name: "Postgres: memory after the load", value: residentMb(own.pid), unit: "MB", target: null });
  }

  return {
    machine: {
      machine: `${availableParallelism()} × ${cpus()[0]?.model ?? "?"} (${process.arch}), Node ${process.versions.node}, Postgres ${backend[0].version} with fsync off`,
      run: `${rounds} rounds of ${seconds} s, ${connections} connections; load average ${loadBefore.toFixed(1)} before the run`,
    },
    rows: lines,
    figures,
    events,
    directory,
    builds,
    tokens,
    signIns,
    saml,
    ldap,
    brokers,
    machines,
    authz,
    provisioning,
  };
}

/** Refreshes the statistics: a database in use has them, and without them queries would be planned badly. @param {string} databaseUrl */
async function refreshStatistics(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("vacuum analyze");
  await client.end();
}

/** @returns {Promise<number>} the exit code; a slow result is no error */
async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  for (const build of [OWN_MAIN, ...options.compare]) {
    if (!existsSync(build)) throw new UsageError(`${build} is not there: build it first (npm run build)`);
  }
  const report = await bench(options);
  const judged = {
    ...report,
    rows: report.rows.map((row) => ({ ...row, verdict: verdict(row.ratio, row.target) })),
    figures: report.figures.map((figure) => ({ ...figure, verdict: verdict(figure.value, figure.target) })),
  };
  console.log(options.json ? JSON.stringify(judged, null, 2) : asText(report));
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${HELP}` : error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
