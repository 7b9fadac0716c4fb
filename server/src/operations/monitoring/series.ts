import { DAY, HOUR } from "../../kernel/clock.ts";
import { invalidFields } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { instant } from "../../platform/paging/index.ts";
import { hourOf, KEEP_HOURS } from "../../platform/telemetry/metrics.ts";
import { figuresOf } from "./figures.ts";
import type { Window } from "./schema.ts";
import type { MetricsSeries, SeriesQuery, steps } from "./series.schema.ts";
import { type StepSum, sumSteps } from "./series.store.ts";

const LENGTHS: Readonly<Record<(typeof steps)[number], number>> = { "1h": HOUR, "3h": 3 * HOUR, "6h": 6 * HOUR, "1d": DAY };
/** More than the hours of eight days. */
const MAX_POINTS = 200;

/** Returns the realm's activity, point by point. */
export async function readSeries(ctx: ReadCtx, query: SeriesQuery): Promise<MetricsSeries> {
  const { step = "1h" } = query;
  const length = LENGTHS[step];
  const until = instant("to", query.to) ?? ctx.now;
  const since = instant("from", query.from) ?? until - DAY;
  if (since >= until) throw invalidFields([{ field: "from", code: "range", message: "from must be before to" }]);
  const from = since - (since % length);
  const to = until + ((length - (until % length)) % length);
  const count = (to - from) / length;
  if (count > MAX_POINTS) {
    const message = `from, to and step ask for ${count} points; at most ${MAX_POINTS} are answered`;
    throw invalidFields([{ field: "from", code: "range", message }]);
  }
  const sums = await sumSteps(ctx.tx, ctx.realm, from, to, length);
  const starts = Array.from({ length: count }, (_, at) => from + at * length);
  return {
    ...{ from: spell(from), to: spell(to), step, keptFrom: spell(hourOf(ctx.now - KEEP_HOURS)) },
    points: starts.map((start) => ({ at: spell(start), ...pointOf(sums.filter((sum) => sum.start === start)) })),
  };
}

const spell = (time: number): string => new Date(time).toISOString();

const pointOf = (sums: readonly StepSum[]): Window =>
  figuresOf((metric, outcome) => sums.find((sum) => sum.metric === metric && sum.outcome === outcome)?.count ?? 0);
