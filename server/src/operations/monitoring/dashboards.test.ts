import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";

// The files for Grafana and Prometheus query only metrics that the server has.
const shipped = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), "utf8");

let iam: Harness;
let known: Set<string>;
let gauges: Set<string>;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_AUDIT_HTTP_URL: "http://127.0.0.1:9/events" });
  const { body } = await iam.server.app.inject("/monitoring/metrics");
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  known = new Set(types.flatMap(([, name = "", kind]) => (kind === "histogram" ? histogram(name) : [name])));
  gauges = new Set(types.flatMap(([, name = "", kind]) => (kind === "gauge" ? [name] : [])));
});
afterAll(() => iam?.close());

const histogram = (name: string) => ["bucket", "count", "sum"].map((part) => `${name}_${part}`);
const metricsOf = (expression: string) => expression.match(/\b(?:svc|http|process|nodejs)_[a-z0-9_]+/g) ?? [];
/** Prometheus takes each fall of a gauge for a counter that starts again, and the rest for an increase. */
const gaugesAsCounters = (expression: string) =>
  [...expression.matchAll(/\b(?:i?rate|increase)\((\w+)/g)].flatMap(([, name = ""]) => (gauges.has(name) ? [name] : []));
/** The embedded database has no pool. */
const isThere = (name: string) => known.has(name) || (testDatabase() === "embedded" && name.startsWith("svc_database_connections"));

test("the dashboard", () => {
  const dashboard = JSON.parse(shipped("grafana/gatehouse.json"));
  const panels: { title: string; targets?: { expr: string }[] }[] = dashboard.panels;
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(25);
  const variables = dashboard.templating.list.flatMap(({ query }: { query: string }) => metricsOf(query));
  expect([...expressions.flatMap(metricsOf), ...variables].filter((name) => !isThere(name))).toEqual([]);
  expect(expressions.flatMap(gaugesAsCounters)).toEqual([]);
  for (const expression of expressions) expect([expression, metricsOf(expression).length > 0]).toEqual([expression, true]);
});

test("the alerts", () => {
  const { groups } = parse(shipped("prometheus/alerts.yaml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(8);
  expect(rules.flatMap(({ expr }) => gaugesAsCounters(expr))).toEqual([]);
  expect(rules.flatMap(({ expr }) => metricsOf(expr)).filter((name) => !isThere(name))).toEqual([]);
});

test("every metric of ours is in the operator's guide", () => {
  const guide = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");
  // The guide shortens those of one family to `…_idle`.
  const answered = (name: string) => guide.includes(`\`${name}\``) || guide.includes(`\`…_${name.split("_").at(-1)}\``);
  const ours = [...known].filter((name) => name.startsWith("svc_")).map((name) => name.replace(/_(bucket|count|sum)$/, ""));
  expect(ours.filter((name) => !answered(name))).toEqual([]);
});
