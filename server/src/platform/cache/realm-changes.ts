import { sql } from "kysely";
import type { Db, Tx } from "../db/index.ts";

interface RealmVersionsTable {
  realm_id: string;
  version: number;
  xid: string;
}

declare module "../db/tables.ts" {
  interface Tables {
    realm_versions: RealmVersionsTable;
  }
}

export const CHANNEL = "gatehouse_realm";

type Drop = (realm: string | null, version?: number) => void;

export interface RealmChanges {
  /** In the transaction that changes a realm's configuration. */
  announce(tx: Tx, realm: string): Promise<void>;
  /** In this process: forget the realm, or all of them; with a version, only what is older. */
  drop: Drop;
  onDrop(listener: Drop): void;
}

export function createRealmChanges(): RealmChanges {
  const listeners: Drop[] = [];
  return {
    async announce(tx, realm) {
      await sql`
        insert into realm_versions (realm_id) values (${realm})
        on conflict (realm_id) do update set version = realm_versions.version + 1, xid = pg_current_xact_id()`.execute(tx);
      await sql`select pg_notify(${CHANNEL}, ${realm})`.execute(tx);
    },
    drop: (realm, version) => {
      for (const listener of listeners) listener(realm, version);
    },
    onDrop: (listener) => listeners.push(listener),
  };
}

/** The version of what a node is about to read. Taken first: a change in between makes the read look old, never new. */
export async function configVersion(db: Db, realm: string): Promise<number> {
  const row = await db.selectFrom("realm_versions").select("version").where("realm_id", "=", realm).executeTakeFirst();
  return row?.version ?? 0;
}
