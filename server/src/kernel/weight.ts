import { isObject } from "./json.ts";

/** The weight of a value without a text. */
const EACH = 16;

/** Returns roughly how many characters a value has. It limits what one request compares, keeps in memory or sends. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return EACH + value.length;
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return members.reduce<number>((sum, member) => sum + weightOf(member), EACH);
}
