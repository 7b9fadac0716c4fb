import { MINUTE } from "../../kernel/clock.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { NO_ID } from "../../kernel/ids.ts";
import type { ReadCtx } from "../../platform/context.ts";
import type { EventTail, TailQuery } from "./schema.ts";
import { typesOf } from "./service.ts";
import { toEvent, toEventRecord } from "./store.ts";
import type { Position } from "./stream.store.ts";
import { endOfTrail, scanEvents } from "./tail.store.ts";

/** The time within which a transaction commits its events after they happened. */
const COMMITS_WITHIN = 5 * MINUTE;

/** Returns the realm's events since the last call, oldest first. Without `after` it returns no events, but the cursor to begin with. */
export async function tailEvents(ctx: ReadCtx, { after, type, ...filter }: TailQuery): Promise<EventTail> {
  const types = typesOf(type);
  if (after === undefined) return { items: [], cursor: spell(await endOfTrail(ctx.tx, ctx.now - COMMITS_WITHIN)), more: false };
  const { floorTs, ...position } = positionOf(after);
  const { rows, stoppedAt, settled } = await scanEvents(ctx.tx, ctx.realm, { ...position, floorTs });
  const found = rows.filter(
    (row) =>
      (types === undefined || types.includes(row.type)) &&
      (filter.outcome === undefined || filter.outcome === row.outcome) &&
      (filter.category === undefined || filter.category === row.category) &&
      (filter.actor === undefined || filter.actor === row.actor || filter.actor === row.actor_id) &&
      (filter.resourceType === undefined || filter.resourceType === row.resource_type) &&
      (filter.resourceId === undefined || filter.resourceId === row.resource_id) &&
      (filter.requestId === undefined || filter.requestId.toLowerCase() === row.request_id),
  );
  const next = stoppedAt ?? { xid: settled, eventId: NO_ID };
  return { items: found.map((row) => toEventRecord(toEvent(row))), cursor: spell({ ...next, floorTs }), more: stoppedAt !== null };
}

const spell = ({ xid, eventId, floorTs }: Position): string => Buffer.from(`${xid} ${eventId} ${floorTs}`).toString("base64url");

const POSITION = /^(\d{1,20}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,15})$/;

function positionOf(cursor: string): Position {
  const [, xid, eventId, floorTs] = POSITION.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (xid === undefined || BigInt(xid) >= 2n ** 64n) {
    const message = "after must be the cursor of an earlier answer";
    throw invalidFields([{ field: "after", code: "format", message }]);
  }
  return { xid, eventId: eventId!, floorTs: Number(floorTs) };
}
