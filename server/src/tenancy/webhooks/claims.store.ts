import { sql } from "kysely";
import { clock } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { type EventRow, eventColumns } from "../audit/index.ts";
import type { DeliveryStatus } from "./schema.ts";
import type { SealedSecrets } from "./store.ts";

/** A delivery that a node holds in order to send it. The claim is identified by the end of its lease (see `storeOutcomes`). */
export interface Claim extends SealedSecrets {
  readonly realm_id: string;
  readonly webhook_id: string;
  readonly delivery_id: string;
  readonly attempts: number;
  readonly locked_until: number;
  readonly url: string;
  readonly event_id: string;
  readonly event_type: string;
  /** Null if retention has deleted the event. */
  readonly event: EventRow | null;
}

/**
 * Returns the webhooks with due deliveries, in order of their ids, beginning after `after`. The query takes one step in the index for each webhook with waiting
 * deliveries, however many these are. Disabled webhooks are included: whether an event is delivered was decided when it happened.
 */
export async function dueWebhooks(db: Db, after: string, limit: number, now: number): Promise<string[]> {
  const { rows } = await sql<{ webhook_id: string }>`
    with recursive first as (
      (select realm_id, webhook_id, next_at from webhook_deliveries
        where status = 'PENDING' and webhook_id > ${after}::text::uuid order by webhook_id, next_at limit 1)
      union all
      select n.realm_id, n.webhook_id, n.next_at from first f cross join lateral (
        select d.realm_id, d.webhook_id, d.next_at from webhook_deliveries d
        where d.status = 'PENDING' and d.webhook_id > f.webhook_id order by d.webhook_id, d.next_at limit 1) n
    )
    select f.webhook_id from first f
    where f.next_at <= ${now}
      and exists (select 1 from realms r where r.realm_id = f.realm_id and r.deleted_at is null)
    limit ${limit}`.execute(db);
  return rows.map(({ webhook_id }) => webhook_id);
}

/** Tells whether a delivery waits for an attempt, now or later. */
export async function hasPending(db: Db): Promise<boolean> {
  const row = await db.selectFrom("webhook_deliveries").select("webhook_id").where("status", "=", "PENDING").limit(1).executeTakeFirst();
  return row !== undefined;
}

export interface Want {
  readonly webhook: string;
  readonly places: number;
}

/**
 * Takes up to `places` due deliveries of each webhook for the length of the lease. Two nodes never take the same delivery. Rows are passed on by their place
 * (`ctid`) and looked up one by one, so that a plan which was made for a small table does not read all of a large one.
 */
export async function claimDeliveries(db: Db, wants: readonly Want[], now: number, leaseMs: number): Promise<Claim[]> {
  const event = sql.join(eventColumns.map((column) => sql.ref(`a.${column}`)));
  const { rows } = await sql<Claim>`
    with due as materialized (
      select d.at from json_to_recordset(${JSON.stringify(wants)}::text::json) as w (webhook uuid, places int)
      cross join lateral (
        select x.ctid as at from webhook_deliveries x
        where x.status = 'PENDING' and x.webhook_id = w.webhook and x.next_at <= ${now} and x.locked_until <= ${clock.shared()}
        order by x.next_at, x.delivery_id limit w.places for update skip locked) d
    ), claimed as (
      update webhook_deliveries c set locked_until = ${clock.shared() + leaseMs}
      where c.ctid = any (array(select at from due)) and c.status = 'PENDING' and c.locked_until <= ${clock.shared()}
      returning c.realm_id, c.webhook_id, c.delivery_id, c.attempts, c.locked_until, c.event_id, c.event_ts, c.event_type
    )
    select c.realm_id, c.webhook_id, c.delivery_id, c.attempts, c.locked_until, c.event_id, c.event_type,
      w.url, w.secret, w.previous_secret, w.previous_until, to_json(e) as event
    from claimed c
    cross join lateral (
      select h.url, h.secret, h.previous_secret, h.previous_until from webhooks h
      where h.realm_id = c.realm_id and h.webhook_id = c.webhook_id limit 1) w
    left join lateral (
      select ${event} from audit_events a
      where a.realm_id = c.realm_id and a.ts = c.event_ts and a.event_id = c.event_id limit 1) e on true`.execute(db);
  return rows;
}

/** The outcome of an attempt, and the delivery's next state. */
export interface Outcome {
  readonly claim: Claim;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAt: number;
  readonly endedAt: number | null;
  readonly answerStatus: number | null;
  readonly answer: string | null;
  readonly error: string | null;
  readonly latencyMs: number;
}

const keyOf = ({ realm_id, webhook_id, delivery_id, locked_until }: Claim) => ({
  realm: realm_id,
  webhook: webhook_id,
  id: delivery_id,
  claim: locked_until,
});

/** The places of the rows that the claims in `held` still hold. */
const heldRows = sql`
  select y.at from held k cross join lateral (
    select x.ctid as at from webhook_deliveries x
    where x.realm_id = k.realm and x.webhook_id = k.webhook and x.delivery_id = k.id
      and x.locked_until = k.claim and x.status = 'PENDING' limit 1) y`;

/**
 * Stores the outcomes of claims that still hold, and returns their delivery ids. A sender whose lease has expired must not overwrite the outcome of the sender
 * that took over.
 */
export async function storeOutcomes(tx: Tx, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const records = outcomes.map(({ claim, ...outcome }) => ({ ...keyOf(claim), ...outcome }));
  const { rows } = await sql<{ delivery_id: string }>`
    with held as materialized (
      select * from json_to_recordset(${JSON.stringify(records)}::text::json)
        as h (realm text, webhook uuid, id uuid, claim bigint, status text, attempts int, "nextAt" bigint, "endedAt" bigint,
          "answerStatus" int, answer text, error text, "latencyMs" int)
    )
    update webhook_deliveries d
    set status = h.status, attempts = h.attempts, next_at = h."nextAt", locked_until = 0, ended_at = h."endedAt",
      answer_status = h."answerStatus", answer = h.answer, error = h.error, latency_ms = h."latencyMs"
    from held h
    where d.ctid = any (array(${heldRows})) and d.delivery_id = h.id and d.locked_until = h.claim and d.status = 'PENDING'
    returning d.delivery_id`.execute(tx);
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/** Releases all claims after an unclean stop of the embedded database, which no other process has open. */
export async function releaseAllClaims(db: Db): Promise<void> {
  await sql`update webhook_deliveries set locked_until = 0 where status = 'PENDING' and locked_until > 0`.execute(db);
}

/** Releases deliveries that were taken and not sent, so that another node need not wait for the lease to end. */
export async function releaseClaims(db: Db, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await sql`
    with held as materialized (
      select * from json_to_recordset(${JSON.stringify(claims.map(keyOf))}::text::json)
        as h (realm text, webhook uuid, id uuid, claim bigint)
    )
    update webhook_deliveries d set locked_until = 0 from held h
    where d.ctid = any (array(${heldRows})) and d.delivery_id = h.id and d.locked_until = h.claim and d.status = 'PENDING'`.execute(db);
}
