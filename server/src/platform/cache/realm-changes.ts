import { sql } from "kysely";
import { SECOND } from "../../kernel/clock.ts";
import { type Db, findRow, type Tx } from "../db/index.ts";

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

/** A node that hears nothing from the database may use earlier reads for this long at most: a client may have been disabled since. */
const MAX_SILENCE = 5 * SECOND;
/** While the polls fail, a node uses what it reads for this long before it reads again. */
const UNCONFIRMED = SECOND;

type Drop = (realm: string | null, version?: number) => void;

export interface RealmChanges {
  /** Announces a change of a realm's configuration, in the transaction that makes it. */
  announce(tx: Tx, realm: string): Promise<void>;
  /** Makes this process forget the realm, or all realms if it is null. With a version, only what was read at another version is dropped. */
  drop: Drop;
  onDrop(listener: Drop): void;
  /** Says that every change committed before this moment (of `performance.now()`) has been announced here. A process that is alone with its database never calls it. */
  confirm(at: number): void;
  /** Called before a cached value is used: drops everything if the last confirmation is too long ago. */
  expire(): void;
}

export function createRealmChanges(): RealmChanges {
  const listeners: Drop[] = [];
  let validUntil = Number.POSITIVE_INFINITY;
  const drop: Drop = (realm, version) => {
    for (const listener of listeners) listener(realm, version);
  };
  return {
    async announce(tx, realm) {
      await sql`
        insert into realm_versions (realm_id) values (${realm})
        on conflict (realm_id) do update set version = realm_versions.version + 1, xid = pg_current_xact_id()
        returning pg_notify(${CHANNEL}, realm_id)`.execute(tx);
    },
    drop,
    onDrop: (listener) => listeners.push(listener),
    confirm(at) {
      validUntil = at + MAX_SILENCE;
    },
    // This is checked at each use and not by a timer, because timers of a suspended process are late.
    expire() {
      const now = performance.now();
      if (now <= validUntil) return;
      validUntil = now + UNCONFIRMED;
      drop(null);
    },
  };
}

/** Returns the version of what a node is about to read. It is read first: a change in between makes the cached value look older than it is, never newer. */
export async function configVersion(db: Db, realm: string): Promise<number> {
  const row = await findRow(db, "realm_versions", ["version"], { realm_id: realm });
  return row?.version ?? 0;
}
