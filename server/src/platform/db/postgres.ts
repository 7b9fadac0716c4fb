import { PostgresDialect } from "kysely";
import pg from "pg";
import { type Hosts, isHostFailure } from "./hosts.ts";
import { asUnavailable, DatabaseUnavailable } from "./unavailable.ts";

const INT8 = 20;
pg.types.setTypeParser(INT8, Number);

/** The maximum number of named statements. The server keeps each with its plan, for every connection. */
const MAX_NAMES = 500;
/** The maximum number of remembered texts that came only once. */
const MAX_SEEN = 2_000;

type Callback = (error: Error | null, result: unknown) => void;

/** The time limits of a pool in milliseconds. After these the database counts as unavailable. */
export interface Deadlines {
  /** The limit for getting a free connection, and for opening one. */
  readonly connectMs: number;
  /** The limit for one statement. */
  readonly statementMs: number;
  /** The limit for waiting for a lock that another transaction holds. */
  readonly lockMs: number;
}

/** The extra time for Postgres to cancel a late statement, which keeps the connection. If no answer comes, the connection is closed. */
const GRACE_MS = 1_000;
/** A node that is cut off in the middle of a transaction must not keep its locks. Nothing slow happens inside a transaction. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** The parts of pg's `Query` and `Connection` that its types leave out, as they are in the pinned version. */
interface Internals extends pg.Submittable {
  name?: string | undefined;
  callback?: Callback;
  _result: Shape;
  _accumulateRows: boolean;
  prepare(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
interface Connection {
  readonly stream: { write(bytes: Buffer): boolean };
  readonly parsedStatements: Readonly<Record<string, string>>;
  _send(bytes: Buffer): boolean;
  describe(portal: unknown): void;
}
const Query = pg.Query as unknown as new (text: string, values: unknown[]) => Internals;

/** The data that pg derives from the columns of a result. */
interface Shape {
  readonly fields: unknown;
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}

/** Stands in for the connection while pg lays out a query: it collects the messages, to send them in one write. */
interface Collector extends Connection {
  parts: Buffer[];
  isDescribed: boolean;
  /** The shapes by the name of the prepared statement, whose columns do not change during the life of the connection. */
  readonly shapes: Map<string, Shape>;
}
const collectors = new WeakMap<Connection, Collector>();

function collectorOf(connection: Connection): Collector {
  const known = collectors.get(connection);
  if (known) return known;
  const collector: Collector = Object.assign(Object.create(connection), {
    parts: [],
    isDescribed: false,
    shapes: new Map(),
    _send(this: Collector, bytes: Buffer) {
      this.parts.push(bytes);
      return true;
    },
    describe(this: Collector, portal: unknown) {
      if (!this.isDescribed) connection.describe.call(this, portal);
    },
  });
  collectors.set(connection, collector);
  return collector;
}

/**
 * Sends a query in one write, and does not describe a statement again that has run before. pg itself writes the four messages one by one, and requests and
 * parses the column descriptions every time, which together costs more than everything else.
 */
class PreparedQuery extends Query {
  override prepare(connection: Connection): void {
    const collector = collectorOf(connection);
    const { name } = this;
    const shape = name !== undefined && connection.parsedStatements[name] !== undefined ? collector.shapes.get(name) : undefined;
    collector.isDescribed = shape !== undefined;
    if (shape) {
      Object.assign(this._result, shape);
      this._accumulateRows = true;
    }
    super.prepare(collector);
    const { parts } = collector;
    collector.parts = [];
    connection.stream.write(Buffer.concat(parts));
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    const { shapes } = collectorOf(connection);
    if (this.name === undefined || shapes.has(this.name)) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

/** The parts of pg's `Client` that its types leave out. */
interface ClientInternals {
  readonly connection: { readonly stream: { destroy(error: Error): void } };
  readonly _queryable: boolean;
  readonly _ending: boolean;
  _handleErrorEvent(error: Error): void;
  _errorAllQueries(error: Error): void;
}
const Client = pg.Client as unknown as new (config?: pg.ClientConfig) => pg.Client & ClientInternals;

interface ClientOptions {
  /** Returns undefined for a query that is not to be prepared by name. */
  readonly nameOf: (text: string) => string | undefined;
  /** The time limit of an answer, if there is one. */
  readonly answerMs: number | undefined;
  readonly hosts: Hosts;
}

/** `read_only_sql_transaction`: the host became a standby. */
const READ_ONLY = "25006";

/**
 * A client that makes every parameterised query a prepared statement of its connection, so that the server plans it once. It passes a `Query` to pg, because pg
 * copies anything else property by property, which takes longer than sending it.
 *
 * A query without an answer in time closes its connection. pg's own `query_timeout` would return the connection to the pool, where the late answer would meet
 * the next query.
 */
const clientWith = ({ nameOf, answerMs, hosts }: ClientOptions) =>
  class extends Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: hosts.current() });
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated
    override query(...args: any[]): any {
      const [text, values, callback] = args;
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const submit = (...given: any[]) => (super.query as (...given: any[]) => any).apply(this, given);
      if (typeof text !== "string") return submit(...args);
      const given = Array.isArray(values) ? values : [];
      const query = given.length > 0 ? new PreparedQuery(text, given) : new Query(text, given);
      if (given.length > 0) query.name = nameOf(text);
      if (typeof callback === "function") {
        query.callback = this.#answering(callback);
        return submit(query);
      }
      return new Promise((resolve, reject) => {
        query.callback = this.#answering((error, result) => (error ? reject(error) : resolve(result)));
        submit(query);
      });
    }

    #answering(callback: Callback): Callback {
      const late = () => this.connection.stream.destroy(new DatabaseUnavailable(`The database gave no answer within ${answerMs} ms`));
      const timer = answerMs === undefined ? undefined : setTimeout(late, answerMs);
      return (error, result) => {
        clearTimeout(timer);
        // The connection is closed so that the pool opens another one, which finds the new primary.
        if ((error as pg.DatabaseError | null)?.code === READ_ONLY) this.connection.stream.destroy(error!);
        callback(error && this.#explained(error), result);
      };
    }

    /** Translates connection failures. Errors of values and errors that Postgres reports are passed on. */
    #explained(error: Error): Error {
      const isLost = !this._queryable || this._ending;
      return isLost && !(error instanceof pg.DatabaseError) ? asUnavailable(error) : error;
    }

