import { type InsertObject, type Kysely, type Selectable, type SelectExpression, type Selection, sql, type UpdateObject } from "kysely";
import type { Db, Tables, Tx } from "./tables.ts";

/** The columns that select the rows, with their values. A condition of another kind needs a statement of its own. */
type Key<T extends keyof Tables> = { readonly [C in keyof Selectable<Tables[T]>]?: NonNullable<Selectable<Tables[T]>[C]> };

/** Refuses a key with a missing value, which Kysely would leave out of the condition: the statement would reach other rows, too. */
function complete(key: object): never {
  const values = Object.values(key);
  if (values.length === 0 || values.some((value) => value === undefined || value === null)) throw new Error("a key of rows lacks a value");
  return key as never;
}

/** Kysely cannot type a table that is a parameter. The signatures of the functions below type it instead. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** Returns null if there is no such row. `lock` keeps others from changing it, or from reading it with a lock, until commit. */
export async function findRow<T extends keyof Tables & string, C extends SelectExpression<Tables, T>>(
  db: Db,
  table: T,
  columns: readonly C[],
  key: Key<T>,
  lock?: "share" | "update",
): Promise<Selection<Tables, T, C> | null> {
  const query = untyped(db)
    .selectFrom(table as string)
    .select(columns as readonly string[])
    .where((e) => e.and(complete(key)));
  const row = await query
    .$if(lock === "update", (q) => q.forUpdate())
    .$if(lock === "share", (q) => q.forShare())
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

/** Returns false if there were no such rows. */
export async function updateRows<T extends keyof Tables & string>(
  db: Db,
  table: T,
  key: Key<T>,
  columns: UpdateObject<Tables, T>,
): Promise<boolean> {
  const query = untyped(db)
    .updateTable(table as string)
    .set(columns as object);
  const { numUpdatedRows } = await query.where((e) => e.and(complete(key))).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false if there were no such rows. */
export async function deleteRows<T extends keyof Tables & string>(db: Db, table: T, key: Key<T>): Promise<boolean> {
  const query = untyped(db).deleteFrom(table as string);
  const { numDeletedRows } = await query.where((e) => e.and(complete(key))).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Inserts the row, and returns these columns of it. */
export async function insertReturning<T extends keyof Tables & string, C extends SelectExpression<Tables, T>>(
  tx: Tx,
  table: T,
  row: InsertObject<Tables, T>,
  columns: readonly C[],
): Promise<Selection<Tables, T, C>> {
  const insert = untyped(tx)
    .insertInto(table as string)
    .values(row as object);
  return (await insert.returning(columns as readonly string[]).executeTakeFirstOrThrow()) as Selection<Tables, T, C>;
}

/** Changes the row, which must be there, and returns these columns of it. */
export async function updateReturning<T extends keyof Tables & string, C extends SelectExpression<Tables, T>>(
  tx: Tx,
  table: T,
  key: Key<T>,
  change: UpdateObject<Tables, T>,
  columns: readonly C[],
): Promise<Selection<Tables, T, C>> {
  const update = untyped(tx)
    .updateTable(table as string)
    .set(change as object)
    .where((e) => e.and(complete(key)));
  return (await update.returning(columns as readonly string[]).executeTakeFirstOrThrow()) as Selection<Tables, T, C>;
}

/** Deletes the row, and returns these columns of it, or null if there was no such row. */
export async function deleteReturning<T extends keyof Tables & string, C extends SelectExpression<Tables, T>>(
  db: Db,
  table: T,
  key: Key<T>,
  columns: readonly C[],
): Promise<Selection<Tables, T, C> | null> {
  const remove = untyped(db)
    .deleteFrom(table as string)
    .where((e) => e.and(complete(key)));
  const row = await remove.returning(columns as readonly string[]).executeTakeFirst();
  return (row as Selection<Tables, T, C> | undefined) ?? null;
}
