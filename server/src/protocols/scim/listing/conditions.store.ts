import { type RawBuilder, sql } from "kysely";
import type { Filter } from "../filter/parser.ts";

export type Sql = RawBuilder<boolean>;

/** The part of a filter that the database can evaluate. */
export interface Condition {
  /** A condition that every matching row fulfils, or null if all rows may match. */
  readonly sql: Sql | null;
  /** True if no other row fulfils the condition. */
  readonly isExact: boolean;
  /** True if few rows remain, and an index finds them. */
  readonly isNarrow: boolean;
}

export type Leaf = Exclude<Filter, { is: "and" | "or" | "not" }>;

const UNKNOWN: Condition = { sql: null, isExact: false, isNarrow: false };

/**
 * Converts a filter to a condition. `not` is moved to the leaves (De Morgan): a negated leaf treats a missing value as different, and
 * leaves that are not negated remain plain comparisons, which indexes serve.
 */
export function conditionOf(filter: Filter, ofLeaf: (leaf: Leaf) => Condition | null, isNegated = false): Condition {
  if (filter.is === "not") return conditionOf(filter.of, ofLeaf, !isNegated);
  if (filter.is === "and" || filter.is === "or") {
    const parts = filter.parts.map((part) => conditionOf(part, ofLeaf, isNegated));
    return (filter.is === "and") !== isNegated ? allOf(parts) : anyOf(parts);
  }
  if (filter.is === "compare" && filter.by === "ne") return conditionOf({ ...filter, by: "eq" }, ofLeaf, !isNegated);
  const leaf = ofLeaf(filter as Leaf) ?? UNKNOWN;
  if (!isNegated) return leaf;
  return leaf.isExact ? { sql: sql<boolean>`((${leaf.sql ?? sql`true`}) is not true)`, isExact: true, isNarrow: false } : UNKNOWN;
}

function allOf(parts: readonly Condition[]): Condition {
  const known = parts.flatMap((part) => part.sql ?? []);
  return {
    sql: known.length === 0 ? null : sql<boolean>`(${sql.join(known, sql` and `)})`,
    isExact: parts.every(({ isExact }) => isExact),
    isNarrow: parts.some(({ isNarrow }) => isNarrow),
  };
}

function anyOf(parts: readonly Condition[]): Condition {
  const isExact = parts.every((part) => part.isExact);
  const known = parts.flatMap((part) => part.sql ?? []);
  if (known.length < parts.length) return { sql: null, isExact: isExact && known.length === 0, isNarrow: false };
  return { sql: sql<boolean>`(${sql.join(known, sql` or `)})`, isExact, isNarrow: parts.every(({ isNarrow }) => isNarrow) };
}

export const narrow = (condition: Sql): Condition => ({ sql: condition, isExact: true, isNarrow: true });
export const wide = (condition: Sql): Condition => ({ sql: condition, isExact: true, isNarrow: false });
/** Makes a condition whose rows are compared again as the resources that clients see. */
export const candidates = (condition: Sql): Condition => ({ sql: condition, isExact: false, isNarrow: true });
export const never = narrow(sql<boolean>`false`);
export const always: Condition = wide(sql<boolean>`true`);
