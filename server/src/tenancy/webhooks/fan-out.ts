import { clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Db, inTransaction } from "../../platform/db/index.ts";
import { lockCursor, moveCursor, type Position, readStream } from "../audit/index.ts";
import { insertDeliveries, type NewDelivery } from "./deliveries.store.ts";
import { subscriptionTo } from "./event-types.ts";
import { shareSubscriptions } from "./store.ts";

/** Events at a time, and rows per statement. */
const EVENTS = 500;
const ROWS = 5_000;

export interface FannedOut {
  /** Whether there may be more behind what was read. */
  readonly more: boolean;
  readonly deliveries: number;
  readonly position: Position | null;
}

const nothing = (position: Position | null): FannedOut => ({ more: false, deliveries: 0, position });

/**
 * Makes the deliveries of the next events and moves the cursor, in one transaction: after a crash neither is there, or both.
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
    const subscriptions = await shareSubscriptions(tx, [...new Set(events.map(({ event }) => event.realm))]);
    const wants = subscriptions.map(({ realm_id, webhook_id, event_types }) => ({
      realm: realm_id,
      webhook: webhook_id,
      takes: subscriptionTo(event_types),
    }));
    const deliveries = events.flatMap(({ event }) =>
      wants
        .filter(({ realm, takes }) => realm === event.realm && takes(event))
        .map(({ realm, webhook }): NewDelivery => ({ realm, webhook, id: newId(), event: event.id, ts: event.ts, type: event.type })),
    );
    const now = clock.now();
    for (let at = 0; at < deliveries.length; at += ROWS) await insertDeliveries(tx, deliveries.slice(at, at + ROWS), now);
    await moveCursor(tx, "webhooks", last.position, now);
    return { more: events.length === EVENTS, deliveries: deliveries.length, position: last.position };
  });
}
