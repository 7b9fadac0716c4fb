import type { Metric, Registry } from "prom-client";

export interface RequestDurations {
  observe(method: string, route: string, status: number, seconds: number): void;
}

const NAME = "http_request_duration_seconds";
const HELP = "Time to answer, by route and status";
/** Upper bounds in seconds. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  /** One for each bound, and one for what took longer. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram like any other to Prometheus. Counting is done here, because the library's own checks, copies and joins the labels of every
 * observation, which costs as much as routing a request does; it is told when somebody asks.
 */
export function createRequestDurations(registry: Registry): RequestDurations {
  const routes = new Map<string, Map<string, Map<number, Series>>>();

  const seriesOf = (method: string, route: string, status: number): Series => {
    const methods = routes.get(route) ?? new Map<string, Map<number, Series>>();
    routes.set(route, methods);
    const statuses = methods.get(method) ?? new Map<number, Series>();
    methods.set(method, statuses);
    const series: Series = { labels: { method, route, status }, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
    statuses.set(status, series);
    return series;
  };

  const histogram = {
    name: NAME,
    get: async () => ({ name: NAME, help: HELP, type: "histogram", aggregator: "sum", values: [...allSeries(routes)].flatMap(valuesOf) }),
    reset: () => routes.clear(),
  };
  registry.registerMetric(histogram as unknown as Metric);

  return {
    observe(method, route, status, seconds) {
      const series = routes.get(route)?.get(method)?.get(status) ?? seriesOf(method, route, status);
      let at = 0;
      while (at < BOUNDS.length && seconds > BOUNDS[at]!) at++;
      series.counts[at]!++;
      series.sum += seconds;
    },
  };
}

function* allSeries(routes: Map<string, Map<string, Map<number, Series>>>): Generator<Series> {
  for (const methods of routes.values()) for (const statuses of methods.values()) yield* statuses.values();
}

/** Each bucket holds what the smaller ones do. */
function valuesOf({ labels, counts, sum }: Series) {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[at] ?? "+Inf", ...labels }, value: total };
  });
  return [...buckets, { metricName: `${NAME}_sum`, labels, value: sum }, { metricName: `${NAME}_count`, labels, value: total }];
}
