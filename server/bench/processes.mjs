// Starts the programs that are measured, and asks the kernel for their resource usage.
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { freePort } from "../test/peers/index.mjs";

const canReadProc = existsSync("/proc/self/stat");
const ticksPerSecond = canReadProc ? Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })) : 0;

/**
 * Returns the user and system time of a process so far, including all its threads, in milliseconds. Returns null if there is no /proc.
 * @param {number} pid
 * @returns {number | null}
 */
export function cpuMs(pid) {
  if (!canReadProc) return null;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in parentheses and may contain anything, so fields are counted from its end (utime is 14).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** @param {number} pid @returns {number | null} resident memory in MB */
export function residentMb(pid) {
  if (!canReadProc) return null;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/** @param {number} pid */
const parentOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
};

/**
 * Returns a reader of the CPU time that all processes of one Postgres have used. Connections of a pool outlive a slice, so none is lost
 * between two readings.
 * @param {number} backend the process of any connection to it
 * @returns {() => number | null}
 */
export function postgresCpu(backend) {
  const read = postgresProcesses(backend);
  return () => {
    const processes = read();
    return processes && [...processes.values()].reduce((total, cpu) => total + cpu, 0);
  };
}

/**
 * Returns a reader of the CPU time of each process. Over a longer time pools close connections, whose time would be missing from the sum.
 * @param {number} backend the process of any connection to it
 * @returns {() => Map<number, number> | null}
 */
export function postgresProcesses(backend) {
  if (!canReadProc) return () => null;
  const postmaster = parentOf(backend);
  return () => {
    /** @type {Map<number, number>} */
    const processes = new Map();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      try {
        if (parentOf(pid) === postmaster) processes.set(pid, cpuMs(pid) ?? 0);
      } catch (error) {
        // The process ended meanwhile.
        if (!["ENOENT", "ESRCH"].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? "")) throw error;
      }
    }
    return processes;
  };
}

/** @typedef {{ pid: number, ask: (message: object) => Promise<any>, stop: () => Promise<void> }} Assistant */

/**
 * Starts a process of the bench, which answers one message at a time.
 * @param {string} file a file in this folder
 * @param {string[]} [args]
 * @returns {Promise<Assistant>}
 */
export async function startAssistant(file, args = []) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { stdio: ["ignore", 2, 2, "ipc"] });
  const ended = once(child, "exit").then(([code]) => ({ error: `${file} ended with code ${code}` }));
  const next = async () => {
    const listening = new AbortController();
    const message = once(child, "message", { signal: listening.signal }).then(([message]) => message);
    // The loser of the race must not keep listening, and must not report that it was stopped.
    message.catch(() => undefined);
    const answer = await Promise.race([message, ended]);
    listening.abort();
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  await next();
  return {
    pid: /** @type {number} */ (child.pid),
    ask: (message) => {
      child.send(message);
      return next();
    },
    stop: () => end(child),
  };
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await exited;
  clearTimeout(patience);
}

/** @typedef {{ pid: number, origin: string, readyMs: number, stop: () => Promise<void> }} RunningServer */

/** The password of the administrator that a first start creates. The bench signs in with it. */
export const ADMIN_PASSWORD = "bench-Admin-password-1";

/**
 * Starts the built product in its own process. It is ready when it has answered a request that needs the database.
 * @param {{ main: string, dataDir: string, databaseUrl?: string, masterKey?: string, profile?: string | undefined, preload?: string, env?: Record<string, string> }} options
 * @returns {Promise<RunningServer>}
 */
export async function startServer({ main, dataDir, databaseUrl, masterKey, profile, preload, env = {} }) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const args = [
    ...(profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : []),
    ...(preload ? ["--import", new URL(preload, import.meta.url).href] : []),
    ...[main, "start"],
  ];
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      // OpenSSL may use the same instructions on both sides of a measurement.
      ...(process.env.OPENSSL_ia32cap && { OPENSSL_ia32cap: process.env.OPENSSL_ia32cap }),
      NODE_ENV: "production",
      GATEHOUSE_PORT: String(port),
      GATEHOUSE_HOST: "127.0.0.1",
      GATEHOUSE_DATA_DIR: join(dataDir, "data"),
      GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: ADMIN_PASSWORD,
      // Sign-ins come from as many addresses as there are requests, so that the limits per address do not affect the figures.
      GATEHOUSE_TRUST_PROXY: "true",
      // The embedded database keeps its default, development. The limits and logs are the same in both modes.
      ...(databaseUrl && { DATABASE_URL: databaseUrl, GATEHOUSE_MASTER_KEY: masterKey, GATEHOUSE_BASE_URL: origin }),
      ...env,
    },
    // Log lines are written as in production, one per request, and discarded.
    stdio: ["ignore", "ignore", "pipe"],
  });
  let notes = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    notes = (notes + text).slice(-4_000);
  });
  const agent = new Agent({ connections: 1 });
  try {
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server did not start:\n${notes}`);
      if (performance.now() - began > 60_000) throw new Error(`The server was not ready within a minute:\n${notes}`);
      if (await answers(agent, `${origin}/realms/master/jwks`)) break;
      await sleep(10);
    }
    return { pid: /** @type {number} */ (child.pid), origin, readyMs: performance.now() - began, stop: () => end(child) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    await agent.close();
  }
}

/** @param {Agent} dispatcher @param {string} url */
async function answers(dispatcher, url) {
  try {
    const { statusCode, body } = await request(url, { dispatcher });
    await body.dump();
    return statusCode === 200;
  } catch (error) {
    // No process listens yet.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ECONNREFUSED") return false;
    throw error;
  }
}
