import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Db, inTransaction } from "../../platform/db/index.ts";
import { lockCursor, moveCursor, type Position, readStream } from "../audit/index.ts";
import { insertDeliveries, type NewDelivery } from "./deliveries.store.ts";
import { subscriptionTo } from "./event-types.ts";
import { contains, moveIntervalsToThisCluster, shareIntervals } from "./intervals.store.ts";

/** Events at a time, and rows per statement. */
const EVENTS = 500;
const ROWS = 5_000;

export interface FannedOut {
  /** True when there may be more behind what was read. */
  readonly more: boolean;
  readonly deliveries: number;
  readonly position: Position | null;
}

const nothing = (position: Position | null): FannedOut => ({ more: false, deliveries: 0, position });

/**
 * Makes the deliveries of the next events, to those who were subscribed when they happened, and moves the cursor, in one transaction: after a crash neither is there, or both.
 * `known` is where this node last saw the cursor: as long as nothing follows that, no lock is taken.
 */
export async function fanOut(db: Db, known: Position | null): Promise<FannedOut> {
  if (known && (await readStream(db, known, 1)).length === 0) return nothing(known);
  return inTransaction(db, async (tx) => {
    const from = await lockCursor(tx, "webhooks");
    // Another node is doing it.
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
