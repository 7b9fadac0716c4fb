import { type EmbeddedDatabase, type OpenedEmbedded, openEmbedded } from "../platform/db/index.ts";
import { empty, type Migrated, readMigrated } from "./migrated-state.ts";

/**
 * Opening an embedded database takes a second of computing, more than all the requests of most test files. A process therefore keeps the database that a file
 * returns, emptied to the state after the migrations, and lends it to the next file.
 */
let spare: Kept | undefined;

interface Kept {
  readonly database: EmbeddedDatabase;
  readonly migrated: Migrated;
}

export interface Borrowed {
  /** Refuses queries after it was closed, like a database that is really closed. */
  readonly embedded: OpenedEmbedded;
  giveBack(): Promise<void>;
}

/** Lends an embedded database in memory to one file. */
export async function borrowEmbedded(template: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Borrowed> {
  const waiting = spare;
  spare = undefined;
  const kept = waiting ?? (await openOne(template));
  const { database } = kept;
  const requested = new Set<Promise<unknown>>();
  let closed = false;
  const ask = <T>(send: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new Error("The embedded database is closed"));
    const answer = send();
    const settled: Promise<unknown> = answer.catch(() => {}).finally(() => requested.delete(settled));
    requested.add(settled);
    return answer;
  };
  const close = async () => {
    closed = true;
    await Promise.all(requested);
  };
  return {
    embedded: { query: (sql, params) => ask(() => database.query(sql, params)), dump: () => ask(() => database.dump()), close },
    async giveBack() {
      await close();
      // A file may have several open at once, but only one is kept. A database whose tables were changed is not lent again.
      if (!spare && (await isEmptied(kept))) spare = kept;
      else await database.close();
    },
  };
}

async function openOne(template: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Kept> {
  const database = await openEmbedded("memory://", await template());
  return { database, migrated: await readMigrated(database) };
}

async function isEmptied({ database, migrated }: Kept): Promise<boolean> {
  await database.script("rollback"); // a transaction may be open when the file ends
  await database.script("discard all");
  const emptied = await empty(database, migrated);
  await database.script("checkpoint"); // empties its write-ahead log, which is in memory
  return emptied;
}
