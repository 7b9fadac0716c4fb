import type { ReadCtx } from "../../platform/context.ts";
import { instant } from "../../platform/http/index.ts";
import { refuseTooDeep } from "../../platform/paging/index.ts";
import type { EventPage, EventQuery } from "./schema.ts";
import { listEvents } from "./store.ts";

/** One page of the realm's trail. */
export async function searchEvents(ctx: ReadCtx, query: EventQuery): Promise<EventPage & { estimated: boolean }> {
  const { page = 0, size = 50, from, to, ...filter } = query;
  refuseTooDeep(page, size, "Narrow the search by `to` to read further back: pages beyond 10,000 events are not served");
  const range = { from: instant("from", from), to: instant("to", to) };
  return { ...(await listEvents(ctx.tx, ctx.realm, { ...filter, ...range }, page, size)), page, size };
}
