import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clock, SECOND } from "../../kernel/clock.ts";
import { withoutEnding } from "../../kernel/text.ts";

const BEAT = 3 * SECOND;
const STALE_AFTER = 5 * BEAT;
const LOOK_AGAIN = SECOND / 5;

/** The process that holds a folder. A pid alone is not enough: it is reused, and every container has a process 1. */
interface Owner {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** The boot id and the pid namespace, within which pids can be compared. Null if they are unknown. */
  readonly scope: string | null;
  /** The start time of the process, in the system's own ticks. */
  readonly started: string | null;
}

export class FolderInUse extends Error {
  constructor(dir: string, { pid, host }: Pick<Owner, "pid" | "host">) {
    super(
      `The data folder ${dir} is in use by process ${pid} on ${host}. ` +
        "The embedded database serves one process at a time: stop that one, choose another GATEHOUSE_DATA_DIR, or use Postgres (DATABASE_URL).",
    );
    this.name = "FolderInUse";
  }
}

/**
 * Locks a data folder for this process: PGlite takes no lock itself, and a second process on it would lose rows. Returns a function that releases the lock.
 * `onLost` is called if this process was suspended and another one has taken the folder: this one must not write any more.
 */
export async function lockDirectory(dir: string, onLost: (error: Error) => void): Promise<() => void> {
  const file = `${withoutEnding(dir, "/")}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const self = describeSelf();
  while (!tryCreate(file, self)) {
    const found = look(file);
    if (!found) continue;
    if (await isHeld(file, found)) throw new FolderInUse(dir, found.owner ?? { pid: 0, host: "an unknown host" });
    await removeDead(file, found);
  }
  const beat = setInterval(() => {
    if (look(file)?.owner?.token === self.token) return touch(file);
    clearInterval(beat);
    onLost(new Error(`The data folder ${dir} was taken over by another process while this one stood still`));
  }, BEAT).unref();
  return () => {
    clearInterval(beat);
    if (look(file)?.owner?.token === self.token) rmSync(file, { force: true });
  };
}

function describeSelf(): Owner {
  return { token: randomUUID(), host: hostname(), pid: process.pid, scope: pidScope(), started: startOf(process.pid) };
}

/** Identifies the system and pid namespace (Linux only): two processes with the same result see each other's pids. */
function pidScope(): string | null {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // This is another system, or a sandbox that hides the files: the heartbeat decides.
    return null;
  }
}

/** Returns the start time of a process, field 22 of /proc/<pid>/stat. The name in field 2 may contain spaces and brackets. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function tryCreate(file: string, self: Owner): boolean {
  try {
    writeFileSync(file, JSON.stringify(self), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

interface Found {
  /** Null if the file cannot be read, because it is just being written or was torn by a crash. */
  readonly owner: Owner | null;
  readonly text: string;
  readonly beatAt: number;
}

function look(file: string): Found | null {
  try {
    const text = readFileSync(file, "utf8");
    return { text, beatAt: statSync(file).mtimeMs, owner: parseOwner(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return null;
  }
}

/** Tells whether the owner lives. The answer is exact where pids can be compared; elsewhere a process without a heartbeat counts as dead. */
async function isHeld(file: string, { owner, beatAt }: Found): Promise<boolean> {
  if (owner?.scope && owner.started && owner.scope === pidScope()) return startOf(owner.pid) === owner.started;
  if (owner?.scope === null && owner.host === hostname() && !exists(owner.pid)) return false;
  // A restarted container finds the lock of its predecessor. It waits to see that the heartbeat has stopped, instead of giving up at once.
  for (;;) {
    if (clock.now() - beatAt > STALE_AFTER) return false;
    const now = look(file);
    if (!now) return false;
    if (now.beatAt !== beatAt) return true;
    await sleep(LOOK_AGAIN);
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Removes a dead lock, unless it has changed since. Only one process does so at a time: of two that found the same dead lock, the slower one would otherwise
 * remove the new lock of the quicker one.
 */
async function removeDead(file: string, dead: Found): Promise<void> {
  const guard = `${file}.removing`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (ageOf(guard) > STALE_AFTER) rmdirSync(guard);
    await sleep(LOOK_AGAIN);
    return;
  }
  try {
    if (look(file)?.text === dead.text) rmSync(file, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

function ageOf(path: string): number {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs === undefined ? 0 : clock.now() - mtimeMs;
}

function touch(file: string): void {
  const now = new Date(clock.now());
  utimesSync(file, now, now);
}
