import { type InsertObject, type Kysely, type Selectable, type SelectExpression, type Selection, sql, type UpdateObject } from "kysely";
import type { Db, Tables, Tx } from "./tables.ts";

/** Rows by what some of their columns equal. Everything beyond that is a statement of its own. */
type Key<T extends keyof Tables> = Partial<Selectable<Tables[T]>>;

/** Kysely cannot follow a table that is a parameter: the types of the functions below say what it is. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** Null: there is none. */
export async function findRow<T extends keyof Tables & string, C extends SelectExpression<Tables, T>>(
  db: Db,
  table: T,
  columns: readonly C[],
  key: Key<T>,
): Promise<Selection<Tables, T, C> | null> {
  const query = untyped(db).selectFrom(table as string);
  const row = await query
    .select(columns as readonly string[])
    .where((e) => e.and(key as never))
    .executeTakeFirst();
  return (row as Selection<Tables, T, C> | undefined) ?? null;
}

export async function insertRow<T extends keyof Tables & string>(db: Db, table: T, row: InsertObject<Tables, T>): Promise<void> {
  await untyped(db)
    .insertInto(table as string)
    .values(row as object)
    .execute();
}

/** The next version of a row that has one. */
export const nextVersion = sql<number>`version + 1`;

/** Tells whether there were some. */
export async function updateRows<T extends keyof Tables & string>(
  db: Db,
  table: T,
  key: Key<T>,
  columns: UpdateObject<Tables, T>,
): Promise<boolean> {
  const query = untyped(db)
    .updateTable(table as string)
    .set(columns as object);
  const { numUpdatedRows } = await query.where((e) => e.and(key as never)).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Tells whether there were some. */
export async function deleteRows<T extends keyof Tables & string>(tx: Tx, table: T, key: Key<T>): Promise<boolean> {
  const query = untyped(tx).deleteFrom(table as string);
  const { numDeletedRows } = await query.where((e) => e.and(key as never)).executeTakeFirst();
  return numDeletedRows > 0n;
}
