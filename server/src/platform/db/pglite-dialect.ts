import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { SECOND } from "../../kernel/clock.ts";
import type { OpenedEmbedded } from "./pglite-database.ts";
import { isInTransaction } from "./transaction.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

/** The longest wait for the connection. Statements have no deadline, because WebAssembly cannot be interrupted. */
const MAX_WAIT = 30 * SECOND;

/** Hands out the one connection in turn. Code that holds it and asks for it again would wait for ever, so that is an error instead. */
class EmbeddedDriver implements Driver {
  readonly #opening: Promise<OpenedEmbedded>;
  #database!: OpenedEmbedded;
  readonly #releases = new WeakMap<DatabaseConnection, () => void>();
  #tail: Promise<void> = Promise.resolve();

  constructor(opening: Promise<OpenedEmbedded>) {
    this.#opening = opening;
  }

  async init(): Promise<void> {
    this.#database = await this.#opening;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (isInTransaction()) {
      throw new Error("A query went past the open transaction: use ctx.tx (the embedded database has one connection)");
    }
    const previous = this.#tail;
    let free!: () => void;
    this.#tail = new Promise((resolve) => {
      free = resolve;
    });
    await inTime(previous).catch((error) => {
      // Waiters behind this one still have to wait for the one before it.
      void previous.then(free);
      throw error;
    });
    const connection: DatabaseConnection = {
      executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
        const { rows, affectedRows } = await this.#database.query(query.sql, query.parameters);
        return { rows: (rows ?? []) as R[], ...(affectedRows !== undefined && { numAffectedRows: BigInt(affectedRows) }) };
      },
      streamQuery: () => {
        throw new Error("The embedded database does not stream");
      },
    };
    this.#releases.set(connection, free);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#releases.get(connection)?.();
    this.#releases.delete(connection);
  }

  async beginTransaction(connection: DatabaseConnection, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const isolation = isolationLevel ? ` isolation level ${isolationLevel}` : "";
    await connection.executeQuery(CompiledQuery.raw(`start transaction${isolation}${accessMode ? ` ${accessMode}` : ""}`));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    // The caller that opened it closes it.
  }
}

async function inTime(turn: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable(`The embedded database was busy for ${MAX_WAIT / SECOND} s`)), MAX_WAIT);
  });
  try {
    await Promise.race([turn, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const embeddedDialect = (opening: Promise<OpenedEmbedded>): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new EmbeddedDriver(opening),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});
