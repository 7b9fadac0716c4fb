// The database: Postgres by URL, or the embedded one in a folder. Owns opening, migrating and transactions.
// Features declare their tables into `Tables` and take a `Db` (reads) or `Tx` (writes) as their first argument.
import { Kysely } from "kysely";
import type pg from "pg";
import type { Awaited, Waiting } from "./available.ts";
import { maintain } from "./maintenance.ts";
import { createOutages, type Outages } from "./outages.ts";
import { type OpenedEmbedded, openEmbedded } from "./pglite-database.ts";
import { embeddedDialect } from "./pglite-dialect.ts";
import type { Pooling } from "./pooler.ts";
import type { Deadlines } from "./postgres.ts";
import { poolOf } from "./prepared.ts";
import type { Db, Tables } from "./tables.ts";
import { singleConnection } from "./transaction.ts";

export { batched } from "./batched.ts";
export { FolderInUse } from "./directory-lock.ts";
export { deleteExpired, deleteInBatches } from "./expired.ts";
export { migrate, migrationStatus } from "./migrate.ts";
export { createOutages, type Outages } from "./outages.ts";
export { isPersonMember, namesPersonIn, type PersonNames } from "./persons.ts";
export { type EmbeddedDatabase, embeddedFolder, type OpenedEmbedded, openEmbedded } from "./pglite-database.ts";
export { poolerVerdict } from "./pooler-settings.ts";
export { nameStartsWith, startsWith } from "./prefix.ts";
export { poolOf, prepared } from "./prepared.ts";
export { deleteReturning, deleteRows, findRow, insertReturning, insertRow, nextVersion, updateReturning, updateRows } from "./rows.ts";
export { refreshStatistics } from "./statistics.ts";
export { type Db, lockName, lockRealm, shareRealm, type Tables, type Tx, translating } from "./tables.ts";
export { inSavepoint, inTransaction, isInTransaction, outsideTransaction, singleConnection } from "./transaction.ts";
export { DatabaseUnavailable, isDatabaseUnavailable } from "./unavailable.ts";
export { assertWritable } from "./writable.ts";

export interface DatabaseOptions {
  /** A postgres:// URL; null opens the embedded database below `dataDir`. */
  readonly url: string | null;
  readonly dataDir: string;
  readonly pool: number;
  readonly preparedStatements: boolean;
  /** True if the URL leads to a pooler in transaction mode, where no setting can be made for a session. */
  readonly isPooled?: boolean;
  /** The deadlines of requests and of background work. There are none by default, as in commands. */
  readonly deadlines?: { readonly requests: Deadlines; readonly background: Deadlines } | undefined;
  readonly onIdleError: (error: Error) => void;
  /** Set by a server, so that the embedded database is checkpointed and vacuumed while it is open. It is called with each failure. */
  readonly onMaintenanceError?: (error: unknown) => void;
  /** Replaces the template that ships with the build, in tests. */
  readonly template?: Uint8Array<ArrayBuffer> | undefined;
  /** The embedded database of `dataDir`, if it is already being opened. */
  readonly embedded?: Promise<OpenedEmbedded> | undefined;
}

export interface Database {
  /** The connections for requests. */
  readonly db: Db;
  /** For jobs, imports and other slow work, on separate connections, so that requests never wait for one. */
  readonly background: Db;
  /** One connection for health checks and polls: a full pool does not mean that the database is unreachable. */
  readonly monitor: Db;
  /** Runs work on its own connection without deadlines, such as migrations, and closes the connection. */
  withoutDeadlines<T>(work: (db: Db) => Promise<T>): Promise<T>;
  readonly kind: "postgres" | "embedded";
  /** Never recorded for the embedded database. */
  readonly outages: Outages;
  /** Null for the embedded database. */
  readonly pool: pg.Pool | null;
  /** Returns the data folder of the embedded database as a tar. */
  dump(): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

// The modules are loaded on demand, because the embedded database does not need the driver.

export const connectDirectly = async (url: string, config: pg.ClientConfig): Promise<pg.Client> =>
  (await import("./hosts.ts")).connectDirectly(url, config);

export const awaitPostgres = async (awaited: Awaited, waiting: Waiting): Promise<void> =>
  (await import("./available.ts")).awaitPostgres(awaited, waiting);

export const poolingOf = async (url: string): Promise<Pooling> => (await import("./pooler.ts")).poolingOf(url);

/** Health checks need a fast answer. */
const MONITOR: Deadlines = { connectMs: 2_000, statementMs: 2_000, lockMs: 2_000 };

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url) return openPools({ ...options, url: options.url });
  const opening: Promise<OpenedEmbedded> = options.embedded ?? openEmbedded(options.dataDir, options.template);
  // If the caller is already opening it, the first query waits for it.
  if (!options.embedded) await opening;
  const db = new Kysely<Tables>({ dialect: embeddedDialect(opening) });
  singleConnection.add(db);
  const endMaintenance = options.onMaintenanceError && maintain(db, options.onMaintenanceError);
  const close = async () => {
    endMaintenance?.();
    await db.destroy();
    await opening.then((embedded) => embedded.close()).catch(() => {}); // if it never opened, the first query has failed with the reason
  };
  return {
    db,
    background: db,
    monitor: db,
    withoutDeadlines: (work) => work(db),
    kind: "embedded",
    outages: createOutages(),
    pool: null,
    dump: async () => (await opening).dump(),
    close,
  };
}

async function openPools({
  pool: max,
  isPooled = false,
  deadlines,
  ...options
}: DatabaseOptions & { readonly url: string }): Promise<Database> {
  const [{ openPostgres }, { hostsOf }] = await Promise.all([import("./postgres.ts"), import("./hosts.ts")]);
  const hosts = hostsOf(options.url);
  const open = (max: number, deadlines: Deadlines | undefined) => {
    const { pool, dialect } = openPostgres({ ...options, hosts, max, isPooled, deadlines });
    const db = new Kysely<Tables>({ dialect });
    poolOf.set(db, pool);
    return { db, pool };
  };
  const requests = open(max, deadlines?.requests);
  const background = open(Math.max(2, Math.ceil(max / 2)), deadlines?.background);
  const monitor = open(1, MONITOR);
  return {
    db: requests.db,
    background: background.db,
    monitor: monitor.db,
    async withoutDeadlines(work) {
      const { db } = open(1, undefined);
      try {
        return await work(db);
      } finally {
        await db.destroy();
      }
    },
    kind: "postgres",
    outages: createOutages(),
    pool: requests.pool,
    dump: () => Promise.reject(new Error("Only the embedded database can be dumped: use pg_dump")),
    close: async () => void (await Promise.all([requests, background, monitor].map(({ db }) => db.destroy()))),
  };
}
