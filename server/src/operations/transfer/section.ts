import type { TSchema } from "typebox";
import type { ProviderParts } from "../../federation/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import type { Needed, Permission } from "../../tenancy/permissions/index.ts";

/** The dependencies of the features' own functions besides the unit of work. */
export interface SectionTools extends Pick<ProviderParts, "readEntity"> {
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly webhookOutbound: Outbound;
  readonly baseUrl: string;
}

/** A secret inside an item. It is opened only to be sealed under a passphrase, or to be compared. */
export class Secret {
  readonly open: () => string;

  constructor(open: () => string) {
    this.open = open;
  }
}

export type Item = Readonly<Record<string, unknown>>;

/** An item of the realm. */
export interface Entry {
  /** The natural key of the item, never an id of the database. */
  readonly key: string;
  readonly id: string;
  readonly item: Item;
  /** True if the realm needs it, so that it is not pruned. Other items with which a realm begins are pruned like any. */
  readonly isBuiltIn?: boolean;
}

/**
 * One area of the document. Items are read here, and written by the functions of the area's own POST, PUT and DELETE.
 * CONTRIBUTING.md shows how to add one.
 */
export interface Section {
  /** The name of its member in the document. */
  readonly name: string;
  /** The tables that it carries; every other table with `realm_id` is on the list of tables that are never exported. */
  readonly tables: readonly string[];
  readonly permission: { readonly read: Needed; readonly write: Permission };
  /** One item of the document. */
  readonly schema: TSchema;
  /** Left out if the document has one object instead of a list. */
  readonly keyOf?: (item: Item) => string;
  /** True if keys that differ by letter case only are the same. */
  readonly ignoresCase?: boolean;
  /** True if several items may have the same key: the second is `key#2`. */
  readonly repeats?: boolean;
  /** Members that stay as they are if the document leaves them out. Any other member returns to its default. */
  readonly parts?: readonly string[];
  /** True if an export without secrets leaves it out. */
  readonly isSecret?: boolean;
  /** Returns the values of members that an item leaves out. An export leaves out members with these values. */
  defaults?(item: Item, realm: string): Item;
  /** Returns all items with their secrets. In the document they are sorted by key. */
  read(ctx: ReadCtx, tools: SectionTools): Promise<readonly Entry[]>;
  /** Creates an item, with defaults filled in, and returns its id. Left out if nothing can be created. */
  create?(ctx: Ctx, tools: SectionTools, item: Item): Promise<string>;
  update?(ctx: Ctx, tools: SectionTools, current: Entry, item: Item): Promise<void>;
  /** Writes references to items of later sections, or of the same one. Called when all items of all sections exist. */
  link?(ctx: Ctx, tools: SectionTools, id: string, item: Item, current: Entry | null): Promise<void>;
  /** Left out if nothing is ever pruned. */
  remove?(ctx: Ctx, tools: SectionTools, current: Entry): Promise<void>;
}

/** Returns all rows of a list that the admin API pages. */
export async function everyRow<Row>(ctx: ReadCtx, search: (ctx: ReadCtx, query: ListQuery) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await search(ctx, { size: 1000, ...(cursor !== null && { cursor }) });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** Returns a record without these members, such as those that belong to one database only. */
export function without(record: object, ...members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** Returns an item as the function of its POST or PUT takes it. The schema has been checked before. */
export const bodyOf = <T>(item: object): T => item as T;

/** Brings the named parts of one item, such as mappers, to the state in the document. */
export async function reconcile<Now extends { readonly name: string }, Wanted extends { readonly name: string }>(
  now: readonly Now[],
  wanted: readonly Wanted[],
  apply: {
    create(wanted: Wanted): Promise<unknown>;
    update(now: Now, wanted: Wanted): Promise<unknown>;
    remove(now: Now): Promise<unknown>;
    same(now: Now, wanted: Wanted): boolean;
  },
): Promise<void> {
  const named = new Map(now.map((one) => [one.name, one]));
  const kept = new Set(wanted.map(({ name }) => name));
  for (const one of now) if (!kept.has(one.name)) await apply.remove(one);
  for (const one of wanted) {
    const current = named.get(one.name);
    if (!current) await apply.create(one);
    else if (!apply.same(current, one)) await apply.update(current, one);
  }
}
