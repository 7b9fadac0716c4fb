import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { postgresBin } from "./find.mjs";

const run = promisify(execFile);

/** A port of 127.0.0.1 that nobody listens on now. Somebody else may take it before you do: be ready to ask again. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Postgres refuses to run as root; Debian's package brings a user for it, and `nobody` is everywhere.
 * @returns {Promise<{ uid: number, gid: number } | undefined>}
 */
async function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("Postgres refuses to run as root, and this machine has neither a user postgres nor nobody to run it as");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

// Keeps Postgres only as long as the other end of stdin is open: however the owner ends, even by kill -9, neither a server
// nor its folder stays behind. SIGINT is Postgres' fast shutdown: it ends sessions instead of waiting for them.
const KEEPER = `
  folder=$1; shift
  exec 3<&0
  "$@" 3<&- </dev/null & server=$!
  { cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null &
  wait $server && rm -rf "$folder"
`;

// Durability is of no use to a cluster that lives for one run, and costs most of the time of a write.
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

/** @typedef {{ url: string, port: number, stop: () => Promise<void> }} RunningPostgres */

/**
 * A private Postgres on loopback with an empty cluster. `url` is the superuser's, on database `postgres`.
 * It ends with `stop()` or with this process, whichever comes first.
 * @returns {Promise<RunningPostgres>}
 */
export async function startPostgres() {
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
        return await serve(join(bin, "postgres"), folder, data, user);
      } catch (error) {
        // The free port was taken in the meantime.
        if (attempt === 3 || !String(error).includes("Address already in use")) throw error;
      }
    }
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
 * @returns {Promise<RunningPostgres>}
 */
async function serve(program, folder, data, user) {
  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // A process group of its own: Ctrl-C on a terminal must reach the tests first and the database last.
  const child = spawn("sh", ["-c", KEEPER, "sh", folder, program, "-D", data, ...settings], {
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    ...user,
  });
  const exited = once(child, "exit");
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = (log + text).slice(-4_000);
  });
  const stop = async () => {
    // From here on its end is waited for: without this the process would end first, with folders left behind.
    child.ref();
    child.stdin.end();
    // Fast shutdown takes milliseconds; a server that does not answer to it is ended the hard way.
    const patience = setTimeout(() => killGroup(child.pid), 10_000);
    await exited;
    clearTimeout(patience);
    killGroup(child.pid);
    await rm(folder, { recursive: true, force: true });
  };

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (child.exitCode !== null || child.signalCode !== null) {
      killGroup(child.pid);
      throw new Error(`Postgres did not start:\n${log}`);
    }
    if (await isReady(data)) {
      // Neither pipe may keep a process alive that forgot to stop its database: the keeper ends it then.
      child.unref();
      for (const pipe of [child.stdin, child.stderr]) /** @type {import("node:net").Socket} */ (pipe).unref();
      return { url, port, stop };
    }
    await sleep(50);
  }
  await stop();
  throw new Error(`Postgres was not ready within 30 seconds:\n${log}`);
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/**
 * Postgres writes its state into the eighth line of its lock file. Asking the port instead could reach somebody else's server.
 * @param {string} data
 */
async function isReady(data) {
  try {
    return (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[7]?.trim() === "ready";
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return false;
    throw error;
  }
}
