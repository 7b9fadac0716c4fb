import { isObject } from "../../../kernel/json.ts";

/** What a value without a text weighs. */
const EACH = 16;

/** Returns roughly how many characters a value has. What is compared or kept in memory is limited by it. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return EACH + value.length;
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return members.reduce<number>((sum, member) => sum + weightOf(member), EACH);
}
