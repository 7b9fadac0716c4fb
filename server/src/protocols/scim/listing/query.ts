import { wholeNumber } from "../../../kernel/text.ts";
import { scimError } from "../errors.ts";
import { type Filter, parseFilter } from "../filter/parser.ts";
import type { ResourceType } from "../schema/attribute.ts";
import { findAttribute, spell } from "../schema/paths.ts";

export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 1000;

/** The parameters of a list (RFC 7644 §3.4.2, RFC 9865). */
export interface ListRequest {
  readonly filter: Filter | null;
  /** The text of the filter as the client sent it. */
  readonly filterText: string;
  readonly startIndex: number;
  readonly count: number;
  /** The cursor, or undefined for paging by index. It is empty for the first page. */
  readonly cursor: string | undefined;
  /** The path of an attribute, as the schema spells it, or null for the order of ids. */
  readonly sortBy: string | null;
  readonly descending: boolean;
}

/** Reads the parameters from a query string, or from a search request, whose numbers are numbers. */
export function readListRequest(type: ResourceType, sent: Readonly<Record<string, unknown>>): ListRequest {
  const filterText = textOf(sent, "filter", "invalidFilter") ?? "";
  const sortBy = textOf(sent, "sortBy", "invalidValue");
  const sorted = sortBy === undefined ? undefined : findAttribute(type, sortBy);
  const cursor = textOf(sent, "cursor", "invalidCursor");
  return {
    filter: filterText.trim() === "" ? null : parseFilter(type, filterText),
    filterText: filterText.trim(),
    startIndex: Math.max(1, integerOf(sent, "startIndex") ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, integerOf(sent, "count") ?? DEFAULT_COUNT)),
    cursor,
    sortBy: sorted ? spell(sorted) : null,
    descending: textOf(sent, "sortOrder", "invalidValue")?.toLowerCase() === "descending",
  };
}

function textOf(sent: Readonly<Record<string, unknown>>, name: string, scimType: "invalidFilter" | "invalidCursor" | "invalidValue") {
  const value = sent[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw scimError(scimType, `${name} must be one text`);
  return value;
}

function integerOf(sent: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = sent[name];
  if (value === undefined || value === null || value === "") return undefined;
  const number = typeof value === "string" ? wholeNumber(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number))
    throw scimError(name === "count" ? "invalidCount" : "invalidValue", `${name} must be a whole number`);
  return number;
}
