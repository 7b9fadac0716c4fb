import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "kysely";
import type { Db, Tx } from "./tables.ts";

const scope = new AsyncLocalStorage<true>();

/**
 * The databases with a single connection, where a query outside of the open transaction would deadlock. Others are not tracked, because on Node 20 an active
 * AsyncLocalStorage slows down every promise of the process.
 */
export const singleConnection = new WeakSet<Db>();

/** Tells whether the running code is inside `inTransaction`: a query on the pool from there would deadlock. */
export const isInTransaction = (): boolean => scope.getStore() === true;

/** Runs work that is not part of the open transaction, such as a request that a test makes meanwhile. */
export const outsideTransaction = <T>(work: () => T): T => scope.exit(work);

/** Runs work in a transaction. This is the only way to open one that writes. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(singleConnection.has(db) ? (tx) => scope.run(true, () => work(tx)) : work);
}

/** Runs a part of the transaction in a savepoint. Only this part is undone if it fails, or if `keeps` refuses its result. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>, keeps: (result: T) => boolean = () => true): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await (keeps(result) ? sql`release savepoint part` : sql`rollback to savepoint part`).execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    throw error;
  }
}
