import type { Locale } from "../../../pages/index.ts";

const STEPS = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
] as const;

/** Near times in words, for which no time zone is needed; others as a date. */
export function timeWords(locale: Locale, at: number, now: number): string {
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

/** A sentence with `{time}` in it. */
export function Timed({ locale, at, now, template }: TimeProps & { readonly template: string }) {
  const [before, after] = template.split("{time}");
  return (
    <span>
      {before}
      <time dateTime={new Date(at).toISOString()} title={exact(locale, at)}>
        {timeWords(locale, at, now)}
      </time>
      {after}
    </span>
  );
}
