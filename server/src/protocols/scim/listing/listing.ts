import { clock, SECOND } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { weightOf } from "../../../kernel/weight.ts";
import type { Db } from "../../../platform/db/index.ts";
import { scimError } from "../errors.ts";
import { matches } from "../filter/evaluate.ts";
import type { Filter } from "../filter/parser.ts";
import type { Resource } from "../schema/attribute.ts";
import { always, type Condition, conditionOf } from "./conditions.store.ts";
import type { ListRequest } from "./query.ts";
import { countRows, type Entry, nextRows, type Order, orderOf, type Source } from "./source.store.ts";

export interface ListedPage {
  readonly total: number;
  readonly resources: Resource[];
  /** The cursor of the next page, or null if the list is paged by index, or this was the last page. */
  readonly nextCursor: string | null;
}

/** The number of rows that one statement reads where resources are compared one by one. */
const CHUNK = 500;
/** The characters of resources that are loaded at once, or are in one page. A client sees by `itemsPerPage` that a page is shorter than it asked for. */
const MOST_AT_ONCE = 500_000;
const MOST_OF_PAGE = 8_000_000;
/** The time after which a filter is too expensive, because other requests wait for the same database. */
const DEADLINE = 5 * SECOND;

const memory = createPageMemory();

interface Part {
  readonly entries: readonly Entry[];
  readonly resources: readonly Resource[];
  /** True if more may follow. */
  readonly isFull: boolean;
  /** The exact total, or null if only this page was needed. */
  readonly total: number | null;
}

interface Loaded {
  readonly entry: Entry;
  readonly resource: Resource;
  readonly weight: number;
}

/** Loads resources in steps. Large ones come in small steps, between which other requests are served. */
async function* loading(source: Source, entries: readonly Entry[]): AsyncGenerator<Loaded> {
  for (let at = 0, step = 100; at < entries.length; ) {
    const some = entries.slice(at, at + step);
    const resources = new Map((await source.load(some.map(({ id }) => id))).map((resource) => [resource.id, resource]));
    let loaded = 0;
    for (const entry of some) {
      const resource = resources.get(entry.id);
      if (!resource) continue;
      const weight = weightOf(resource);
      loaded += weight;
      yield { entry, resource, weight };
    }
    at += some.length;
    step = Math.min(CHUNK, Math.max(1, Math.floor((MOST_AT_ONCE * some.length) / (loaded + 1))));
  }
}

/** RFC 7644 §3.4.2, RFC 9865: returns one page of a list, with the exact total. `list` names the list in cursors. */
export async function listResources(db: Db, source: Source, request: ListRequest, list: string): Promise<ListedPage> {
  const { filter, count, cursor, startIndex } = request;
  const condition = filter ? conditionOf(filter, source.conditionOf) : always;
  const order = orderOf(source, request.sortBy, request.descending);
  const name = `${list}\u0001${request.filterText}\u0001${request.sortBy ?? ""}\u0001${request.descending}`;
  const after = cursor ? readCursor(name, cursor) : null;
  const known = after ?? (cursor === undefined ? memory.find(name, startIndex, clock.now()) : null);

  const read = condition.isExact || !filter ? readRows : comparing(filter);
  const wanted = { after: known, offset: known ? 0 : cursor === undefined ? startIndex - 1 : 0, count, needsTotal: known === null };
  const part = await read(db, source, condition, order, wanted);
  const total = part.total ?? known!.total;
  const last = part.entries.at(-1);
  if (cursor === undefined && last) memory.keep(name, startIndex + part.entries.length, { ...last, total }, clock.now());
  const nextCursor = cursor !== undefined && last !== undefined && part.isFull ? writeCursor(name, { ...last, total }) : null;
  return { total, resources: [...part.resources], nextCursor };
}

interface Wanted {
  readonly after: Entry | null;
  readonly offset: number;
  readonly count: number;
  readonly needsTotal: boolean;
}

/** Reads a page if the database alone can evaluate the filter. */
async function readRows(
  db: Db,
  source: Source,
  condition: Condition,
  order: Order,
  { after, offset, count, needsTotal }: Wanted,
): Promise<Part> {
  const total = needsTotal ? await countRows(db, source, condition) : null;
  const isPast = total !== null && offset >= total;
  const rows = count === 0 || isPast ? [] : await nextRows(db, source, condition, order, { after, offset, limit: count });
  const page = createPage(count);
  for await (const each of loading(source, rows)) {
    page.add(each);
    if (page.isFull()) break;
  }
  return { ...page.part(), isFull: page.isFull() || rows.length === count, total };
}

/** Collects a page of at most `count` resources. */
function createPage(count: number) {
  const entries: Entry[] = [];
  const resources: Resource[] = [];
  let weight = 0;
  return {
    isFull: () => entries.length >= count || weight >= MOST_OF_PAGE,
    add(each: Loaded): void {
      entries.push(each.entry);
      resources.push(each.resource);
      weight += each.weight;
    },
    part: () => ({ entries, resources }),
  };
}

/**
 * Reads candidates in chunks, and compares each as the resource that clients see. Ends with an error at the deadline, so that no filter
 * keeps the database busy for long, even where the database has no deadlines of its own.
 */
const comparing =
  (filter: Filter) =>
  async (db: Db, source: Source, condition: Condition, order: Order, { after, offset, count, needsTotal }: Wanted): Promise<Part> => {
    const deadline = clock.now() + DEADLINE;
    const page = createPage(count);
    let found = 0;
    for (let behind = after; ; ) {
      const chunk = await nextRows(db, source, condition, order, { after: behind, limit: CHUNK });
      for await (const each of loading(source, chunk)) {
        if (clock.now() > deadline)
          throw scimError("tooMany", "The filter matches too much to be compared: narrow it, by userName for example");
        if (matches(filter, each.resource) && found++ >= offset && !page.isFull()) page.add(each);
      }
      if (chunk.length < CHUNK || (!needsTotal && page.isFull()))
        return { ...page.part(), isFull: page.isFull(), total: needsTotal ? found : null };
      behind = chunk.at(-1)!;
    }
  };

const KEPT = 30 * SECOND;
const MOST = 5_000;

/**
 * Remembers the ends of pages by index: a client that reads one page after the other continues there, without counting all rows before it
 * again. On another node, or later, the rows are counted.
 */
function createPageMemory() {
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
      // The oldest pages are first.
      for (const oldest of pages.keys()) {
        if (pages.size <= MOST) break;
        pages.delete(oldest);
      }
    },
  };
}

/** RFC 9865 §2: the end of a page, and the total when the first page was read. */
export interface Cursor extends Entry {
  readonly total: number;
}

/** Identifies the list of a cursor: another filter, order or connection makes the cursor invalid. */
const listMark = (list: string): string => sha256(list).slice(0, 12);

const writeCursor = (list: string, { id, key, total }: Cursor): string =>
  Buffer.from(JSON.stringify([listMark(list), id, key, total])).toString("base64url");

function readCursor(list: string, text: string): Cursor {
  try {
    const [mark, id, key, total] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as [unknown, unknown, unknown, unknown];
    const isKey = typeof key === "string" || (typeof key === "number" && Number.isSafeInteger(key));
    if (mark === listMark(list) && typeof id === "string" && ID.test(id) && isKey && isCount(total) && isStorable(key))
      return { id, key: key as Entry["key"], total };
  } catch {
    // An unreadable text is refused below, like any other that is no cursor.
  }
  throw scimError("invalidCursor", "The cursor is not one of this list: begin again without it");
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isStorable = (key: unknown): boolean => typeof key !== "string" || (!key.includes("\u0000") && key.isWellFormed());
