import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns a free port of 127.0.0.1. Another process may take it before it is used, so the caller must be prepared to ask again. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

// Keeps a server running only while the other end of stdin is open. However the owner ends, even by kill -9, neither the server nor its folder stays behind.
const KEEPER = `
  folder=$1; signal=$2; shift 2
  exec 3<&0
  "$@" 3<&- </dev/null & server=$!
  { cat <&3 >/dev/null; kill -$signal $server; } 2>/dev/null &
  wait $server && rm -rf "$folder"
`;

/**
 * Runs a server in its own folder, which is deleted with it. It ends with `stop()` or with this process, whichever comes first.
 * @param {{
 * name: string,
 * folder: string,
 * command: string[],
 * signal: "INT" | "TERM",
 * user?: { uid: number, gid: number } | undefined,
 * env?: Record<string, string>,
 * isReady: () => Promise<boolean>,
 * }} options `signal` is the one by which it shuts down at once
 * @returns {Promise<{ stop: () => Promise<void>, log: () => string }>}
 */
export async function keep({ name, folder, command, signal, user, env, isReady }) {
  // The server has its own process group: Ctrl-C on a terminal must reach the tests first and their servers last.
  const child = spawn("sh", ["-c", KEEPER, "sh", folder, signal, ...command], {
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    ...(env && { env: { ...process.env, ...env } }),
    ...user,
  });
  const exited = once(child, "exit");
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log = (log + text).slice(-200_000);
  });
  const stop = async () => {
    // From here on the process waits for the end of the server. Otherwise it would end first and leave folders behind.
    child.ref();
    child.stdin.end();
    // Shutting down takes milliseconds. A server that does not react is killed.
    const patience = setTimeout(() => killGroup(child.pid), 10_000);
    await exited;
    clearTimeout(patience);
    killGroup(child.pid);
    await rm(folder, { recursive: true, force: true });
  };

  for (let waited = 0; waited < 60_000; waited += 50) {
    if (child.exitCode !== null || child.signalCode !== null) {
      killGroup(child.pid);
      throw new Error(`${name} did not start:\n${log.slice(-4_000)}`);
    }
    if (await isReady()) {
      // Neither pipe may keep a process alive that forgot to stop its server: the keeper then ends the server.
      child.unref();
      for (const pipe of [child.stdin, child.stderr]) /** @type {import("node:net").Socket} */ (pipe).unref();
      return { stop, log: () => log };
    }
    await sleep(50);
  }
  await stop();
  throw new Error(`${name} was not ready within 60 seconds:\n${log.slice(-4_000)}`);
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}
