import { SECOND } from "../../../kernel/clock.ts";
import type { Cursor } from "./cursor.ts";

const KEPT = 30 * SECOND;
const MOST = 5_000;

/**
 * The ends of pages by index: a client that reads one after the other goes on from there, instead of counting all rows before it again. On
 * another node, or later, the rows are counted.
 */
export function createPageMemory() {
  const pages = new Map<string, Cursor & { readonly at: number }>();
  const keyOf = (list: string, startIndex: number) => `${startIndex}\u0001${list}`;
  return {
    find(list: string, startIndex: number, now: number): Cursor | null {
      const page = startIndex > 1 ? pages.get(keyOf(list, startIndex)) : undefined;
      return page && Math.abs(now - page.at) < KEPT ? page : null;
    },
    keep(list: string, startIndex: number, cursor: Cursor, now: number): void {
      const key = keyOf(list, startIndex);
      pages.delete(key);
      pages.set(key, { ...cursor, at: now });
      // The oldest come first.
      for (const oldest of pages.keys()) {
        if (pages.size <= MOST) break;
        pages.delete(oldest);
      }
    },
  };
}
