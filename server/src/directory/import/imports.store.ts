import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { clock, DAY, MINUTE } from "../../kernel/clock.ts";
import type { Actor } from "../../platform/context.ts";
import { type Db, deleteInBatches, findRow, type Tx } from "../../platform/db/index.ts";
import type { Stop } from "./readers/index.ts";
import type { RowError, Status, UserImport } from "./schema.ts";

interface UserImportsTable {
  realm_id: string;
  import_id: string;
  status: Status;
  rows_done: Generated<number>;
  digest: Generated<string>;
  created: Generated<number>;
  updated: Generated<number>;
  skipped: Generated<number>;
  failed: Generated<number>;
  errors: ColumnType<RowError[], never, never>;
  stopped: ColumnType<Stop | null, never, never>;
  holder: string | null;
  held_until: Generated<number>;
  actor: ColumnType<StartedBy | null, never, never>;
  started_at: number;
  updated_at: number;
  finished_at: number | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    user_imports: UserImportsTable;
  }
}

/** The most refused rows in a report: enough to find out what is wrong with a file. */
export const MAX_ERRORS = 1_000;
/** The time after which a silent import counts as ended. */
export const HOLD = MINUTE;
const KEPT = 30 * DAY;

export interface StartedBy {
  readonly id: string;
  readonly name: string;
  readonly kind?: Actor["kind"];
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

const columns = [
  "import_id",
  "status",
  "rows_done",
  "digest",
  "created",
  "updated",
  "skipped",
  "failed",
  "errors",
  "stopped",
  "started_at",
  "finished_at",
] as const;
type Columns = Pick<Selectable<UserImportsTable>, (typeof columns)[number]>;

export interface StoredImport {
  readonly report: UserImport;
  readonly digest: string;
}

const toImport = (row: Columns): StoredImport => ({
  digest: row.digest,
  report: {
    importId: row.import_id,
    status: row.status,
    dryRun: false,
    rows: row.rows_done,
    created: row.created,
    updated: row.updated,
    skipped: row.skipped,
    failed: row.failed,
    errors: row.errors,
    errorsTruncated: row.failed > row.errors.length,
    stopped: row.stopped,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  },
});

export async function findImport(db: Db, realm: string, importId: string): Promise<StoredImport | null> {
  const row = await findRow(db, "user_imports", columns, { realm_id: realm, import_id: importId });
  return row ? toImport(row) : null;
}

/** Starts or resumes an import for `holder`; `before` is its previous status. Returns null if another process holds it. */
export async function holdImport(
  tx: Tx,
  realm: string,
  importId: string,
  holder: string,
  actor: Actor,
  now: number,
): Promise<(StoredImport & { readonly before: Status | null }) | null> {
  const startedBy: StartedBy = { id: actor.id, name: actor.name, kind: actor.kind };
  const { rows } = await sql<Columns & { before: Status | null }>`
    with known as (select status from user_imports where realm_id = ${realm} and import_id = ${importId})
    insert into user_imports as i (realm_id, import_id, status, holder, held_until, actor, started_at, updated_at)
    values (${realm}, ${importId}, 'RUNNING', ${holder}::uuid, ${clock.shared() + HOLD}, ${JSON.stringify(startedBy)}::text::jsonb, ${now}, ${now})
    on conflict (realm_id, import_id) do update set status = 'RUNNING', holder = excluded.holder, held_until = excluded.held_until,
      actor = excluded.actor, updated_at = excluded.updated_at, finished_at = null, stopped = null
    where i.held_until <= ${clock.shared()}
    returning ${sql.join(columns.map((column) => sql.ref(column)))}, (select status from known) as before`.execute(tx);
  return rows[0] ? { ...toImport(rows[0]), before: rows[0].before } : null;
}

/** Extends the lease. Returns false if another process holds the import. */
export async function keepHold(db: Db, realm: string, importId: string, holder: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("user_imports")
    .set({ held_until: clock.shared() + HOLD })
    .where("realm_id", "=", realm)
    .where("import_id", "=", importId)
    .where("holder", "=", holder)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Counts rows in their own transaction, so that a resumed import continues after them. Returns false if another process holds the import. */
export async function addProgress(
  tx: Tx,
  realm: string,
  importId: string,
  holder: string,
  progress: Counts & { readonly rows: number; readonly digest: string; readonly errors: readonly RowError[] },
  now: number,
): Promise<boolean> {
  const { created, updated, skipped, failed, rows, digest, errors } = progress;
  // A long list is not written again if it does not change.
  const appended = errors.length === 0 ? sql`` : sql`, errors = errors || ${JSON.stringify(errors)}::text::jsonb`;
  const { numAffectedRows } = await sql`
    update user_imports set rows_done = rows_done + ${rows}, digest = ${digest}, created = created + ${created}, updated = updated + ${updated},
      skipped = skipped + ${skipped}, failed = failed + ${failed}, held_until = ${clock.shared() + HOLD}, updated_at = ${now} ${appended}
    where realm_id = ${realm} and import_id = ${importId} and holder = ${holder}::uuid`.execute(tx);
  return numAffectedRows === 1n;
}

/** Ends the import and deletes the name of its caller. Returns null if another process holds it. */
export async function finishImport(
  tx: Tx,
  realm: string,
  importId: string,
  holder: string,
  status: Status,
  stopped: Stop | null,
  now: number,
): Promise<StoredImport | null> {
  const { rows } = await sql<Columns>`
    update user_imports set status = ${status}, holder = null, held_until = 0, actor = null, updated_at = ${now}, finished_at = ${now},
      stopped = ${stopped === null ? null : JSON.stringify(stopped)}::text::jsonb
    where realm_id = ${realm} and import_id = ${importId} and holder = ${holder}::uuid
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(tx);
  return rows[0] ? toImport(rows[0]) : null;
}

export interface AbandonedImport {
  readonly realm: string;
  readonly importId: string;
  readonly holder: string;
  readonly actor: StartedBy | null;
}

/** Finds imports whose server stopped while they ran. */
export async function abandonedImports(db: Db): Promise<AbandonedImport[]> {
  const rows = await db
    .selectFrom("user_imports")
    .select(["realm_id", "import_id", "holder", "actor"])
    .where("status", "=", sql.lit("RUNNING" as const))
    .where("held_until", "<=", clock.shared())
    .limit(100)
    .execute();
  return rows.map(({ realm_id, import_id, holder, actor }) => ({ realm: realm_id, importId: import_id, holder: holder ?? "", actor }));
}

export async function deleteOldImports(db: Db, now: number): Promise<void> {
  await deleteInBatches(db, "user_imports", sql`updated_at <= ${now - KEPT} and status <> 'RUNNING'`);
}
