import { expect, test } from "vitest";
import { createLanes, PLACES, WIDEST } from "./lanes.ts";

const none = { all: 0, slow: 0 };
const quick = { delivered: true, timedOut: false, latencyMs: 20 };
const slow = { delivered: true, timedOut: false, latencyMs: 5_000 };
const silent = { delivered: false, timedOut: true, latencyMs: 10_000 };

test("a lane widens with every quick answer, up to its limit, and falls to one with a timeout until an answer comes", () => {
  const lanes = createLanes();
  const after = (attempt: typeof quick) => {
    lanes.begin("a");
    lanes.end("a", attempt);
    return lanes.free("a", none);
  };
  const first = lanes.free("a", none);
  expect(first).toBeLessThan(WIDEST);
  for (let i = 0; i < 20; i++) after(quick);
  expect(lanes.free("a", none)).toBe(WIDEST);
  expect(after(silent)).toBe(1);
  expect(after(silent)).toBe(1);
  expect(after(quick)).toBe(2);
});

test("a delivery in progress takes its place", () => {
  const lanes = createLanes();
  const room = lanes.free("a", none);
  for (let i = 0; i < room; i++) lanes.begin("a");
  expect(lanes.free("a", none)).toBe(0);
  expect(lanes.free("b", none)).toBe(room);
  lanes.end("a", null);
  expect(lanes.free("a", none)).toBe(1);
});

test.each([
  ["do not answer", silent],
  ["answer slowly", slow],
])("however many receivers %s, they leave half of the places to the others", (_what, attempt) => {
  const lanes = createLanes();
  const hooks = Array.from({ length: 1_000 }, (_, i) => `slow ${i}`);
  for (const hook of [...hooks, ...hooks]) {
    lanes.begin(hook);
    lanes.end(hook, attempt);
  }
  let begun = 0;
  const promised = { all: 0, slow: 0 };
  for (const hook of hooks) {
    const places = lanes.free(hook, promised);
    promised.all += places;
    promised.slow += places;
    begun += places;
    // Half of them at once, half promised first: the sum is what counts.
    if (begun % 2 === 0) {
      for (let i = 0; i < promised.all; i++) lanes.begin(hook);
      promised.all = 0;
      promised.slow = 0;
    }
  }
  expect(begun).toBe(PLACES / 2);
  expect(lanes.hasRoom()).toBe(true);
  expect(lanes.free("healthy", none)).toBeGreaterThan(0);
});

test("all places together are limited", () => {
  const lanes = createLanes();
  let begun = 0;
  for (let i = 0; lanes.hasRoom(); i++)
    for (let places = lanes.free(`hook ${i}`, none); places > 0; places--) {
      lanes.begin(`hook ${i}`);
      begun += 1;
    }
  expect(begun).toBe(PLACES);
  expect(lanes.free("late", none)).toBe(0);
});
