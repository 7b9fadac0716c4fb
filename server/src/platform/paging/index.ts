// Lists in pages: the query members of every list, times in a query, keyset cursors, and totals. It does not depend on HTTP.
export { pageInMemory, type ShortList } from "./in-memory.ts";
export { Instant, instant } from "./instants.ts";
export {
  countBeyond,
  countUpTo,
  EXACT_TOTAL,
  estimate,
  type ListOrder,
  ListQuery,
  listOrder,
  listQuery,
  mapPage,
  type Page,
  pageOf,
  refuseTooDeep,
} from "./pages.ts";
