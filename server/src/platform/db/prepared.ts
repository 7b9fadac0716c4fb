import type { CompiledQuery } from "kysely";
import type pg from "pg";
import type { Db } from "./tables.ts";

/** The pools behind databases, for queries that need only the pool once they are compiled. */
export const poolOf = new WeakMap<Db, pg.Pool>();

const NAME = Symbol("the value that comes later");
type Later = { readonly [NAME]: string };

/**
 * Returns a query that is built and compiled at its first use; afterwards only its values change. Building it again would cost a request more than sending it.
 * `build` must put `values` into the query as they are, and must decide nothing by them.
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
