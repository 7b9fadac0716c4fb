import { afterEach, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { createOutages } from "./outages.ts";

afterEach(() => clock.reset());

/** A node that polls: `pass` lets time go by without an answer of the database, `heard` brings one. */
function polling() {
  let at = 0;
  const outages = createOutages(() => at);
  const pass = (ms: number) => {
    at += ms;
    clock.advance(ms);
  };
  return { ...outages, pass };
}

test("writes around an outage are answerable once the database is back", () => {
  const { heard, answerable, pass } = polling();
  heard();
  const before = clock.now();
  pass(SECOND);
  heard();
  expect(answerable(before), "no outage: polls come each second").toBe(before);
  const during = clock.now();
  pass(40 * SECOND);
  heard();
  const back = clock.now();
  expect(Math.abs(answerable(during) - back)).toBeLessThan(SECOND);
  expect(Math.abs(answerable(before) - back), "sent just before the silence").toBeLessThan(SECOND);
  expect(answerable(during - 60 * SECOND), "long before").toBe(during - 60 * SECOND);
  pass(SECOND);
  heard();
  const after = clock.now();
  expect(answerable(after)).toBe(after);
});

test("outages that follow each other closely are one, and a clock that is set is none", () => {
  const { heard, answerable, pass } = polling();
  heard();
  const during = clock.now();
  for (let n = 0; n < 3; n++) {
    pass(20 * SECOND);
    heard();
    pass(SECOND);
    heard();
  }
  expect(clock.now() - answerable(during)).toBeLessThan(2 * SECOND);
  const later = clock.now() + 100 * SECOND;
  clock.advance(200 * SECOND);
  heard();
  expect(answerable(later)).toBe(later);
});