    override _handleErrorEvent(error: Error): void {
      super._handleErrorEvent(error instanceof pg.DatabaseError ? error : asUnavailable(error));
    }

    override _errorAllQueries(error: Error): void {
      super._errorAllQueries(error instanceof pg.DatabaseError ? error : asUnavailable(error));
    }
  };

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** A pool whose every failure to give a connection means that the database is unavailable now. */
class Pool extends pg.Pool {
  readonly #hosts: Hosts;

  constructor(config: pg.PoolConfig, hosts: Hosts) {
    super(config);
    this.#hosts = hosts;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback)
      return new Promise((resolve, reject) =>
        this.#connect((error, client) => (error ? reject(error) : resolve(client!)), this.#hosts.count),
      );
    this.#connect(callback, this.#hosts.count);
    return undefined;
  }

  #connect(callback: Connected, left: number): void {
    const at = this.#hosts.current();
    super.connect((error, client, done) => {
      if (!error || left <= 1 || !isHostFailure(error)) return callback(error && asUnavailable(error), client, done);
      this.#hosts.failed(at);
      this.#connect(callback, left - 1);
    });
  }
}

/**
 * Names the statements to prepare. New query texts without end (lists of values) would fill the server's memory, so only repeated ones are prepared, up to a
 * limit.
 */
function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  return (text) => {
    const known = names.get(text);
    if (known || names.size >= MAX_NAMES || isPartOfMany(text)) return known;
    if (!seen.delete(text)) {
      if (seen.size >= MAX_SEEN) seen.clear();
      seen.add(text);
      return undefined;
    }
    const name = `gh${names.size}`;
    names.set(text, name);
    return name;
  };
}

/**
 * Tells whether a query asks for the first rows of a larger set (a page, a bounded count). The best plan walks along an index or reads everything, depending on
 * the number of rows. A kept plan is made for the average realm: among thousands of small realms it would sort the whole of a large one for every page. Without
 * a name, such a query is planned for its own values each time.
 */
const isPartOfMany = (text: string): boolean => / limit \$\d+/.test(text);

export interface PostgresOptions {
  readonly hosts: Hosts;
  readonly max: number;
  /** False behind a pooler in transaction mode that mixes up prepared statements. */
  readonly preparedStatements: boolean;
  /** True if settings of a session would reach another client. */
  readonly isPooled: boolean;
  /** Undefined if there is no limit. */
  readonly deadlines: Deadlines | undefined;
  readonly onIdleError: (error: Error) => void;
}

export function openPostgres({ hosts, max, preparedStatements, isPooled, deadlines, onIdleError }: PostgresOptions) {
  const config: pg.PoolConfig = {
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: deadlines?.connectMs ?? 10_000,
    application_name: "gatehouse",
    keepAlive: true,
    Client: clientWith({
      nameOf: preparedStatements ? statementNames() : () => undefined,
      answerMs: deadlines && deadlines.statementMs + GRACE_MS,
      hosts,
    }),
    onConnect: async (client) => {
      await hosts.check?.(client);
      if (deadlines && !isPooled) await setDeadlines(client, deadlines);
    },
  };
  const pool = new Pool(config, hosts);
  // Without a listener, an idle connection that breaks (a database restart) would end the process. The pool attaches the whole client to the error.
  pool.on("error", (error) => {
    delete (error as { client?: unknown }).client;
    onIdleError(error);
  });
  // A connection in use may fail, too. The pool does not watch it, and its query reports the failure.
  pool.on("connect", (client) => client.on("error", () => {}));
  return { pool, dialect: new PostgresDialect({ pool }) };
}

/** Sets the deadlines once per connection, and not as startup parameters, because PgBouncer refuses those. */
async function setDeadlines(client: pg.ClientBase, { statementMs, lockMs }: Deadlines): Promise<void> {
  await client.query(
    `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}; set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  );
}
