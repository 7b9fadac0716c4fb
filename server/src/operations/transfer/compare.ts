import { isDeepStrictEqual } from "node:util";
import * as json from "../../kernel/json.ts";
import { type Item, Secret } from "./section.ts";

const isObject = (value: unknown): value is Record<string, unknown> => json.isObject(value) && !(value instanceof Secret);

const sortedKeys = (value: object): string[] => Object.keys(value).sort();

/** Returns the members that differ from their defaults, sorted by name at every level. Lists are kept whole. */
export function lean(value: Item, defaults: Item): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const member of sortedKeys(value)) {
    const [given, usual] = [value[member], defaults[member]];
    if (given === undefined) continue;
    if (isObject(given) && isObject(usual)) {
      const nested = lean(given, usual);
      if (Object.keys(nested).length > 0) kept[member] = nested;
    } else if (usual === undefined || !isDeepStrictEqual(given, usual)) kept[member] = ordered(given);
  }
  return kept;
}

/** Orders the members of every object, so that two exports of one state have the same bytes. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    sortedKeys(value)
      .filter((member) => value[member] !== undefined)
      .map((member) => [member, ordered(value[member])]),
  );
}

/**
 * Tells whether the realm has the state in the document; both must be lean. Secrets and parts that the document leaves out are kept as they are, so
 * they make no difference.
 */
export function isSame(wanted: unknown, current: unknown, parts: readonly string[] = []): boolean {
  if (current instanceof Secret) return typeof wanted === "string" && current.open() === wanted;
  if (Array.isArray(wanted) && Array.isArray(current))
    return wanted.length === current.length && wanted.every((one, at) => isSame(one, current[at]));
  if (!isObject(wanted) || !isObject(current)) return isDeepStrictEqual(wanted, current);
  const isKept = (member: string) => wanted[member] === undefined && (current[member] instanceof Secret || parts.includes(member));
  const members = new Set([...Object.keys(wanted), ...Object.keys(current)]);
  return [...members].every((member) => isKept(member) || isSame(wanted[member], current[member]));
}

export interface Change {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** True if a secret changes. Its values are not shown. */
  readonly secret?: true;
}

/** Returns the changes of a write by member; a list is one value. */
export function changesBetween(before: unknown, after: unknown, path = ""): Change[] {
  if (before instanceof Secret || after instanceof Secret) {
    const isKept = before instanceof Secret && after instanceof Secret && before.open() === after.open();
    return isKept ? [] : [{ path, secret: true }];
  }
  if (isObject(before) && isObject(after)) {
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return members.flatMap((member) => changesBetween(before[member], after[member], path === "" ? member : `${path}.${member}`));
  }
  if (isDeepStrictEqual(withoutSecrets(before), withoutSecrets(after))) return [];
  return [
    { path, ...(before !== undefined && { before: withoutSecrets(before) }), ...(after !== undefined && { after: withoutSecrets(after) }) },
  ];
}

/** Returns a value that may be shown: secrets are left out, never masked. */
export function withoutSecrets(value: unknown): unknown {
  if (value instanceof Secret) return undefined;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !(member instanceof Secret))
      .map(([name, member]) => [name, withoutSecrets(member)]),
  );
}

/** Replaces every secret by the result of `make`; undefined leaves the member out. */
export function mapSecrets(value: unknown, path: string, make: (secret: Secret, path: string) => unknown): unknown {
  if (value instanceof Secret) return make(value, path);
  if (Array.isArray(value)) return value.map((one, at) => mapSecrets(one, `${path}.${at}`, make));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const made = mapSecrets(member, path === "" ? name : `${path}.${name}`, make);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}
