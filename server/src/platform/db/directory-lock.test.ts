import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { FolderInUse, lockDirectory } from "./directory-lock.ts";

let root: string;
let dir: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "gatehouse-lock-"));
  dir = join(root, "database");
  file = `${dir}.lock`;
});
afterEach(() => {
  clock.reset();
  vi.useRealTimers();
  rmSync(root, { recursive: true });
});

const unexpected = (error: Error) => {
  throw error;
};
const lock = () => lockDirectory(dir, unexpected);

/** The lock as this process would write it, with some things changed, as if another had left it there. */
async function leftBehind(changes: object, ageMs = 0): Promise<void> {
  const release = await lock();
  const own = JSON.parse(readFileSync(file, "utf8"));
  release();
  writeFileSync(file, JSON.stringify({ ...own, token: "another", ...changes }));
  const at = new Date(clock.now() - ageMs);
  utimesSync(file, at, at);
}

test("a held folder is refused with what to do, and free again after the release", async () => {
  const release = await lock();
  const refused = await lock().catch((error) => error);
  expect(refused).toBeInstanceOf(FolderInUse);
  expect(refused.message).toContain(`${dir} is in use by process ${process.pid}`);
  expect(refused.message).toContain("stop that one");
  release();
  (await lock())();
  expect(existsSync(file)).toBe(false);
});

test("the lock of a dead process is taken at once", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await leftBehind({ pid });
  (await lock())();
});

test.runIf(process.platform === "linux")("a living process that only has the pid of the dead owner does not hold it", async () => {
  // As after a restart of a container, where everything is process 1.
  await leftBehind({ started: "1" });
  (await lock())();
});

test("another container's lock holds as long as it beats, whatever pid and host it names", async () => {
  await leftBehind({ scope: "elsewhere", started: "1" });
  const beating = setInterval(() => {
    const now = new Date(clock.now());
    utimesSync(file, now, now);
  }, 50);
  try {
    await expect(lock()).rejects.toBeInstanceOf(FolderInUse);
  } finally {
    clearInterval(beating);
  }
});

test("another container's lock is taken when it beats no more: at once if that is long ago, else after a while", async () => {
  await leftBehind({ scope: "elsewhere" }, MINUTE);
  (await lock())();
  await leftBehind({ scope: "elsewhere" });
  const waiting = lock();
  clock.advance(MINUTE);
  (await waiting)();
});

test("a lock torn by a crash does not block for ever", async () => {
  writeFileSync(file, "");
  const waiting = lock();
  clock.advance(MINUTE);
  (await waiting)();
});

test("one of many that find a dead lock gets the folder", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await leftBehind({ pid });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, lock));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes) if (outcome.status === "fulfilled") outcome.value();
});

test("a removal that was killed half-way does not block the next one", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await leftBehind({ pid });
  mkdirSync(`${file}.removing`);
  clock.advance(MINUTE);
  (await lock())();
});

test("a process that loses the folder while it is suspended gets an error, and does not remove the new owner's lock", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const onLost = vi.fn();
  const release = await lockDirectory(dir, onLost);
  vi.advanceTimersByTime(10 * SECOND);
  expect(onLost).not.toHaveBeenCalled();
  const taken = JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), token: "another" });
  writeFileSync(file, taken);
  vi.advanceTimersByTime(10 * SECOND);
  expect(onLost).toHaveBeenCalledOnce();
  release();
  expect(readFileSync(file, "utf8")).toBe(taken);
});
