import type pg from "pg";
import { SECOND } from "../../kernel/clock.ts";
import { connectDirectly } from "./hosts.ts";

/** The kind of connection that a URL leads to. */
export interface Pooling {
  /** True if a session does not keep its connection beyond a transaction, as with PgBouncer in transaction mode. */
  readonly byTransaction: boolean;
  /** True if named prepared statements work nevertheless (PgBouncer from 1.21 on, with `max_prepared_statements`). */
  readonly keepsPrepared: boolean;
}

const DIRECT: Pooling = { byTransaction: false, keepsPrepared: true };
const TIMEOUT = 5 * SECOND;
/** The test is repeated, because on a busy pooler another session may take the connection in between. */
const ROUNDS = 5;

/**
 * Finds out whether there is a pooler in between, and of which kind. Without one, the process that answers is the one that greeted. A pooler greets in its own
 * name. If two sessions then meet in one process, or one session moves between two processes, it pools by transaction.
 */
export async function poolingOf(url: string): Promise<Pooling> {
  const config = { application_name: "gatehouse pooling", connectionTimeoutMillis: TIMEOUT, query_timeout: TIMEOUT };
  const one = await connectDirectly(url, config);
  try {
    if ((await processOf(one)) === (one as unknown as { processID: number | null }).processID) return DIRECT;
    const other = await connectDirectly(url, config);
    try {
      return { byTransaction: await movesAround(one, other), keepsPrepared: await keepsPrepared(one, other) };
    } finally {
      await other.end().catch(() => {}); // the probe has its answer
    }
  } finally {
    await one.end().catch(() => {}); // the probe has its answer
  }
}

const processOf = async (client: pg.Client): Promise<number> => (await client.query("select pg_backend_pid() as pid")).rows[0].pid;

async function movesAround(one: pg.Client, other: pg.Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await processOf(one);
    await other.query("begin");
    const hasMet = (await processOf(other)) === before;
    // After a meeting there may be only one server connection, so a query of the first session would wait.
    const hasMoved = hasMet || (await processOf(one)) !== before;
    await other.query("commit");
    if (hasMoved) return true;
  }
  return false;
}

/** Tells whether two sessions can prepare a statement under the same name. */
async function keepsPrepared(one: pg.Client, other: pg.Client): Promise<boolean> {
  const ask = (client: pg.Client) => client.query({ name: "gatehouse_pooling", text: "select $1::int", values: [1] });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await ask(one);
      await ask(other);
    }
    return true;
  } catch (error) {
    // duplicate_prepared_statement, invalid_sql_statement_name
    if (["42P05", "26000"].includes((error as pg.DatabaseError).code ?? "")) return false;
    throw error;
  }
}
