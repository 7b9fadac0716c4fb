// Lists in pages: the query members that every list takes, keyset cursors, and totals. Knows nothing of HTTP.
export { pageInMemory, type ShortList } from "./in-memory.ts";
export { countUpTo, EXACT_TOTAL, estimate, type ListOrder, ListQuery, listQuery, type Page, pageOf, refuseTooDeep } from "./pages.ts";
