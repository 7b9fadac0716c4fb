import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Db, inTransaction } from "../../platform/db/index.ts";
import { lockCursor, moveCursor, type Position, readStream } from "../audit/index.ts";
import { insertDeliveries, type NewDelivery } from "./deliveries.store.ts";
import { subscriptionTo } from "./event-types.ts";
import { contains, moveIntervalsToThisCluster, shareIntervals } from "./intervals.store.ts";

/** The number of events at a time, and of rows per statement. */
const EVENTS = 500;
const ROWS = 5_000;

export interface FannedOut {
  /** True if there may be more events to read. */
  readonly more: boolean;
  readonly deliveries: number;
  readonly position: Position | null;
}

const nothing = (position: Position | null): FannedOut => ({ more: false, deliveries: 0, position });

/**
 * Creates the deliveries of the next events, for webhooks that were subscribed when the events happened, and moves the cursor. Both happen in one transaction,
 * so a crash loses or repeats neither. `known` is the position at which this node last saw the cursor: if no event follows it, no lock is taken.
 */
export async function fanOut(db: Db, known: Position | null): Promise<FannedOut> {
  if (known && (await readStream(db, known, 1)).length === 0) return nothing(known);
  return inTransaction(db, async (tx) => {
    const from = await lockCursor(tx, "webhooks");
    // Another node is at work.
    if (!from) return nothing(known);
    const events = await readStream(tx, from, EVENTS);
    const last = events.at(-1);
    if (!last) return nothing(from);
    await moveIntervalsToThisCluster(tx);
    const intervals = await shareIntervals(tx, [...new Set(events.map(({ event }) => event.realm))], events[0]!.position.xid);
    const subscriptions = intervals.map((interval) => ({ interval, takes: subscriptionTo(interval.event_types) }));
    const deliveries = events.flatMap(({ event, position }) =>
      subscriptions
        .filter(({ interval, takes }) => interval.realm_id === event.realm && contains(interval, position.xid) && takes(event))
        .map(
          ({ interval }): NewDelivery => ({
            ...{ realm: event.realm, webhook: interval.webhook_id, id: newId() },
            ...{ event: event.id, ts: event.ts, type: event.type },
          }),
        ),
    );
    const now = clock.now();
    for (let at = 0; at < deliveries.length; at += ROWS) await insertDeliveries(tx, deliveries.slice(at, at + ROWS), now);
    await moveCursor(tx, "webhooks", last.position, now);
    return { more: events.length === EVENTS, deliveries: deliveries.length, position: last.position };
  });
}
