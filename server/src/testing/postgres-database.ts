import type pg from "pg";
import { newId } from "../kernel/ids.ts";
import { migrate, openDatabase } from "../platform/db/index.ts";
import { type Emptied, empty, type Migrated, readMigrated } from "./migrated-state.ts";
import { adminUrl, asAdmin, connected } from "./postgres-admin.ts";

/**
 * Copying the migrated database means to write four hundred files, and later to delete them. A process therefore keeps the databases that files return, emptied
 * to the state after the migrations, and lends them to the next files.
 */
const spare: string[] = [];
const MOST_SPARE = 2;
/** The state after the migrations. All copies of one template are equal, including the numbers of their tables. */
let migrated: Migrated | undefined;

export interface BorrowedPostgres {
  readonly url: string;
  giveBack(): Promise<void>;
}

/** Lends a migrated database to one file. `version` names the migrations. */
export async function borrowPostgres(version: string): Promise<BorrowedPostgres> {
  const name = spare.pop() ?? (await copyOfTemplate(version));
  return {
    url: await addressOf(name),
    async giveBack() {
      if (spare.length < MOST_SPARE && (await isEmptied(name))) spare.push(name);
      else await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

let socketFolder: Promise<string> | undefined;

async function addressOf(database: string): Promise<string> {
  socketFolder ??= asAdmin(async (admin) => (await admin.query("show unix_socket_directories")).rows[0].unix_socket_directories);
  const folder = await socketFolder;
  // A socket in the file system needs less computing than one of TCP, and tests talk to the database most of the time.
  const search = folder && `?${new URLSearchParams({ host: folder })}`;
  return Object.assign(new URL(adminUrl()), { pathname: `/${database}`, search }).href;
}

async function copyOfTemplate(version: string): Promise<string> {
  const template = `gatehouse_template_${version}`;
  const name = `gatehouse_test_${newId().replaceAll("-", "")}`;
  const url = await addressOf(template);
  await asAdmin(async (admin) => {
    // If two workers find the template missing, one makes it while the other waits.
    await admin.query("select pg_advisory_lock(7205)");
    const { rowCount } = await admin.query("select 1 from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      await admin.query(`create database ${template}`);
      const database = await openDatabase({ url, dataDir: "", pool: 2, preparedStatements: false, onIdleError: fail });
      await migrate(database.db);
      await database.close();
    }
    await admin.query(`create database ${name} template ${template}`);
    await admin.query("select pg_advisory_unlock(7205)");
  });
  migrated ??= await connected(await addressOf(name), (client) => readMigrated(asEmptied(client)));
  return name;
}

const asEmptied = (client: pg.Client): Emptied => ({
  query: (sql, params) => client.query(sql, [...params]),
  script: (sql) => client.query(sql),
});

/** Ends all sessions and empties the tables. Returns false if the file has changed more than rows. */
async function isEmptied(name: string): Promise<boolean> {
  return connected(await addressOf(name), async (client) => {
    const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    await client.query(`select pg_terminate_backend(pid, 10000) ${others}`);
    const isEmpty = await empty(asEmptied(client), migrated!);
    // A session that has come back belongs to a server that outlives its file.
    const { rowCount } = await client.query(`select 1 ${others}`);
    return isEmpty && rowCount === 0;
  });
}

const fail = (error: Error) => {
  throw error;
};
