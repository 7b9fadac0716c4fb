import { AsyncLocalStorage } from "node:async_hooks";
import type { Db, Tx } from "./tables.ts";

const scope = new AsyncLocalStorage<true>();

/**
 * Databases with a single connection, where a query past the open transaction would wait for ever. Only they are watched: on
 * Node 20 the first `run` of any AsyncLocalStorage makes every promise of the process dearer from then on.
 */
export const singleConnection = new WeakSet<Db>();

const watching = <T>(db: Db, work: (tx: Tx) => Promise<T>): ((tx: Tx) => Promise<T>) =>
  singleConnection.has(db) ? (tx) => scope.run(true, () => work(tx)) : work;

/** Whether the running code is inside `inTransaction`: a query on the pool from there would wait for itself. */
export const isInTransaction = (): boolean => scope.getStore() === true;

/** The only way to open a transaction that writes. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(watching(db, work));
}

/** Several reads that must agree with each other. */
export function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(watching(db, work));
}
