import { execFile } from "node:child_process";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { postgresBin } from "./find.mjs";
import { freePort, keep } from "./keeper.mjs";

const run = promisify(execFile);

/**
 * Returns the user that runs Postgres, which refuses to run as root. Debian's package brings a user for it, and `nobody` exists everywhere.
 * @returns {Promise<{ uid: number, gid: number } | undefined>}
 */
async function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("Postgres refuses to run as root, and this machine has neither a user postgres nor nobody to run it as");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

// A cluster that lives for one run needs no durability, which costs most of the time of a write.
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  max_connections: "200",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // Tables that were never analysed look large, and compiling a query for them takes longer than answering it.
  jit: "off",
};

/** @typedef {{ url: string, port: number, stop: () => Promise<void> }} RunningPostgres */

/**
 * Starts the Postgres of a run, whose databases files lend to each other. The planner's assumptions about a table must not depend on whether autovacuum has
 * run.
 */
export const startPostgresOfRun = () => startPostgres({ autovacuum: "off" });

/**
 * Starts a private Postgres on loopback with an empty cluster. `url` is for the superuser and the database `postgres`. It ends with `stop()` or with this
 * process, whichever comes first.
 * @param {Record<string, string>} [settings]
 * @returns {Promise<RunningPostgres>}
 */
export async function startPostgres(settings = {}) {
  const bin = postgresBin();
  if (!bin) throw new Error("Postgres is not installed. On Debian or Ubuntu: sudo apt-get install postgresql");

  const user = await unprivileged();
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-pg-"));
  try {
    if (user) await chown(folder, user.uid, user.gid);
    const data = join(folder, "data");
    const initdb = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
    await run(join(bin, "initdb"), initdb, { cwd: folder, ...user });
    for (let attempt = 1; ; attempt++) {
      try {
        return await serve(join(bin, "postgres"), folder, data, user, settings);
      } catch (error) {
        // Another process took the free port in the meantime.
        if (attempt === 3 || !String(error).includes("Address already in use")) throw error;
      }
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Starts a standby that streams from a Postgres of ours. `promote()` makes it a primary.
 * @param {{ port: number }} primary
 * @returns {Promise<RunningPostgres & { promote: () => Promise<void> }>}
 */
export async function startStandby({ port }) {
  const bin = /** @type {string} */ (postgresBin());
  const user = await unprivileged();
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-pg-"));
  try {
    if (user) await chown(folder, user.uid, user.gid);
    const data = join(folder, "data");
    const from = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
    await run(join(bin, "pg_basebackup"), [...from, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"], { cwd: folder, ...user });
    const standby = await serve(join(bin, "postgres"), folder, data, user);
    const promote = async () => void (await run(join(bin, "pg_ctl"), ["promote", "-w", "-D", data], { cwd: folder, ...user }));
    return { ...standby, promote };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {string} data
 * @param {{ uid: number, gid: number } | undefined} user
 * @param {Record<string, string>} [settings]
 * @returns {Promise<RunningPostgres>}
 */
async function serve(program, folder, data, user, settings) {
  const port = await freePort();
  const all = { ...SETTINGS, ...settings, unix_socket_directories: folder, port: String(port) };
  const { stop } = await keep({
    name: "Postgres",
    folder,
    command: [program, "-D", data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // INT is Postgres' fast shutdown: it ends sessions instead of waiting for them.
    signal: "INT",
    user,
    isReady: () => isReady(data),
  });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, stop };
}

/** Reads Postgres' state from the eighth line of its lock file. Asking at the port instead could reach another server. @param {string} data */
async function isReady(data) {
  try {
    const state = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[7]?.trim();
    // A standby that accepts queries says `standby` until it is promoted.
    return state === "ready" || state === "standby";
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return false;
    throw error;
  }
}
