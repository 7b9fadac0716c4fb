import { Counter, Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { createRealmSeries } from "./realm-series.ts";

afterEach(() => clock.reset());

function counted(maxRealms?: number) {
  const counter = new Counter({ name: "svc_test_total", help: "x", labelNames: ["realm", "outcome"], registers: [new Registry()] });
  const series = createRealmSeries(maxRealms);
  const count = (realm: string, outcome = "success") => {
    series.use(counter, { realm, outcome });
    counter.inc({ realm, outcome });
  };
  const shown = async () => (await counter.get()).values.map(({ labels, value }) => `${labels.realm} ${labels.outcome} ${value}`);
  return { series, count, shown };
}

test("only the realms used most recently have series", async () => {
  const { count, shown } = counted(2);
  for (const realm of ["a", "b", "a", "c"]) count(realm);
  expect(await shown()).toEqual(["a success 2", "c success 1"]);
  count("b");
  expect(await shown()).toEqual(["c success 1", "b success 1"]);
});

test("a realm that has been idle for a day loses all of its series", async () => {
  const { series, count, shown } = counted();
  count("a");
  count("a", "failure");
  clock.advance(23 * HOUR);
  count("b");
  series.dropIdle();
  expect(await shown()).toHaveLength(3);
  clock.advance(HOUR);
  series.dropIdle();
  expect(await shown()).toEqual(["b success 1"]);
  clock.advance(DAY);
  series.dropIdle();
  expect(await shown()).toEqual([]);
});
