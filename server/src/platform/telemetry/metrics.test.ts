import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("nodes of one process share the metrics that observe it, and no others", () => {
  const [one, other] = [createMetrics().registry, createMetrics().registry];
  const shared = one.getMetricsAsArray().filter(({ name }) => one.getSingleMetric(name) === other.getSingleMetric(name));
  const names = shared.map(({ name }) => name);
  expect(names).toContain("nodejs_gc_duration_seconds");
  expect(names.filter((name) => !/^(nodejs|process)_/.test(name))).toEqual([]);
});
