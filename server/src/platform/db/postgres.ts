import { PostgresDialect } from "kysely";
import pg from "pg";

const INT8 = 20;
pg.types.setTypeParser(INT8, Number);

const names = new Map<string, string>();
const MAX_NAMES = 500;

type Callback = (error: Error | null, result: unknown) => void;

/** The parts of pg's `Query` that its types leave out; they are as in the version that is pinned. */
interface Internals extends pg.Submittable {
  name?: string | undefined;
  callback?: Callback;
  _result: Shape;
  _accumulateRows: boolean;
  handleRowDescription(message: { readonly fields: Fields }): void;
}
const Query = pg.Query as unknown as new (text: string, values: unknown[]) => Internals;

type Fields = readonly { readonly name: string; readonly dataTypeID: number }[];
/** What pg works out from the columns of an answer. */
interface Shape {
  readonly fields: Fields;
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}
const shapes = new Map<string, Shape>();

const sameColumns = (a: Fields, b: Fields) =>
  a.length === b.length && a.every((field, i) => field.dataTypeID === b[i]!.dataTypeID && field.name === b[i]!.name);

class PreparedQuery extends Query {
  /** pg works out the columns of every answer anew, which costs more than reading the row. Those of a statement stay the same. */
  override handleRowDescription(message: { readonly fields: Fields }): void {
    const known = this.name === undefined ? undefined : shapes.get(this.name);
    if (known && sameColumns(known.fields, message.fields)) {
      Object.assign(this._result, known);
      this._accumulateRows = true;
      return;
    }
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

/**
 * Every parameterised query becomes a prepared statement of the connection: the server plans it once. It is handed over as a
 * `Query`, because pg copies anything else property by property, which takes longer than sending it.
 */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated
  override query(...args: any[]): any {
    const [text, values, callback] = args;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const submit = (...given: any[]) => (super.query as (...given: any[]) => any).apply(this, given);
    if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return submit(...args);
    const query = new PreparedQuery(text, values);
    query.name = statementName(text);
    if (typeof callback === "function") {
      query.callback = callback;
      return submit(query);
    }
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result));
      submit(query);
    });
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
