import { invalidFields } from "../../kernel/errors.ts";
import { type ListQuery, type Page, refuseTooDeep } from "./pages.ts";

/** The search members and sort orders of a short list in memory. */
export interface ShortList<Row> {
  /** The members that `sort` may name. */
  readonly sorts: Readonly<Record<string, (row: Row) => string | number>>;
  /** Returns the values that `search` matches by their beginning. */
  readonly names: (row: Row) => readonly (string | null)[];
  /** Returns the values that `search` matches as a whole. */
  readonly ids?: (row: Row) => readonly string[];
}

/** Returns a page of such a list. Without `sort` the rows keep their order. A cursor is an offset. */
export function pageInMemory<Row>(
  rows: readonly Row[],
  { sorts, names, ids = () => [] }: ShortList<Row>,
  { page = 0, size = 100, search = "", sort, cursor }: ListQuery,
): Page<Row> {
  refuseTooDeep(page, size, "There are not that many");
  const prefix = search.toLowerCase();
  const matches = (row: Row) =>
    names(row).some((name) => name?.toLowerCase().startsWith(prefix)) || ids(row).some((id) => id.toLowerCase() === prefix);
  const found = prefix === "" ? rows : rows.filter(matches);
  const sorted = sort === undefined ? found : sortedBy(found, sorts, sort);
  const from = cursor === undefined ? page * size : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
  if (Number.isNaN(from))
    throw invalidFields([{ field: "cursor", code: "cursor", message: "cursor must come from a Link header of this list" }]);
  const next = from + size < sorted.length ? String(from + size) : null;
  return { rows: sorted.slice(from, from + size), total: sorted.length, estimated: false, nextCursor: next };
}

function sortedBy<Row>(rows: readonly Row[], sorts: ShortList<Row>["sorts"], sort: string): readonly Row[] {
  const field = sort.replace(/^-/, "");
  const sortedValue = Object.hasOwn(sorts, field) ? sorts[field]! : null;
  if (!sortedValue) {
    const known = Object.keys(sorts).join(", ");
    throw invalidFields([{ field: "sort", code: "enum", message: `sort must be one of: ${known}, with - before it for descending` }]);
  }
  const keyOf = (row: Row) => {
    const value = sortedValue(row);
    return typeof value === "string" ? value.toLowerCase() : value;
  };
  const ascending = rows.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return sort.startsWith("-") ? ascending.reverse() : ascending;
}
