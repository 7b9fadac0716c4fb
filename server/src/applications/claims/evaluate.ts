import { isObject } from "../../kernel/json.ts";
import { oncePer } from "../../kernel/once.ts";
import { weightOf } from "../../kernel/weight.ts";
import type { ClaimMapper, ClaimTarget } from "./mapper.ts";
import { claimPath, isFree } from "./path.ts";
import { sources } from "./sources/index.ts";
import { type ClaimContext, type ClaimSource, type ClaimSubject, type ClaimType, convert } from "./sources/source.ts";

/**
 * Returns the claims of `subject` for `target`. If two mappers write the same member, the later one counts, so a client's own come after
 * its scopes'. A claim that the protocol itself sets is never among them, whatever the database contains.
 */
export function claimsOf(
  mappers: readonly ClaimMapper[],
  target: ClaimTarget,
  subject: ClaimSubject,
  context: ClaimContext,
): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  const release = releasing(subject, context);
  for (const mapper of mappers) {
    if (!mapper.targets.includes(target)) continue;
    const path = pathOf(mapper);
    const value = path.length === 0 ? undefined : release(mapper);
    if (value !== undefined) write(claims, path, value);
  }
  return claims;
}

/** Returns the path that a mapper writes, or an empty one if it writes nothing. */
const pathOf = oncePer(({ claim }: ClaimMapper): readonly string[] => {
  const path = claimPath(claim);
  return path && isFree(path) ? path : [];
});

/** The characters that a token or an assertion has about its user, many times more than a client could use. */
const MOST_RELEASED = 1_000_000;

/** Returns a function that reads the value of a mapper, or undefined if there is none, or if it no longer fits into the token or assertion. */
export function releasing(subject: ClaimSubject, context: ClaimContext): (mapper: ClaimMapper) => unknown {
  let left = MOST_RELEASED;
  return (mapper) => {
    const value = mappedValue(mapper, subject, context);
    const weight = weightOf(value);
    if (weight > left) return undefined;
    left -= weight;
    return value;
  };
}

export function mappedValue(mapper: ClaimMapper, { user, read }: ClaimSubject, { clientId, session = null }: ClaimContext): unknown {
  const { type, multivalued } = mapper;
  // A newer release may have stored a source that this one does not know.
  const source: ClaimSource | undefined = sources[mapper.source];
  const value = mapper.value ?? source?.choices?.[0];
  const found = value === undefined ? null : source?.find(value, { clientId, session, user, read: read[mapper.source] ?? null });
  if (!found) return undefined;
  if ("whole" in found) return found.whole;
  if (!multivalued) return firstOf(found.values, type);
  const values = found.values.map((value) => convert(value, type)).filter((value) => value !== undefined);
  // An empty list of roles or groups becomes an empty claim. An attribute that is not set becomes none.
  return values.length > 0 || found.list ? values : undefined;
}

function firstOf(values: readonly (string | number | boolean)[], type: ClaimType): unknown {
  for (const value of values) {
    const converted = convert(value, type);
    if (converted !== undefined) return converted;
  }
  return undefined;
}

/** Writes a value. A plain value of another mapper cannot have members, so it stays. */
function write(claims: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = claims;
  const last = path.length - 1;
  for (let depth = 0; depth < last; depth++) {
    const segment = path[depth]!;
    const next = Object.hasOwn(at, segment) ? at[segment] : undefined;
    if (next !== undefined && !isObject(next)) return;
    const branch = next ? { ...(next as Record<string, unknown>) } : {}; // never into an object that a mapper handed over
    at[segment] = branch;
    at = branch;
  }
  at[path[last]!] = value;
}
