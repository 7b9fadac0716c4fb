import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../kernel/ids.ts";

const CACHE = new URL("../../.cache/", import.meta.url);

/** Keeps in `.cache` values that are slow to make and as good the next time. Of the processes that find none, one makes them while the others wait. */
export async function madeOnce<T>(name: string, count: number, make: () => Promise<T>): Promise<readonly T[]> {
  const file = new URL(`${name}-${count}.json`, CACHE);
  const lock = new URL(`${name}-${count}.lock`, CACHE);
  await mkdir(CACHE, { recursive: true });
  for (;;) {
    const known = await readFile(file, "utf8").catch(() => null);
    if (known !== null) return JSON.parse(known) as T[];
    if (await isTaken(lock)) await sleep(50);
    else
      try {
        const draft = new URL(`${newId()}.draft`, CACHE);
        await writeFile(draft, JSON.stringify(await Promise.all(Array.from({ length: count }, make))));
        await rename(draft, file);
      } finally {
        await rm(lock, { force: true });
      }
  }
}

/** Takes the lock, unless a process that still runs has it. */
async function isTaken(lock: URL): Promise<boolean> {
  const own = await open(lock, "wx").catch(() => null);
  if (own) {
    await own.writeFile(String(process.pid));
    await own.close();
    return false;
  }
  const pid = Number(await readFile(lock, "utf8").catch(() => ""));
  // It was released a moment ago, or its process has not written its number yet.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") await rm(lock, { force: true });
  }
  return true;
}
