import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { clock, HOUR, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { Settings } from "./schema.ts";

/** The steps of a full sync: users, then accounts that should leave, then both steps for groups. */
export type WalkPhase = "users" | "accounts" | "groups" | "former-groups";

interface StatesTable {
  realm_id: string;
  target_id: string;
  lease_id: string | null;
  locked_until: Generated<number>;
  paused_until: Generated<number>;
  pause_reason: string | null;
  strikes: Generated<number>;
  suspended_at: number | null;
  suspended_reason: string | null;
  sync_requested_at: number | null;
  resends: Generated<boolean>;
  walk_phase: WalkPhase | null;
  walk_after: string | null;
  last_sync_at: number | null;
  last_sent_at: number | null;
  held_at: number | null;
  failing: Generated<boolean>;
  fed_from: ColumnType<string, never, never>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    scim_target_states: StatesTable;
  }
}

export const stateColumns = [
  "paused_until",
  "pause_reason",
  "suspended_at",
  "suspended_reason",
  "sync_requested_at",
  "last_sync_at",
  "last_sent_at",
  "held_at",
  "failing",
] as const;
export type StateColumns = Pick<Selectable<StatesTable>, (typeof stateColumns)[number]>;

/** A target with the lease of the node that sends to it. */
export interface HeldTarget {
  readonly realm: string;
  readonly targetId: string;
  readonly leaseId: string;
  readonly name: string;
  readonly url: string;
  readonly sealed: string;
  readonly settings: Settings;
  readonly version: number;
  readonly strikes: number;
  readonly suspendedAt: number | null;
  readonly heldAt: number | null;
}

export interface TargetKey {
  readonly realm: string;
  readonly targetId: string;
}

/** The time for which other nodes wait after a crash before they take over. It is longer than any single request. */
export const LEASE = MINUTE;
/** The interval at which a target that refuses us is tried again. */
export const PROBE_EVERY = 10 * MINUTE;

/** The condition that transactions that may have missed the feed have ended, or belong to the cluster from which a dump was restored. */
const isFed = sql`(s.fed_from < pg_snapshot_xmin(pg_current_snapshot()) or s.fed_from >= pg_snapshot_xmax(pg_current_snapshot()))`;

/** Takes the targets for which something is due, for the length of the lease. Two nodes never take the same target. */
export async function claimTargets(db: Db, limit: number, now: number): Promise<HeldTarget[]> {
  if (limit <= 0) return [];
  const leaseId = newId();
  const { rows } = await sql<HeldTarget>`
    with due as materialized (
      select s.realm_id, s.target_id from scim_target_states s
      join scim_targets t on t.realm_id = s.realm_id and t.target_id = s.target_id and t.enabled and t.secret is not null
      join realms r on r.realm_id = s.realm_id and r.deleted_at is null
      where s.locked_until <= ${clock.shared()} and s.paused_until <= ${now}
        and (
          (${isFed} and (s.sync_requested_at is not null
            or coalesce(s.last_sync_at, 0) + (t.config->>'fullSyncHours')::bigint * ${HOUR} <= ${now}))
          or exists (select 1 from scim_objects o
            where o.realm_id = s.realm_id and o.target_id = s.target_id and o.state = 'PENDING' and o.next_at <= ${now})
        )
      order by s.locked_until limit ${limit} for update of s skip locked
    )
    update scim_target_states s set lease_id = ${leaseId}::uuid, locked_until = ${clock.shared() + LEASE}
    from due, scim_targets t
    where s.realm_id = due.realm_id and s.target_id = due.target_id and t.realm_id = s.realm_id and t.target_id = s.target_id
    returning s.realm_id as realm, s.target_id as "targetId", s.lease_id as "leaseId", t.name, t.url, t.secret as sealed, t.config as settings, t.version,
      s.strikes, s.suspended_at as "suspendedAt", s.held_at as "heldAt"`.execute(db);
  return rows;
}

const held = ({ realm, targetId, leaseId }: HeldTarget) =>
  sql`realm_id = ${realm} and target_id = ${targetId}::uuid and lease_id = ${leaseId}::uuid`;

