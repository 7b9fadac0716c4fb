import type { CompiledQuery } from "kysely";
import type pg from "pg";
import type { Db } from "./tables.ts";

/** The pool behind a database, for queries that need nothing else of Kysely once they are compiled. */
export const poolOf = new WeakMap<Db, pg.Pool>();

const NAME = Symbol("the value that comes later");
type Later = { readonly [NAME]: string };

/**
 * A query of one shape: built and compiled at its first use, afterwards only its values change. Building it again costs a
 * request more than sending it does. `values` must go into the query as they are; nothing may be decided by them.
 */
export function prepared<V extends object, R>(
  build: (values: V, db: Db) => { compile(db: Db): CompiledQuery<R> },
): (db: Db, values: V) => Promise<R[]> {
  let compiled: CompiledQuery<R> | undefined;
  return async (db, values) => {
    compiled ??= build(new Proxy({}, { get: (_, name): Later => ({ [NAME]: String(name) }) }) as V, db).compile(db);
    const parameters = compiled.parameters.map((parameter) => {
      const name = (parameter as Partial<Later> | null)?.[NAME];
      return name === undefined ? parameter : values[name as keyof V];
    });
    const pool = poolOf.get(db);
    if (pool) return (await pool.query(compiled.sql, parameters)).rows as R[];
    return (await db.executeQuery<R>({ ...compiled, parameters })).rows;
  };
}
