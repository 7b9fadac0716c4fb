import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { newId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, deleteRows, insertRow, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { scimTargetErrors } from "./errors.ts";
import type { ScimTarget, Settings } from "./schema.ts";
import { standingOf } from "./standing.ts";
import { type StateColumns, stateColumns } from "./states.store.ts";

interface TargetsTable {
  realm_id: string;
  target_id: string;
  name: string;
  name_key: string;
  url: string;
  enabled: boolean;
  secret: string | null;
  config: ColumnType<Settings, string, string>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_targets: TargetsTable;
  }
}

/** A target for the service. The secret stays sealed. */
export interface TargetRow extends ScimTarget {
  readonly version: number;
  readonly sealed: string | null;
  /** True if a full sync waits or runs. */
  readonly syncing: boolean;
}

const own = ["realm_id", "target_id", "name", "url", "enabled", "secret", "config", "created_at", "version"] as const;
type Columns = Pick<Selectable<TargetsTable>, (typeof own)[number]> & StateColumns & { readonly waiting: boolean };

// A realm has few targets, which are found by the primary key, so sorting needs no index.
const order = listOrder("name", { name: "scim_targets.name_key", createdAt: "scim_targets.created_at" }, "scim_targets.target_id");

const selected = (db: Db, realm: string, now: number) =>
  db
    .selectFrom("scim_targets")
    .innerJoin("scim_target_states", (join) =>
      join
        .onRef("scim_target_states.realm_id", "=", "scim_targets.realm_id")
        .onRef("scim_target_states.target_id", "=", "scim_targets.target_id"),
    )
    .select(own.map((column) => `scim_targets.${column}` as const))
    .select(stateColumns.map((column) => `scim_target_states.${column}` as const))
    .select(
      sql<boolean>`exists (select 1 from scim_objects o where o.realm_id = scim_targets.realm_id and o.target_id = scim_targets.target_id
        and o.state = 'PENDING' and o.next_at <= ${now})`.as("waiting"),
    )
    .where("scim_targets.realm_id", "=", realm);

export async function listTargets(db: Db, realm: string, query: ListQuery, now: number): Promise<Page<TargetRow>> {
  const { search } = query;
  const base = selected(db, realm, now).$if(search !== undefined && search !== "", (q) =>
    q.where((eb) =>
      eb.or([
        eb("scim_targets.name_key", "like", likePrefix(loginKey(search!))),
        eb(sql`scim_targets.target_id::text`, "=", search!.toLowerCase()),
      ]),
    ),
  );
  return mapPage(await pageOf(db, base, order, query), (row) => toTarget(row, now));
}

export async function findTarget(db: Db, realm: string, targetId: string, now: number): Promise<TargetRow | null> {
  const row = await selected(db, realm, now).where("scim_targets.target_id", "=", targetId).executeTakeFirst();
  return row ? toTarget(row, now) : null;
}

/** Finds a target and locks it until commit. */
export async function lockTarget(tx: Tx, realm: string, targetId: string, now: number): Promise<TargetRow | null> {
  const row = await selected(tx, realm, now).where("scim_targets.target_id", "=", targetId).forUpdate("scim_targets").executeTakeFirst();
  return row ? toTarget(row, now) : null;
}

export interface TargetState {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly settings: Settings;
}

const stored = ({ name, url, enabled, settings }: TargetState) => ({
  name,
  name_key: loginKey(name),
  url,
  enabled,
  config: JSON.stringify(settings),
});

const uniqueName = <T>(write: Promise<T>) => translating({ scim_targets_name_taken: scimTargetErrors.name_taken }, write);

export async function insertTarget(
  tx: Tx,
  realm: string,
  state: TargetState,
  seal: (id: string) => string | null,
  now: number,
): Promise<TargetRow> {
  const targetId = newId();
  const row = { realm_id: realm, target_id: targetId, ...stored(state), secret: seal(targetId), created_at: now };
  await uniqueName(insertRow(tx, "scim_targets", row));
  await insertRow(tx, "scim_target_states", { realm_id: realm, target_id: targetId, sync_requested_at: now });
  return (await findTarget(tx, realm, targetId, now))!;
}

/** Saves a target. After any change everything is compared again, and a target that refused us is tried again. */
export async function updateTarget(
  tx: Tx,
  realm: string,
  targetId: string,
  state: TargetState,
  secret: { readonly sealed: string | null } | null,
  now: number,
): Promise<TargetRow> {
  const change = { ...stored(state), ...(secret && { secret: secret.sealed }), version: nextVersion };
  await uniqueName(updateRows(tx, "scim_targets", { realm_id: realm, target_id: targetId }, change));
  await sql`update scim_target_states set sync_requested_at = ${now}, walk_phase = null, walk_after = null, paused_until = 0, pause_reason = null,
      strikes = 0, suspended_at = null, suspended_reason = null, fed_from = pg_current_xact_id()
    where realm_id = ${realm} and target_id = ${targetId}::uuid`.execute(tx);
  return (await findTarget(tx, realm, targetId, now))!;
}

/** Deletes a target with its objects. */
export async function deleteTarget(tx: Tx, realm: string, targetId: string): Promise<void> {
  await deleteRows(tx, "scim_targets", { realm_id: realm, target_id: targetId });
}

function toTarget(row: Columns, now: number): TargetRow {
  return {
    id: row.target_id,
    realmId: row.realm_id,
    name: row.name,
    enabled: row.enabled,
    url: row.url,
    secret: null,
    secretSet: row.secret !== null,
    ...row.config,
    createdAt: row.created_at,
    status: standingOf(row, { enabled: row.enabled, hasSecret: row.secret !== null, failing: row.failing, waiting: row.waiting }, now),
    syncing: row.sync_requested_at !== null,
    version: row.version,
    sealed: row.secret,
  };
}
