import Type from "typebox";
import { invalidFields } from "../../kernel/errors.ts";

/** Declares a point in time in a query, which `instant` reads. */
export const Instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description}, as ISO 8601 or epoch milliseconds` }));

/** A date, or a date with a time, which is in UTC unless it names an offset. An unescaped `+` arrives as a space. */
const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}:\d{2})?)?$/;

/** Returns the time in epoch milliseconds. */
export function instant(field: string, text: string | undefined): number | undefined {
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
  // `Date.parse` would read 30 February as 1 March, so the day is checked.
  return date !== undefined && isCalendarDay(date) ? Date.parse(`${date}T${time}${offset.replace(" ", "+")}`) : Number.NaN;
}

const isCalendarDay = (date: string) => {
  const parsed = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
};
