import { type Verdict, verdictOf } from "./verdict.ts";

/** The form `yyyy-MM-dd HH:mm:ss` of a time in the policy's zone. */
export const WALL_TIME = "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]) ([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$";

export const timeRanges = ["dayMonth", "month", "year", "hour", "minute"] as const;
type Range = (typeof timeRanges)[number];

export type TimeConfig = { readonly timeZone?: string; readonly notBefore?: string; readonly notOnOrAfter?: string } & {
  readonly [R in Range | `${Range}End`]?: number;
};

const zones = new Map<string, Intl.DateTimeFormat>();
/** Returns the format of a zone. Throws for an unknown zone. */
export function zoneOf(timeZone: string): Intl.DateTimeFormat {
  const known = zones.get(timeZone);
  if (known) return known;
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", calendar: "gregory", numberingSystem: "latn", ...parts });
  zones.set(timeZone, format);
  return format;
}

/** Decides a time policy by the server's clock only. No data of the request counts. */
export function timeVerdict(config: TimeConfig, now: number): Verdict {
  const part = Object.fromEntries(
    zoneOf(config.timeZone ?? "UTC")
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const wall = `${part.year?.padStart(4, "0")}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}`;
  if (config.notBefore !== undefined && wall < config.notBefore) return "DENY";
  if (config.notOnOrAfter !== undefined && wall >= config.notOnOrAfter) return "DENY";
  const present: Record<Range, number> = {
    dayMonth: Number(part.day),
    month: Number(part.month),
    year: Number(part.year),
    hour: Number(part.hour),
    minute: Number(part.minute),
  };
  return verdictOf(timeRanges.every((range) => isWithin(present[range], config[range], config[`${range}End`])));
}

/**
 * Tells whether the value is in the range, including both ends. A range whose end is before its start continues over the end of the day,
 * month or year: 22 to 6 is the night.
 */
function isWithin(value: number, from: number | undefined, to: number = from ?? 0): boolean {
  if (from === undefined) return true;
  return from <= to ? value >= from && value <= to : value >= from || value <= to;
}
