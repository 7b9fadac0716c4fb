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

/** An item as the realm has it. */
export interface Entry {
  /** Its natural key: never an id of the database. */
  readonly key: string;
  readonly id: string;
  readonly item: Item;
  /** Not pruned: the realm needs it. Other items that a realm begins with are pruned as any. */
  readonly isBuiltIn?: boolean;
}

/**
 * One area of the document: how it is read, and the functions of the area's own POST, PUT and DELETE, by which every item of an import goes.
 * CONTRIBUTING.md shows how to add one.
 */
export interface Section {
  /** Its member of the document. */
  readonly name: string;
  /** The tables that it carries; every other table with `realm_id` is on the list of tables that are never exported. */
  readonly tables: readonly string[];
  readonly permission: { readonly read: Needed; readonly write: Permission };
  /** One item of the document. */
  readonly schema: TSchema;
  /** Left out where the document has one object, not a list. */
  readonly keyOf?: (item: Item) => string;
  /** Keys that differ by letter case only are the same. */
  readonly ignoresCase?: boolean;
  /** Several items may have one key: the second is `key#2`. */
  readonly repeats?: boolean;
  /** Members that are untouched where the document leaves them out; any other returns to its default. */
  readonly parts?: readonly string[];
  /** Not in an export without secrets. */
  readonly isSecret?: boolean;
  /** The value of members that an item leaves out. An export leaves out members with these values. */
  defaults?(item: Item, realm: string): Item;
  /** All items with their secrets. In the document they are sorted by key. */
  read(ctx: ReadCtx, tools: SectionTools): Promise<readonly Entry[]>;
  /** Answers the new item's id. Defaults are filled in. Left out where nothing can be created. */
  create?(ctx: Ctx, tools: SectionTools, item: Item): Promise<string>;
  update?(ctx: Ctx, tools: SectionTools, current: Entry, item: Item): Promise<void>;
  /** After all items of all sections exist: what refers to items of later sections, or of its own. */
  link?(ctx: Ctx, tools: SectionTools, id: string, item: Item, current: Entry | null): Promise<void>;
  /** Left out where nothing is ever pruned. */
  remove?(ctx: Ctx, tools: SectionTools, current: Entry): Promise<void>;
}

/** All rows of a list that the admin API pages. */
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

/** An item without the members that belong to one database only. */
export function without(record: object, ...members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** An item as the function of its POST or PUT takes it: the schema has been checked before. */
export const bodyOf = <T>(item: object): T => item as T;

/** Brings the named things of one item, such as mappers, to the state that the document says. */
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
