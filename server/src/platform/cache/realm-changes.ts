import { sql } from "kysely";
import { SECOND } from "../../kernel/clock.ts";
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

/** A node that hears nothing from the database may act this long on earlier reads: a client may have been disabled since. */
const MAX_SILENCE = 5 * SECOND;
/** A node trusts newer reads this long while the polls fail. */
const UNCONFIRMED = SECOND;

type Drop = (realm: string | null, version?: number) => void;

export interface RealmChanges {
  /** In the transaction that changes a realm's configuration. */
  announce(tx: Tx, realm: string): Promise<void>;
  /** In this process: forget the realm, or all of them; with a version, only what is older. */
  drop: Drop;
  onDrop(listener: Drop): void;
  /** Every change committed before this moment (of `performance.now()`) has been announced here. A node that never says so is alone. */
  confirm(at: number): void;
  /** Before something is used that was kept: drops everything when the last confirmation is too long ago. */
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
        on conflict (realm_id) do update set version = realm_versions.version + 1, xid = pg_current_xact_id()`.execute(tx);
      await sql`select pg_notify(${CHANNEL}, ${realm})`.execute(tx);
    },
    drop,
    onDrop: (listener) => listeners.push(listener),
    confirm(at) {
      validUntil = at + MAX_SILENCE;
    },
    // Checked at each use, not by a timer, because timers of a suspended process are late.
    expire() {
      const now = performance.now();
      if (now <= validUntil) return;
      validUntil = now + UNCONFIRMED;
      drop(null);
    },
  };
}

/** The version of what a node is about to read. Taken first: a change in between makes the read look old, never new. */
export async function configVersion(db: Db, realm: string): Promise<number> {
  const row = await db.selectFrom("realm_versions").select("version").where("realm_id", "=", realm).executeTakeFirst();
  return row?.version ?? 0;
}