/** Extends the lease. Returns false if another node has taken over, or the target is gone. */
export async function keepLease(db: Db, target: HeldTarget): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update scim_target_states set locked_until = ${clock.shared() + LEASE} where ${held(target)}`.execute(db);
  return numAffectedRows === 1n;
}

export async function releaseTarget(db: Db, target: HeldTarget): Promise<void> {
  await sql`update scim_target_states set locked_until = 0, lease_id = null where ${held(target)}`.execute(db);
}

/** Ends the leases that a killed process left, on a database that no other node can have open. */
export async function releaseAllTargets(db: Db): Promise<void> {
  await sql`update scim_target_states set locked_until = 0, lease_id = null where locked_until > 0`.execute(db);
}

/** Pauses a target: nothing is sent until then. */
export async function pauseTarget(db: Db, target: HeldTarget, until: number, reason: string): Promise<void> {
  await sql`update scim_target_states set paused_until = ${until}, pause_reason = ${reason}, strikes = strikes + 1 where ${held(target)}`.execute(
    db,
  );
}

/** Records that the target has answered, so that the next pause is short. */
export async function clearStrikes(db: Db, target: HeldTarget, now: number): Promise<void> {
  await sql`update scim_target_states set strikes = 0, pause_reason = null, last_sent_at = ${now} where ${held(target)}`.execute(db);
}

/** Suspends a target, unless its settings changed since the request: they are tried first. Returns true if it was not suspended before. */
export async function suspendTarget(tx: Tx, target: HeldTarget, reason: string, now: number): Promise<boolean> {
  const { rows } = await sql<{ was: number | null }>`
    with before as (select suspended_at as was from scim_target_states where ${held(target)})
    update scim_target_states s set suspended_at = coalesce(s.suspended_at, ${now}), suspended_reason = ${reason}, paused_until = ${now + PROBE_EVERY}
    from before, scim_targets t
    where s.realm_id = ${target.realm} and s.target_id = ${target.targetId}::uuid and s.lease_id = ${target.leaseId}::uuid
      and t.realm_id = s.realm_id and t.target_id = s.target_id and t.version = ${target.version}
    returning before.was`.execute(tx);
  return rows.length > 0 && rows[0]!.was === null;
}

export async function resumeTarget(db: Db, target: HeldTarget): Promise<void> {
  await sql`update scim_target_states set suspended_at = null, suspended_reason = null where ${held(target)}`.execute(db);
}

/** Requests a full sync from its beginning. */
export async function requestSync(tx: Tx, { realm, targetId }: TargetKey, resends: boolean, now: number): Promise<void> {
  await sql`update scim_target_states set sync_requested_at = ${now}, walk_phase = null, walk_after = null, resends = ${resends},
      paused_until = case when suspended_at is null then paused_until else 0 end
    where realm_id = ${realm} and target_id = ${targetId}::uuid`.execute(tx);
}

export interface Walk {
  readonly phase: WalkPhase | null;
  readonly after: string | null;
  readonly requestedAt: number | null;
  readonly resends: boolean;
}

/** Returns a full sync that waits, runs or is due, or null if there is none. */
export async function readWalk(db: Db, target: HeldTarget, now: number): Promise<Walk | null> {
  const { rows } = await sql<Walk & { due: boolean }>`
    select s.walk_phase as phase, s.walk_after as after, s.sync_requested_at as "requestedAt", s.resends,
      ${isFed} and (s.sync_requested_at is not null or coalesce(s.last_sync_at, 0) + ${target.settings.fullSyncHours * HOUR} <= ${now}) as due
    from scim_target_states s
    where s.realm_id = ${target.realm} and s.target_id = ${target.targetId}::uuid and s.lease_id = ${target.leaseId}::uuid`.execute(db);
  return rows[0]?.due ? rows[0] : null;
}

/** Stores the position of a full sync; a null phase means that it is done. A sync that was requested anew in the meantime is not done. */
export async function moveWalk(
  tx: Tx,
  target: HeldTarget,
  walk: Walk,
  to: { readonly phase: WalkPhase | null; readonly after: string | null },
  now: number,
): Promise<void> {
  const end = to.phase === null ? sql`, sync_requested_at = null, resends = false, last_sync_at = ${now}` : sql``;
  await sql`update scim_target_states set walk_phase = ${to.phase}, walk_after = ${to.after}::uuid ${end}
    where ${held(target)} and sync_requested_at is not distinct from ${walk.requestedAt}::bigint`.execute(tx);
}

/** Stores since when objects wait for a confirmation; null if none does. */
export async function noteHeld(tx: Tx, { realm, targetId }: TargetKey, at: number | null): Promise<void> {
  await sql`update scim_target_states set held_at = ${at}::bigint where realm_id = ${realm} and target_id = ${targetId}::uuid`.execute(tx);
}

/** Stores whether objects have failed, so that the status can be shown without counting. */
export async function noteFailing(db: Db, { realm, targetId }: TargetKey): Promise<void> {
  await sql`
    with now as (select exists (select 1 from scim_objects where realm_id = ${realm} and target_id = ${targetId}::uuid and state in ('FAILED', 'DEAD')) as failing)
    update scim_target_states s set failing = now.failing from now
    where s.realm_id = ${realm} and s.target_id = ${targetId}::uuid and s.failing <> now.failing`.execute(db);
}

/** Requests a full sync of the targets that depend on groups, because a moved group changes its path and takes its members along. */
export async function requestSyncsOfScopes(tx: Tx, realms: readonly string[], now: number): Promise<void> {
  if (realms.length === 0) return;
  await sql`update scim_target_states s set sync_requested_at = ${now}, walk_phase = null, walk_after = null
    from scim_targets t
    where s.realm_id = any(${[...realms]}::text[]) and t.realm_id = s.realm_id and t.target_id = s.target_id
      and (t.config->'users'->>'scope' = 'groups' or t.config->'groups'->>'mode' <> 'none')`.execute(tx);
}
