import { Group, Stack, Text } from "@mantine/core";
import { useId, useState } from "react";
import { useLanguage, useText } from "../i18n/index.ts";

export interface Series {
  readonly title: string;
  /** A colour of the theme: `--plot-…` in console.css. */
  readonly color: "good" | "bad" | "main";
  readonly values: readonly number[];
}

export interface PlotProps {
  readonly title: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
}

const WIDTH = 600;
const HEIGHT = 140;

/** Shows stacked bars over time. Screen readers get the totals, and a pointer shows the figures of a bar. */
export function Plot({ title, times, series }: PlotProps) {
  const t = useText();
  const language = useLanguage();
  const id = useId();
  const [over, setOver] = useState<number | null>(null);
  const sums = times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const most = Math.max(0, ...sums);
  const highest = Math.max(1, most);
  const slot = WIDTH / Math.max(1, times.length);
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const spans = series.map(({ title: name, values }) => `${t(name)}: ${total(values).toLocaleString(language)}`);
  const when = (time: string) => new Date(time).toLocaleString(language, { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text fw={600} id={id}>
          {title}
        </Text>
        <Group gap="sm">
          {series.map(({ title: name, color, values }) => (
            <Text key={name} size="xs" className="legend">
              <span className={`swatch plot-${color}`} aria-hidden />
              {t(name)}: {(over === null ? total(values) : (values[over] ?? 0)).toLocaleString(language)}
            </Text>
          ))}
        </Group>
      </Group>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="plot"
        role="img"
        aria-label={`${title}. ${spans.join(", ")}`}
        preserveAspectRatio="none"
        onPointerLeave={() => setOver(null)}
      >
        {[0.25, 0.5, 0.75, 1].map((part) => (
          <line key={part} x1={0} x2={WIDTH} y1={HEIGHT * (1 - part) + 0.5} y2={HEIGHT * (1 - part) + 0.5} className="plot-grid" />
        ))}
        {times.map((time, at) => {
          let top = HEIGHT;
          return (
            <g key={time} onPointerEnter={() => setOver(at)} className={over === at ? "plot-over" : undefined}>
              <rect x={at * slot} y={0} width={slot} height={HEIGHT} fill="transparent" />
              {series.map(({ title: name, color, values }) => {
                const height = ((values[at] ?? 0) / highest) * (HEIGHT - 4);
                top -= height;
                return (
                  <rect key={name} x={at * slot + slot * 0.12} y={top} width={slot * 0.76} height={height} className={`plot-${color}`} />
                );
              })}
            </g>
          );
        })}
      </svg>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {times[0] && when(times[0])}
        </Text>
        <Text size="xs" c="dimmed">
          {over !== null ? when(times[over]!) : t("most in one bar: {count}", { count: most.toLocaleString(language) })}
        </Text>
        <Text size="xs" c="dimmed">
          {times.at(-1) && when(times.at(-1)!)}
        </Text>
      </Group>
    </Stack>
  );
}
