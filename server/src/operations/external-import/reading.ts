// Reads values in files that other systems wrote. A value of another type than expected counts as absent.
import { isObject } from "../../kernel/json.ts";

export type Values = Readonly<Record<string, unknown>>;

export const recordOf = (value: unknown): Values => (isObject(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const recordsOf = (value: unknown): Values[] => listOf(value).map(recordOf);

/** The placeholder for a secret that was left out. */
const MASK = /^\*{4,}$/;

export function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" && !MASK.test(value) ? value : undefined;
}

export const textsOf = (value: unknown): string[] => listOf(value).flatMap((one) => textOf(one) ?? []);

export function numberOf(value: unknown): number | undefined {
  const number =
    typeof value === "number" ? value : typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Many files write booleans as texts. */
export const isTrue = (value: unknown): boolean => value === true || value === "true";
export const isFalse = (value: unknown): boolean => value === false || value === "false";
export const flagOf = (value: unknown): boolean | undefined => (isTrue(value) ? true : isFalse(value) ? false : undefined);

export const within = (value: number, minimum: number, maximum: number): number => Math.min(maximum, Math.max(minimum, Math.floor(value)));

/** Returns the members that have a value. */
export const defined = <T extends object>(members: T): { [M in keyof T]?: Exclude<T[M], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const uuidOf = (value: unknown): string | undefined =>
  typeof value === "string" && UUID.test(value) ? value.toLowerCase() : undefined;

/** Makes a name of lower-case letters, digits and hyphens. */
export const slugOf = (text: string, maxLength = 63): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-|-$/g, "") || "unnamed";

/** Parses JSON within a text. Returns any other value as it is, and undefined for invalid JSON. */
export function parsedOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.length > 1024 * 1024) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
