import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clock } from "../../kernel/clock.ts";
import { manifest } from "../../kernel/package.ts";
import { localUrl, probe } from "../probe.ts";
import { type Explained, explainDataDir, explainListen, NO_ROOM } from "../system-errors.ts";
import { type Check, type Finding, ok, problem, TIMEOUT_MS, warning } from "./check.ts";

/** Checks the version of Node. It needs no configuration, so it runs even if that is wrong. */
export function checkNode(running: string = process.versions.node): Finding {
  const required = manifest().engines.node;
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = required.replace(/^>=/, "").split(".").map(Number);
  const enough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (enough) return ok("node", `Node ${running}`);
  return problem("node", `Node ${running} is too old.`, `Install Node ${required.replace(/^>=/, "")} or newer.`);
}

// No release of Gatehouse is older than this time.
const OLDEST_PLAUSIBLE = Date.UTC(2026, 0, 1);

/** Checks the clock. One that is earlier than the release of the software is wrong, and so would be the times in tokens. */
export function checkClock(): Finding {
  const written = statSync(fileURLToPath(import.meta.url)).mtimeMs;
  const now = clock.now();
  const shown = new Date(now).toISOString();
  if (now >= Math.max(OLDEST_PLAUSIBLE, written)) return ok("clock", shown);
  return problem(
    "clock",
    `The clock says ${shown}, which is before this software was installed.`,
    "Set the clock, and keep it right with NTP.",
  );
}

export const checkDataDir: Check = async ({ dataDir }) => {
  const name = "data folder";
  const existing = nearestExisting(dataDir);
  const info = await stat(existing);
  const failure = info.isDirectory() ? await tryWriting(existing) : "ENOTDIR";
  if (failure !== null) return [faulty(name, explainDataDir(failure, existing))];
  if (existing !== dataDir) return [ok(name, `${dataDir} will be created`)];
  // Windows has no such bits: files always look open there.
  const open = process.platform !== "win32" && (info.mode & 0o077) !== 0;
  if (!open) return [ok(name, dataDir)];
  return [warning(name, `Other users of this machine can read ${dataDir}.`, `Run: chmod 700 ${dataDir}`)];
};

const faulty = (name: string, { message, advice }: Explained): Finding => problem(name, message, advice);

async function tryWriting(folder: string): Promise<string | null> {
  try {
    // Only writing finds faults that permission bits do not show: a read-only mount, a full disk, a quota.
    await rm(await mkdtemp(join(folder, ".gatehouse-doctor-")), { recursive: true });
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  }
}

const MIB = 1024 * 1024;
const TOO_LITTLE = 100 * MIB;
const LITTLE = 1024 * MIB;

export const checkDisk: Check = async ({ dataDir }) => {
  const existing = nearestExisting(dataDir);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const message = `${Math.floor(free / MIB)} MiB free at ${existing}`;
  if (free < TOO_LITTLE) return [problem("disk", message, NO_ROOM)];
  return [free < LITTLE ? warning("disk", message, NO_ROOM) : ok("disk", message)];
};

function nearestExisting(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

export const checkPort: Check = async (config) => {
  const { host, port } = config;
  const where = `${host}:${port}`;
  const failure = await tryListening(host, port);
  if (failure === null) return [ok("port", `${where} is free`)];
  const answer = failure === "EADDRINUSE" ? await probe(`${localUrl(config)}/livez`, TIMEOUT_MS) : null;
  if (answer && "status" in answer && answer.status === 200) return [ok("port", `a running server answers on ${where}`)];
  return [faulty("port", explainListen(failure, where))];
};

function tryListening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
