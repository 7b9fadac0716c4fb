import { claimPath } from "../claims/index.ts";

/** The value of a claim as text: of a string, a boolean or an integer. Null: there is none, or it is something else. */
export function valueAt(payload: Readonly<Record<string, unknown>>, claim: string): string | null {
  let value: unknown = payload;
  for (const member of claimPath(claim) ?? []) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, member)) return null;
    value = (value as Record<string, unknown>)[member];
  }
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : null;
}
