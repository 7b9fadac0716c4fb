import { type EmbeddedDatabase, type OpenedEmbedded, openEmbedded } from "../platform/db/index.ts";
import { empty, type Migrated, readMigrated } from "./migrated-state.ts";

/**
 * Opening an embedded database takes a second of computing, more than most test files need for all their requests. So a process
 * keeps the one that a file gives back, emptied to what the migrations leave, and lends it to the next.
 */
let spare: Kept | undefined;

interface Kept {
  readonly database: EmbeddedDatabase;
  readonly migrated: Migrated;
}

export interface Borrowed {
  /** Queries after it was closed are refused, as by one that is really closed. */
  readonly embedded: OpenedEmbedded;
  giveBack(): Promise<void>;
}

/** An embedded database in memory, for one file. */
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
      // A file may have several open at once; one is enough to keep. One whose tables were changed is not lent again.
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
  await database.script("rollback"); // what was open when the file ended
  await database.script("discard all");
  const emptied = await empty(database, migrated);
  await database.script("checkpoint"); // for its write-ahead log, which is in memory
  return emptied;
}
