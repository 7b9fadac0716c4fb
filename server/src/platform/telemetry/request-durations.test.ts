import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRequestDurations } from "./request-durations.ts";

const observed: [method: string, route: string, status: number, seconds: number][] = [
  ["GET", "/realms/:realm/jwks", 200, 0.001],
  ["GET", "/realms/:realm/jwks", 200, 0.002],
  ["GET", "/realms/:realm/jwks", 200, 0.3],
  ["GET", "/realms/:realm/jwks", 404, 7],
  ["POST", "/realms/:realm/token", 200, 0.004],
  ["POST", '/a "quoted" route', 500, 5],
];

test("says the same as a histogram of the library", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = createRequestDurations(ours);
  const histogram = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer, by route and status",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [theirs],
  });
  for (const [method, route, status, seconds] of observed) {
    durations.observe(method, route, status, seconds);
    histogram.observe({ method, route, status }, seconds);
  }
  const lines = async (registry: Registry) => (await registry.metrics()).trim().split("\n");
  expect(await lines(ours)).toEqual(await lines(theirs));
  expect((await ours.getMetricsAsJSON())[0]).toMatchObject({ name: "http_request_duration_seconds", type: "histogram" });
});
