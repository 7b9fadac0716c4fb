import { useLanguage } from "../i18n/index.ts";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["minute", 60],
  ["hour", 3_600],
  ["day", 86_400],
];

/** Shows a time in words, with the exact one as its title. */
export function When({ time }: { time: string | number | null | undefined }) {
  const language = useLanguage();
  if (time === null || time === undefined) return <>–</>;
  const date = new Date(time);
  const exact = date.toLocaleString(language);
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, length] = UNITS.findLast(([, least]) => Math.abs(seconds) >= least) ?? ["minute", 60];
  const words =
    Math.abs(seconds) > 7 * 86_400
      ? date.toLocaleDateString(language)
      : new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.round(seconds / length), unit);
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {words}
    </time>
  );
}
