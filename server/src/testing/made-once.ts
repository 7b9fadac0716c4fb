import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { newId } from "../kernel/ids.ts";

const CACHE = new URL("../../.cache/", import.meta.url);

/** Keeps in `.cache` a value that is slow to make and as good the next time. */
export async function madeOnce<T>(name: string, count: number, make: () => Promise<T>): Promise<readonly T[]> {
  const file = new URL(`${name}-${count}.json`, CACHE);
  const known = await readFile(file, "utf8").catch(() => null);
  if (known !== null) return JSON.parse(known) as T[];
  const made = await Promise.all(Array.from({ length: count }, make));
  await mkdir(CACHE, { recursive: true });
  const draft = new URL(`${newId()}.draft`, CACHE);
  await writeFile(draft, JSON.stringify(made));
  await rename(draft, file);
  return made;
}
