import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";
import type { Resource } from "../schema/attribute.ts";
import type { Condition, Leaf, Sql } from "./conditions.store.ts";

/** The place of a row in the list. */
export interface Entry {
  readonly id: string;
  readonly key: string | number;
}

/** The resources that a token sees, as rows of one table. */
export interface Source {
  /** The table with its alias, such as `users u`. */
  readonly from: RawBuilder<unknown>;
  readonly visible: Sql;
  readonly id: RawBuilder<string>;
  /** The indexed sort orders: the expression for each path of an attribute. `id` is always available. */
  readonly sorts: Readonly<Record<string, RawBuilder<string | number>>>;
  conditionOf(leaf: Leaf): Condition | null;
  /** Loads whole resources in the order of the ids. Deleted ones are left out. */
  load(ids: readonly string[]): Promise<Resource[]>;
}

export interface Order {
  readonly expression: RawBuilder<string | number>;
  readonly descending: boolean;
}

export const orderOf = ({ sorts, id }: Source, sortBy: string | null, descending: boolean): Order => {
  const expression = sortBy !== null && Object.hasOwn(sorts, sortBy) ? sorts[sortBy] : undefined;
  return { expression: expression ?? id, descending: descending && sortBy !== null };
};

/**
 * Selects the rows. If they are few, they are found by their index first and then sorted: otherwise Postgres might walk over all rows in
 * the order of the list to find the few among them.
 */
function rowsOf({ from, visible, id }: Source, { sql: condition, isNarrow }: Condition, { expression }: Order) {
  const rows = sql`select ${id} as id, ${expression} as key from ${from} where ${visible} and ${condition ?? sql`true`}`;
  return isNarrow ? sql`(with found as materialized (${rows}) select id, key from found)` : sql`(${rows})`;
}

export async function countRows(db: Db, source: Source, condition: Condition): Promise<number> {
  const { from, visible } = source;
  const { rows } = await sql<{ total: number }>`
    select count(*)::bigint as total from ${from} where ${visible} and ${condition.sql ?? sql`true`}`.execute(db);
  return rows[0]!.total;
}

/** Returns the next rows of the list, after `after` or past `offset` rows. */
export async function nextRows(
  db: Db,
  source: Source,
  condition: Condition,
  order: Order,
  { after, offset = 0, limit }: { readonly after: Entry | null; readonly offset?: number; readonly limit: number },
): Promise<Entry[]> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const behind = after ? sql`(key, id) ${order.descending ? sql`<` : sql`>`} (${after.key}, ${after.id}::uuid)` : sql`true`;
  // Here the keyset is on the ids themselves, because the primary key has their order.
  const isById = order.expression === source.id;
  const where = after && isById ? sql`id ${order.descending ? sql`<` : sql`>`} ${after.id}::uuid` : behind;
  const { rows } = await sql<Entry>`
    select id, key from ${rowsOf(source, condition, order)} as listed where ${where}
    order by key ${direction}, id ${direction} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
