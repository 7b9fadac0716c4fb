import type { Locale } from "./messages.ts";

const STEPS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
] as const;

/** Writes a near time in words, for which no time zone is needed, and others as a date. */
function timeWords(locale: Locale, at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size >= 30 * 86_400_000) return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  if (size < 60_000) return relative.format(0, "second");
  const [unit, length] = STEPS.findLast(([, step]) => size >= step)!;
  return relative.format(Math.trunc(distance / length), unit);
}

/** Writes the exact time, which is shown as a tooltip. Without a script the time zone of the browser is unknown. */
const exact = (locale: Locale, at: number): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(at)} UTC`;

interface TimeProps {
  readonly locale: Locale;
  readonly at: number;
  readonly now: number;
}

/** A time, and the present time from which it is seen. */
export type Moment = Pick<TimeProps, "at" | "now">;

/** A time in words. A script adds the exact time in the time zone of the browser. */
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
