import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import { foreign } from "../audit/index.ts";

/** An interval in which a subscription was enabled for these events. It begins with one transaction, and ends before another. */
export interface Interval {
  readonly realm_id: string;
  readonly webhook_id: string;
  readonly event_types: string;
  readonly from: string;
  readonly until: string | null;
}

/**
 * Tells whether an event belongs to an interval. Transaction ids ascend: a transaction that committed before another one began has the lower id. So an event
 * before a change never counts as after it, nor the reverse. For an event that overlaps with the change, the id decides, always in the same way.
 */
export const contains = ({ from, until }: Interval, xid: string): boolean =>
  BigInt(from) <= BigInt(xid) && (until === null || BigInt(xid) < BigInt(until));

/**
 * Returns the intervals of these realms that end after a transaction. They include every change that matters to a settled event: the stream ends before the
 * oldest open transaction, and a change after the event does not affect the result. The subscriptions are locked against deletion until commit, because
 * deliveries refer to their webhooks.
 */
export async function shareIntervals(tx: Tx, realms: readonly string[], after: string): Promise<Interval[]> {
  const { rows } = await sql<Interval>`
    select i.realm_id, i.webhook_id, i.event_types, i.from_xid::text as "from", i.until_xid::text as until
    from webhooks w join webhook_intervals i on i.realm_id = w.realm_id and i.webhook_id = w.webhook_id
    where w.realm_id = any(${[...realms]}::text[]) and (i.until_xid is null or i.until_xid > ${after}::text::xid8)
      and exists (select 1 from realms r where r.realm_id = w.realm_id and r.deleted_at is null)
    for key share of w`.execute(tx);
  return rows;
}

/**
 * Adapts the intervals after a restore into another cluster, whose transactions begin with low numbers again. Subscriptions that were enabled in the dump are
 * enabled from the beginning, and intervals that had ended are deleted. It waits until the restored events have been read (see `lockCursor` of the audit
 * stream).
 */
export async function moveIntervalsToThisCluster(tx: Tx): Promise<void> {
  const isDue = sql`exists (select 1 from event_cursors c where c.name = 'webhooks' and not ${foreign(sql.ref("c.xid"))})`;
  await sql`delete from webhook_intervals where ${foreign(sql.ref("until_xid"))} and ${isDue}`.execute(tx);
  await sql`update webhook_intervals set from_xid = '0' where ${foreign(sql.ref("from_xid"))} and ${isDue}`.execute(tx);
}

/** Deletes intervals to which no event that is still to be fanned out belongs. */
export async function deletePassedIntervals(db: Db): Promise<void> {
  await sql`
    delete from webhook_intervals where until_xid <= (
      select c.xid from event_cursors c where c.name = 'webhooks' and not ${foreign(sql.ref("c.xid"))})`.execute(db);
}
