import { afterEach, expect, test } from "vitest";
import { clock, DAY } from "./clock.ts";
import { isId, newId } from "./ids.ts";

afterEach(() => clock.reset());

test("a new id is a UUIDv7 that isId knows", () => {
  const id = newId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(isId(id)).toBe(true);
});

test("ids made within one millisecond differ", () => {
  const ids = Array.from({ length: 10_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an id carries the time of the clock, so later ids sort after earlier ones", () => {
  const before = newId();
  clock.advance(DAY);
  const now = clock.now();
  const after = newId();

  const milliseconds = Number.parseInt(after.replaceAll("-", "").slice(0, 12), 16);
  expect(milliseconds).toBeGreaterThanOrEqual(now);
  expect(milliseconds).toBeLessThan(now + DAY);
  expect(after > before).toBe(true);
});

test("isId takes capitals, as a caller may send them", () => {
  expect(isId(newId().toUpperCase())).toBe(true);
});

test.each([
  "",
  "admin",
  "0190b7a0-0000-7000-8000-00000000000",
  "0190b7a0-0000-7000-8000-0000000000000",
  "0190b7a0000070008000000000000000",
  "0190b7a0-0000-7000-8000-00000000000g",
  "0190b7a0-0000-7000-8000-000000000000\n",
  " 0190b7a0-0000-7000-8000-000000000000",
])("isId refuses %j", (value) => {
  expect(isId(value)).toBe(false);
});
