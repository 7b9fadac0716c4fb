import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/index.ts";
import type { Resource } from "../schema/attribute.ts";
import type { Condition, Leaf, Sql } from "./conditions.store.ts";

/** A row by its place in the list. */
export interface Entry {
  readonly id: string;
  readonly key: string | number;
}

/** The resources that a token sees, as rows of one table. */
export interface Source {
  /** `users u`. */
  readonly from: RawBuilder<unknown>;
  readonly visible: Sql;
  readonly id: RawBuilder<string>;
  /** The indexed sort orders: the path of an attribute and its expression. `id` is always available. */
  readonly sorts: Readonly<Record<string, RawBuilder<string | number>>>;
  conditionOf(leaf: Leaf): Condition | null;
  /** Whole resources in the order of the ids; those that are gone are left out. */
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
 * Few rows are found by their index first and sorted then. Otherwise Postgres might walk over all rows in the order of the list, and
 * look for the few among them.
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

/** The next rows of the list, behind `after` or past `offset` rows. */
export async function nextRows(
  db: Db,
  source: Source,
  condition: Condition,
  order: Order,
  { after, offset = 0, limit }: { readonly after: Entry | null; readonly offset?: number; readonly limit: number },
): Promise<Entry[]> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const behind = after ? sql`(key, id) ${order.descending ? sql`<` : sql`>`} (${after.key}, ${after.id}::uuid)` : sql`true`;
  // Keyset on the ids themselves: the primary key is in their order.
  const isById = order.expression === source.id;
  const where = after && isById ? sql`id ${order.descending ? sql`<` : sql`>`} ${after.id}::uuid` : behind;
  const { rows } = await sql<Entry>`
    select id, key from ${rowsOf(source, condition, order)} as listed where ${where}
    order by key ${direction}, id ${direction} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
