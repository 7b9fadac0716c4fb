import { PostgresDialect } from "kysely";
import pg from "pg";

const INT8 = 20;
pg.types.setTypeParser(INT8, Number);

const names = new Map<string, string>();
const MAX_NAMES = 500;

/** Every parameterised query becomes a prepared statement of the connection: the server plans it once. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated
  override query(...args: any[]): any {
    const [text, values] = args;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const query = super.query as (...args: any[]) => any;
    if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return query.apply(this, args);
    return query.call(this, { name: statementName(text), text, values }, ...args.slice(2));
  }
}

function statementName(text: string): string | undefined {
  const known = names.get(text);
  // Queries of ever new shape (lists of values) would fill the server's memory: those past the limit stay unnamed.
  if (known || names.size >= MAX_NAMES) return known;
  const name = `gh${names.size}`;
  names.set(text, name);
  return name;
}

export interface PostgresOptions {
  readonly url: string;
  readonly max: number;
  /** Off behind a pooler in transaction mode, which mixes up prepared statements. */
  readonly preparedStatements: boolean;
}

export function openPostgres({ url, max, preparedStatements }: PostgresOptions, onIdleError: (error: Error) => void) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
    application_name: "gatehouse",
    ...(preparedStatements && { Client: PreparingClient }),
  });
  // Without a listener an idle connection that breaks (a database restart) would end the process.
  pool.on("error", onIdleError);
  // The same goes for one that is in use, which the pool does not watch; whoever uses it hears of the failure from the query.
  pool.on("connect", (client) => client.on("error", () => {}));
  return { pool, dialect: new PostgresDialect({ pool }) };
}
