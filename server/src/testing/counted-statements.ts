import type pg from "pg";
import { type Db, poolOf } from "../platform/db/index.ts";

const listeners = new WeakMap<Db, Set<(statement: string) => void>>();

/** Returns the statements that the database gets while `work` runs, in their order. It works on Postgres only. */
export async function statementsDuring(db: Db, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const listen = (statement: string) => void seen.push(statement);
  const listening = listeners.get(db) ?? watch(db);
  listening.add(listen);
  await work().finally(() => listening.delete(listen));
  return seen;
}

function watch(db: Db): Set<(statement: string) => void> {
  const listening = new Set<(statement: string) => void>();
  const watched = new WeakSet<pg.PoolClient>();
  listeners.set(db, listening);
  poolOf.get(db)!.on("acquire", (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const [asked] = args;
      const text = typeof asked === "string" ? asked : (asked as { text?: string } | null)?.text;
      for (const listen of listening) listen(String(text));
      return query(...args);
    }) as typeof client.query;
  });
  return listening;
}
