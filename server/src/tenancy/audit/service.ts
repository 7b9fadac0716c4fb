import { invalidFields } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { refuseTooDeep } from "../../platform/http/index.ts";
import type { EventPage, EventQuery } from "./schema.ts";
import { listEvents } from "./store.ts";

/** One page of the realm's trail. */
export async function searchEvents(ctx: ReadCtx, query: EventQuery): Promise<EventPage & { estimated: boolean }> {
  const { page = 0, size = 50, from, to, ...filter } = query;
  refuseTooDeep(page, size, "Narrow the search by `to` to read further back: pages beyond 10,000 events are not served");
  const range = { from: instant("from", from), to: instant("to", to) };
  return { ...(await listEvents(ctx.tx, ctx.realm, { ...filter, ...range }, page, size)), page, size };
}

/** A date, or a date with a time, which is UTC unless it says otherwise. An unescaped `+` arrives as a space. */
const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}:\d{2})?)?$/;

function instant(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : parseIso(text);
  if (Number.isNaN(value)) {
    const message = `${field} must be an ISO 8601 time, such as 2030-01-31T12:00:00Z, or epoch milliseconds`;
    throw invalidFields([{ field, code: "format", message }]);
  }
  return value;
}

function parseIso(text: string): number {
  const [, date, time = "00:00", offset = "Z"] = ISO_8601.exec(text) ?? [];
  // `Date.parse` takes 30 February for 1 March; we do not.
  return date !== undefined && isCalendarDay(date) ? Date.parse(`${date}T${time}${offset.replace(" ", "+")}`) : Number.NaN;
}

const isCalendarDay = (date: string) => {
  const parsed = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
};
