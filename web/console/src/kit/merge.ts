import type { Draft } from "./schema.ts";

/** A member of a record, or one inside of it. */
export type Path = readonly string[];

export const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

const isRecord = (value: unknown): value is Draft => typeof value === "object" && value !== null && !Array.isArray(value);

const namesIn = (...records: readonly Draft[]) => [...new Set(records.flatMap((record) => Object.keys(record)))];

/** Returns the value at a path. */
export const at = (record: Draft, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), record);

/** Returns the members that two people have changed to different values. Of a member with members, only these count. */
export function conflictsOf(base: unknown, mine: unknown, theirs: unknown, path: Path = []): readonly Path[] {
  if (same(mine, base) || same(theirs, base) || same(mine, theirs)) return [];
  if (!isRecord(base) || !isRecord(mine) || !isRecord(theirs)) return [path];
  return namesIn(base, mine, theirs).flatMap((name) => conflictsOf(base[name], mine[name], theirs[name], [...path, name]));
}

/** Returns the record with the changes of both. Where they differ, `taken` lists the paths whose value is theirs. */
export function mergedOf(base: unknown, mine: unknown, theirs: unknown, taken: readonly Path[], path: Path = []): unknown {
  if (same(mine, base)) return theirs;
  if (same(theirs, base)) return mine;
  if (!isRecord(base) || !isRecord(mine) || !isRecord(theirs)) return taken.some((one) => same(one, path)) ? theirs : mine;
  const members = namesIn(base, mine, theirs).map((name) => [name, mergedOf(base[name], mine[name], theirs[name], taken, [...path, name])]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
