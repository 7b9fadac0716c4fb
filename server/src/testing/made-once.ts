import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { newId } from "../kernel/ids.ts";
import { FolderInUse, lockDirectory } from "../platform/db/directory-lock.ts";

const CACHE = new URL("../../.cache/", import.meta.url);

/** Keeps values in `.cache` that are slow to make and can be used again. If several processes find none, one makes them while the others wait. */
export async function madeOnce<T>(name: string, count: number, make: () => Promise<T>): Promise<readonly T[]> {
  const file = new URL(`${name}-${count}.json`, CACHE);
  for (;;) {
    const known = await readFile(file, "utf8").catch(() => null);
    if (known !== null) return JSON.parse(known) as T[];
    const unlock = await tryLock(fileURLToPath(file));
    if (!unlock) await sleep(50);
    else
      try {
        const draft = new URL(`${newId()}.draft`, CACHE);
        await writeFile(draft, JSON.stringify(await Promise.all(Array.from({ length: count }, make))));
        await rename(draft, file);
      } finally {
        unlock();
      }
  }
}

const tryLock = (path: string) =>
  lockDirectory(path, () => {}).catch((error: unknown) => {
    if (error instanceof FolderInUse) return null;
    throw error;
  });
