import { sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { retryingConflicts } from "../../platform/unit-of-work.ts";
import { type Change, markChanges } from "./objects.store.ts";
import { requestSyncsOfScopes } from "./states.store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_changes: { realm_id: string; change_id: number; kind: string; object_id: string };
  }
}

const AT_A_TIME = 2_000;

interface Taken {
  readonly realm_id: string;
  readonly kind: Change["kind"] | "tree";
  readonly object_id: string;
}

/** Deletes changes as it takes them, so that changes that commit late are not missed. Skips those that another node is taking. */
async function takeChanges(tx: Tx): Promise<Taken[]> {
  const { rows } = await sql<Taken>`
    with first as materialized (
      select realm_id, change_id from scim_changes order by change_id limit ${AT_A_TIME} for update skip locked
    ), taken as (
      delete from scim_changes c using first where c.realm_id = first.realm_id and c.change_id = first.change_id
      returning c.realm_id, c.kind, c.object_id
    )
    select realm_id, kind, object_id from taken group by 1, 2, 3`.execute(tx);
  return rows;
}

/**
 * Notes changes at every target that they concern, and deletes them, in one transaction: after a crash, both are done or neither. Returns how many
 * there were, and whether there may be more.
 */
export async function noteChanges(db: Db): Promise<{ noted: number; more: boolean }> {
  // Usually there are none, which a query without a transaction tells.
  const { rows } = await sql`select 1 from scim_changes limit 1`.execute(db);
  if (rows.length === 0) return { noted: 0, more: false };
  return retryingConflicts(db, async (tx) => {
    const taken = await takeChanges(tx);
    const now = clock.now();
    const moved = taken.filter(({ kind }) => kind === "tree");
    const changes = [...taken.filter(({ kind }) => kind !== "tree"), ...moved.map((one) => ({ ...one, kind: "group" }))] as Change[];
    const unique = [...new Map(changes.map((change) => [`${change.realm_id} ${change.kind} ${change.object_id}`, change])).values()];
    if (unique.length > 0) await markChanges(tx, unique, now);
    await requestSyncsOfScopes(tx, [...new Set(moved.map(({ realm_id }) => realm_id))], now);
    return { noted: taken.length, more: taken.length > 0 };
  });
}
