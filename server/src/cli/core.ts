import { existsSync } from "node:fs";
import { type Config, loadConfig } from "../config.ts";
import type { Core } from "../core.ts";
import { systemActor } from "../platform/context.ts";
import { type Database, embeddedFolder, FolderInUse, openDatabase } from "../platform/db/index.ts";
import type { UnitOfWork } from "../platform/unit-of-work.ts";
import type { Invocation } from "./command.ts";
import { inWords } from "./system-errors.ts";

/** Runs a command's work on the database as it is: nothing is migrated or created, and no server is needed. */
export async function withCore<T>(call: Invocation, work: (core: Core) => Promise<T>): Promise<T> {
  const config = loadConfig({ flags: call.options });
  requireDatabase(config);
  const { createCore } = await import("../core.ts");
  // Standard output is for the answer. The events are in the audit trail, beside the server's own.
  const core = await createCore(config, { output: { write: () => undefined }, migrate: false, withoutDeadlines: true }).catch((error) =>
    explain(error, config),
  );
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** Opens the database alone, for work that needs no content in it. */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    pool: 2,
    preparedStatements: config.preparedStatements,
    onIdleError: () => undefined, // the query that needs the connection reports it
  }).catch((error) => explain(error, config));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Refuses a data folder without a database: a command in the wrong folder must not leave an empty database there. */
export function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null || existsSync(embeddedFolder(dataDir))) return;
  throw new Error(
    `There is no database in ${dataDir} yet. Start the server once, or name the database: --data-dir, GATEHOUSE_DATA_DIR or DATABASE_URL.`,
  );
}

const UNDEFINED_TABLE = "42P01";

function explain(error: unknown, { dataDir }: Config): never {
  if (error instanceof FolderInUse) {
    throw new Error(
      `${error.message.split(". ")[0]}: the server is running. Stop the server, run this command again, then start the server. ` +
        "(With Postgres as database this works while the server runs.)",
      { cause: error },
    );
  }
  if ((error as { code?: string }).code === UNDEFINED_TABLE) {
    throw new Error("The database has not been set up yet. Start the server once, or run: gatehouse migrate up", { cause: error });
  }
  throw inWords(error, { dataDir });
}

/** The origin of a command's work in the audit trail. */
export const cliOrigin = (realm: string): Parameters<UnitOfWork["transact"]>[0] => ({
  realm,
  actor: systemActor(realm, "cli"),
  sourceIp: null,
});

export async function requireRealm({ realms }: Core, realm: string) {
  const found = await realms.get(realm);
  if (!found) throw new Error(`There is no realm “${realm}”. "gatehouse realm list" lists the realms.`);
  return found;
}
