import { type ColumnType, type Generated, sql } from "kysely";
import { type Db, deleteRows, insertReturning, type Tx, translating, updateReturning } from "../../platform/db/index.ts";
import { flowErrors } from "./errors.ts";
import type { Flow, Step } from "./flow.ts";

interface FlowsTable {
  realm_id: string;
  alias: string;
  display_name: string;
  steps: ColumnType<Step[], string, string>;
  created_at: number;
  updated_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    flows: FlowsTable;
  }
}

/** A custom flow, or a changed built-in one. */
export type StoredFlow = Omit<Flow, "builtIn">;
type FlowState = Pick<StoredFlow, "displayName" | "steps">;

const columns = ["alias", "display_name as displayName", "steps", "version"] as const;

const ofRealm = (db: Db, realm: string) => db.selectFrom("flows").select(columns).where("realm_id", "=", realm);

export async function storedFlows(db: Db, realm: string): Promise<StoredFlow[]> {
  return ofRealm(db, realm).orderBy("alias").execute();
}

/** Finds a flow. With `lock` it is locked until commit: for a change, or (`share`) against rename and delete, for a client that uses it. */
export async function findFlow(db: Db, realm: string, alias: string, lock?: "change" | "share"): Promise<StoredFlow | null> {
  const row = await ofRealm(db, realm)
    .where("alias", "=", alias)
    .$if(lock === "change", (q) => q.forUpdate())
    .$if(lock === "share", (q) => q.forKeyShare())
    .executeTakeFirst();
  return row ?? null;
}

export async function countFlows(tx: Tx, realm: string): Promise<number> {
  const { count } = await tx
    .selectFrom("flows")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("realm_id", "=", realm)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const columnsOf = ({ displayName, steps }: FlowState) => ({ display_name: displayName, steps: JSON.stringify(steps) });

const changedAt = (now: number) => ({ updated_at: now, version: sql<number>`greatest(version + 1, ${now}::bigint)` });

/**
 * Inserts a flow. The first version is the time, because sign-ins in progress reference their flow by alias and version: a new flow under a
 * deleted alias must not match.
 */
export async function insertFlow(tx: Tx, realm: string, alias: string, state: FlowState, now: number): Promise<StoredFlow> {
  return translating(
    { flows_alias_taken: flowErrors.alias_taken },
    insertReturning(tx, "flows", { realm_id: realm, alias, ...columnsOf(state), created_at: now, updated_at: now, version: now }, columns),
  );
}

export async function updateFlow(tx: Tx, realm: string, alias: string, state: FlowState, now: number): Promise<StoredFlow> {
  return updateReturning(tx, "flows", { realm_id: realm, alias }, { ...columnsOf(state), ...changedAt(now) }, columns);
}

export async function renameFlowRow(tx: Tx, realm: string, from: string, to: string, now: number): Promise<StoredFlow> {
  return translating(
    { flows_alias_taken: flowErrors.alias_taken },
    updateReturning(tx, "flows", { realm_id: realm, alias: from }, { alias: to, ...changedAt(now) }, columns),
  );
}

export async function deleteFlow(tx: Tx, realm: string, alias: string): Promise<void> {
  await deleteRows(tx, "flows", { realm_id: realm, alias });
}
