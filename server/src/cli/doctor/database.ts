import { existsSync } from "node:fs";
import { sql } from "kysely";
import type pg from "pg";
import type { Config } from "../../config.ts";
import { clock, MUCH_SKEW, SECOND } from "../../kernel/clock.ts";
import { checkVault, masterKeyPath, openVault } from "../../master-key.ts";
import {
  connectDirectly,
  type Database,
  embeddedFolder,
  FolderInUse,
  migrationStatus,
  openDatabase,
  poolerVerdict,
  poolingOf,
} from "../../platform/db/index.ts";
import { type Check, type Finding, ok, problem, TIMEOUT_MS, warning } from "./check.ts";

const name = "database";

export const checkDatabase: Check = async (config) => {
  if (config.databaseUrl !== null) return checkPostgres(config, config.databaseUrl);
  if (!existsSync(embeddedFolder(config.dataDir))) return [ok(name, "embedded; the first start creates it")];
  try {
    return [ok(name, "embedded, can be opened"), ...(await using(config, (database) => checkContents(config, database)))];
  } catch (error) {
    if (error instanceof FolderInUse) return [ok(name, "embedded, in use by a running server")];
    throw error;
  }
};

async function using<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const { databaseUrl: url, dataDir, preparedStatements } = config;
  const database = await openDatabase({ url, dataDir, pool: 1, preparedStatements, onIdleError: () => undefined });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const OLDEST = 140_000;

async function checkPostgres(config: Config, url: string): Promise<Finding[]> {
  let client: pg.Client | undefined;
  try {
    client = await connecting(url);
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as version, extract(epoch from clock_timestamp()) * 1000 as now",
    );
    const { number, version, now } = rows[0];
    if (number < OLDEST) return [problem(name, `Postgres ${version} is too old.`, "Upgrade it to version 14 or newer.")];
    const skew = Math.abs(clock.now() - Number(now));
    const time =
      skew < MUCH_SKEW
        ? ok("database clock", "agrees with this machine's")
        : warning("database clock", `It differs from this machine's by ${(skew / SECOND).toFixed(1)} s.`, "Keep both right with NTP.");
    const pooler = await checkPooler(config, url);
    const begun = [ok(name, `Postgres ${version}`), time, ...pooler];
    // Every further query could fail because of the pooler.
    if (pooler.some(({ severity }) => severity === "problem")) return begun;
    const contents = await using(config, (database) => checkContents(config, database));
    return [...begun, ...contents, await checkListen(config.listenUrl ?? url)];
  } catch (error) {
    return [problem(name, `Postgres cannot be used: ${reason(error)}.`, "Start it, or correct DATABASE_URL.")];
  } finally {
    await client?.end().catch(() => undefined); // it may never have connected
  }
}

const connecting = (url: string) =>
  connectDirectly(url, { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS, application_name: "gatehouse doctor" });

/** Checks the pooler with the same verdict as a start. */
async function checkPooler(config: Config, url: string): Promise<Finding[]> {
  const check = "pooler";
  const pooling = await poolingOf(url);
  const { refused, warning: warned } = poolerVerdict(config, pooling);
  const advice = "docs/configuration.md, “Behind PgBouncer”, says why.";
  if (refused !== null) return [problem(check, refused, advice)];
  if (warned !== null) return [warning(check, warned, advice)];
  return pooling.byTransaction ? [ok(check, "in transaction mode, with the settings that it needs")] : [];
}

/** Describes an error, without a message that could contain the URL. Postgres' own messages (wrong password, no such database) never contain it. */
function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== undefined && /^E[A-Z]+$/.test(code) ? code : message;
}

async function checkContents(config: Config, { db }: Database): Promise<Finding[]> {
  const migrations = await migrationStatus(db);
  const missing = migrations.filter(({ appliedAt }) => appliedAt === null).length;
  if (missing === migrations.length) return [ok("migrations", "none has run; the first start runs them")];
  const state =
    missing === 0
      ? ok("migrations", `up to date (${migrations.length})`)
      : warning("migrations", `${missing} of ${migrations.length} are missing.`, "The next start runs them; or run: gatehouse migrate up");
  return [state, await checkCanary(config, db)];
}

async function checkCanary(config: Config, db: Database["db"]): Promise<Finding> {
  const check = "master key and database";
  const advice = "Set GATEHOUSE_MASTER_KEY to the key that this database was written with.";
  if (config.masterKey === null && !existsSync(masterKeyPath(config)))
    return problem(check, `${masterKeyPath(config)} is missing.`, "Restore it from the backup, or set GATEHOUSE_MASTER_KEY to it.");
  const { rows } = await sql`select 1 from vault_canary`.execute(db);
  if (rows.length === 0) return ok(check, "nothing is sealed yet");
  try {
    const vault = await openVault(config);
    await checkVault(db, vault);
    return ok(check, "the key fits the database");
  } catch (error) {
    return problem(check, (error as Error).message, advice);
  }
}

/** Checks that notifications arrive: a pooler in transaction mode accepts LISTEN and then delivers nothing. */
async function checkListen(url: string): Promise<Finding> {
  let client: pg.Client | undefined;
  const check = "notifications";
  try {
    const listening = await connecting(url);
    client = listening;
    const arrived = new Promise<boolean>((resolve) => {
      listening.once("notification", () => resolve(true));
      setTimeout(() => resolve(false), TIMEOUT_MS).unref();
    });
    await client.query("listen gatehouse_doctor");
    await client.query("notify gatehouse_doctor");
    if (await arrived) return ok(check, "arrive");
    return problem(check, "LISTEN is accepted, but nothing arrives: this is a pooler.", "Set GATEHOUSE_LISTEN_URL to a direct connection.");
  } catch (error) {
    return problem(check, `Cannot listen: ${reason(error)}.`, "Set GATEHOUSE_LISTEN_URL to a direct connection.");
  } finally {
    await client?.end().catch(() => undefined); // it may never have connected
  }
}
