// The database: Postgres by URL, or the embedded one in a folder. Owns opening, migrating and transactions.
// Features declare their tables into `Tables` and take a `Db` (reads) or `Tx` (writes) as their first argument.
import { Kysely } from "kysely";
import type pg from "pg";
import { type OpenedEmbedded, openEmbedded } from "./pglite-database.ts";
import { embeddedDialect } from "./pglite-dialect.ts";
import { poolOf } from "./prepared.ts";
import type { Db, Tables } from "./tables.ts";
import { singleConnection } from "./transaction.ts";

export { FolderInUse } from "./directory-lock.ts";
export { gathered } from "./gathered.ts";
export { type MigrationState, migrate, migrationStatus } from "./migrate.ts";
export { type EmbeddedDatabase, embeddedFolder, type OpenedEmbedded, openEmbedded } from "./pglite-database.ts";
export { startsWith } from "./prefix.ts";
export { prepared } from "./prepared.ts";
export { type Db, lockRealm, type Tables, type Tx, translating } from "./tables.ts";
export { inSnapshot, inTransaction } from "./transaction.ts";

export interface DatabaseOptions {
  /** A postgres:// URL; null opens the embedded database below `dataDir`. */
  readonly url: string | null;
  readonly dataDir: string;
  readonly pool: number;
  readonly preparedStatements: boolean;
  readonly onIdleError: (error: Error) => void;
  /** Instead of the template that ships with the build; tests bring their own. */
  readonly template?: Uint8Array<ArrayBuffer> | undefined;
  /** The embedded database of `dataDir`, if somebody has begun to open it already. */
  readonly embedded?: Promise<OpenedEmbedded> | undefined;
}

export interface Database {
  readonly db: Db;
  readonly kind: "postgres" | "embedded";
  /** Postgres only. */
  readonly pool: pg.Pool | null;
  /** Embedded only: the data folder as a tar. */
  dump(): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url) {
    // Loaded on need, here as elsewhere: the embedded database does without the driver.
    const { openPostgres } = await import("./postgres.ts");
    const { pool, dialect } = openPostgres({ ...options, url: options.url, max: options.pool }, options.onIdleError);
    const db = new Kysely<Tables>({ dialect });
    poolOf.set(db, pool);
    const dump = () => Promise.reject(new Error("Only the embedded database can be dumped: use pg_dump"));
    return { db, kind: "postgres", pool, dump, close: () => db.destroy() };
  }
  const opening: Promise<OpenedEmbedded> = options.embedded ?? openEmbedded(options.dataDir, options.template);
  // Whoever began to open it has other things to do meanwhile; the first query waits.
  if (!options.embedded) await opening;
  const db = new Kysely<Tables>({ dialect: embeddedDialect(opening) });
  singleConnection.add(db);
  const close = async () => {
    await db.destroy();
    await opening.then((embedded) => embedded.close()).catch(() => {}); // it never opened: the first query has told why
  };
  return { db, kind: "embedded", pool: null, dump: async () => (await opening).dump(), close };
}
