import { readdir, readFile } from "node:fs/promises";
import { type Migration, Migrator, sql } from "kysely";
import { packageFile } from "../../kernel/package.ts";
import type { Db } from "./tables.ts";

const FOLDER = packageFile("migrations/");

export interface MigrationState {
  readonly name: string;
  readonly appliedAt: string | null;
}

/** Brings the schema up to date. Safe when several nodes start at once: Kysely's lock lets one work and the others wait. */
export async function migrate(db: Db): Promise<string[]> {
  // Most starts find nothing to do, and the migrator needs a third of a second on the embedded database to find that out.
  if (await isUpToDate(db)) return [];
  const first = await (await migrator(db)).migrateToLatest();
  // A newer node may have added its migrations while this one waited for the lock, so it looks again, once.
  const { error, results } = first.error ? await (await migrator(db)).migrateToLatest() : first;
  if (error) throw new Error(`The database could not be brought up to date: ${(error as Error).message}`, { cause: error });
  return (results ?? []).filter(({ status }) => status === "Success").map(({ migrationName }) => migrationName);
}

export async function migrationStatus(db: Db): Promise<MigrationState[]> {
  const states = await (await migrator(db)).getMigrations();
  return states.map(({ name, executedAt }) => ({ name, appliedAt: executedAt?.toISOString() ?? null }));
}

async function migrator(db: Db): Promise<Migrator> {
  const own = await ownMigrations();
  const newer = await newerMigrations(db, own);
  return new Migrator({
    db,
    allowUnorderedMigrations: false,
    provider: { getMigrations: async () => ({ ...own, ...newer }) },
    migrationTableName: "schema_migrations",
    migrationLockTableName: "schema_migrations_lock",
  });
}

async function ownMigrations(): Promise<Record<string, Migration>> {
  const files = await migrationFiles();
  return Object.fromEntries(
    files.map((file) => [
      nameOf(file),
      {
        up: async (tx) => {
          for (const statement of statements(await readFile(new URL(file, FOLDER), "utf8"))) await sql.raw(statement).execute(tx);
        },
      },
    ]),
  );
}

async function isUpToDate(db: Db): Promise<boolean> {
  const applied = new Set(await appliedMigrations(db));
  return (await migrationFiles()).every((file) => applied.has(nameOf(file)));
}

/** Returns the migrations in the database that this release does not know. Migrations are expand-only, so a node of the previous release can serve on. */
async function newerMigrations(db: Db, own: Record<string, Migration>): Promise<Record<string, Migration>> {
  const unknown = (await appliedMigrations(db)).filter((name) => !(name in own));
  return Object.fromEntries(unknown.map((name) => [name, { up: async () => {} }]));
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ there: boolean }>`select to_regclass('schema_migrations') is not null as there`.execute(db);
  if (!tables[0]?.there) return [];
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

const migrationFiles = async () => (await readdir(FOLDER)).filter((file) => file.endsWith(".sql")).sort();
const nameOf = (file: string) => file.replace(/[.]sql$/, "");

/** Splits a script into statements, because neither driver takes several with the extended protocol. A `--;;` line ends one that contains semicolons. */
export function statements(script: string): string[] {
  const blocks = script.split(/^--;;[ \t]*$/m);
  return blocks
    .flatMap((block) => (/\$\$/.test(block) ? [block] : block.split(/;[ \t]*(?:--[^\n]*)?$/m)))
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--[^\n]*/g, "").trim() !== "");
}
