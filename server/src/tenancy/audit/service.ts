import { invalidFields } from "../../kernel/errors.ts";
import { didYouMean } from "../../kernel/suggest.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { instant, refuseTooDeep } from "../../platform/paging/index.ts";
import { eventTypes, splitNames } from "./catalogue.ts";
import type { EventPage, EventQuery } from "./schema.ts";
import { listEvents } from "./store.ts";

/** Returns the event types to search for; undefined means all. An unknown type is refused: it would find nothing, as if nothing had happened. */
export function typesOf(type: EventQuery["type"]): readonly string[] | undefined {
  if (type === undefined) return undefined;
  const types = splitNames([type].flat().join(","));
  const unknown = types.filter((name) => !eventTypes.includes(name));
  const message = (name: string) => `type: there is no event type ${JSON.stringify(name)}.${didYouMean(name, eventTypes)}`;
  if (unknown.length > 0) throw invalidFields(unknown.map((name) => ({ field: "type", code: "enum", message: message(name) })));
  return types.length === 0 ? undefined : types;
}

/** Returns one page of the realm's trail. */
export async function searchEvents(ctx: ReadCtx, query: EventQuery): Promise<EventPage & { estimated: boolean }> {
  const { page = 0, size = 50, from, to, type, ...filter } = query;
  refuseTooDeep(page, size, "Narrow the search by `to` to read further back: pages beyond 10,000 events are not served");
  const range = { from: instant("from", from), to: instant("to", to) };
  return { ...(await listEvents(ctx.tx, ctx.realm, { ...filter, ...range, types: typesOf(type) }, page, size)), page, size };
}
