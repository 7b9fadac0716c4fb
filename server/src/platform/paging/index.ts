// Lists in pages: the query members that every list takes, times in a query, keyset cursors, and totals. Knows nothing of HTTP.
export { pageInMemory, type ShortList } from "./in-memory.ts";
export { Instant, instant } from "./instants.ts";
export {
  countBeyond,
  countUpTo,
  EXACT_TOTAL,
  estimate,
  type ListOrder,
  ListQuery,
  listQuery,
  type Page,
  pageOf,
  refuseTooDeep,
} from "./pages.ts";
