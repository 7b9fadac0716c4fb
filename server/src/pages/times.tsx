import type { Locale } from "./messages.ts";

const STEPS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
] as const;

/** Near times in words, for which no time zone is needed; others as a date. */
function timeWords(locale: Locale, at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size >= 30 * 86_400_000) return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  if (size < 60_000) return relative.format(0, "second");
  const [unit, length] = STEPS.findLast(([, step]) => size >= step)!;
  return relative.format(Math.trunc(distance / length), unit);
}

/** The whole time, for those who look closer. Without a script nothing knows the zone of the browser. */
const exact = (locale: Locale, at: number): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(at)} UTC`;

interface TimeProps {
  readonly locale: Locale;
  readonly at: number;
  readonly now: number;
}

/** A time, as seen from now. */
export type Moment = Pick<TimeProps, "at" | "now">;

/** In words. A script puts the exact time into the zone of the browser. */
export const Time = ({ locale, at, now }: TimeProps) => (
  <time dateTime={new Date(at).toISOString()} title={exact(locale, at)}>
    {timeWords(locale, at, now)}
  </time>
);

/** A sentence with `{time}` in it. */
export function Timed({ template, ...time }: TimeProps & { readonly template: string }) {
  const [before, after] = template.split("{time}");
  return (
    <span>
      {before}
      <Time {...time} />
      {after}
    </span>
  );
}
