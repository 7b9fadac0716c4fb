import { invalidFields } from "../../kernel/errors.ts";
import { type ListQuery, type Page, refuseTooDeep } from "./pages.ts";

/** A page of a short list that is at hand as a whole: a cursor is an offset. `rows` come sorted by `field`. */
export function pageInMemory<Row>(
  rows: readonly Row[],
  field: string,
  { page = 0, size = 100, sort = field, cursor }: ListQuery,
): Page<Row> {
  refuseTooDeep(page, size, "There are not that many");
  if (sort !== field && sort !== `-${field}`)
    throw invalidFields([{ field: "sort", code: "enum", message: `sort must be ${field}, with - before it for descending` }]);
  const sorted = sort === field ? rows : rows.toReversed();
  const from = cursor === undefined ? page * size : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
  if (Number.isNaN(from))
    throw invalidFields([{ field: "cursor", code: "cursor", message: "cursor must come from a Link header of this list" }]);
  const next = from + size < sorted.length ? String(from + size) : null;
  return { rows: sorted.slice(from, from + size), total: sorted.length, estimated: false, nextCursor: next };
}
