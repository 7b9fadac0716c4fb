import { expect, test } from "vitest";
import { isTooDeep, isTooDeepParameter, MAX_JSON_DEPTH, tooDeepMembers } from "./json.ts";

const nested = (levels: number, inside = "1") => `${'{"a":['.repeat(levels / 2)}${inside}${"]}".repeat(levels / 2)}`;

test("a hundred levels are enough, one more is too deep", () => {
  expect(isTooDeep(nested(MAX_JSON_DEPTH))).toBe(false);
  expect(isTooDeep(nested(MAX_JSON_DEPTH, "[]"))).toBe(true);
  expect(isTooDeep(nested(MAX_JSON_DEPTH, '""'))).toBe(false);
  expect(isTooDeep(`[${'{"a":1},'.repeat(1_000)}{}]`), "width is no depth").toBe(false);
  expect(isTooDeep("[".repeat(2_000_000))).toBe(true);
});

test("brackets in texts do not count, wherever the texts end", () => {
  const brackets = "[".repeat(300);
  for (const text of [brackets, `\\"${brackets}`, `${brackets}\\\\`, `\\\\\\"${brackets}`]) {
    expect(JSON.parse(`["${text}"]`)).toHaveLength(1);
    expect(isTooDeep(`["${text}", [1]]`), text).toBe(false);
  }
  expect(isTooDeep(`["\\\\", ${brackets}${"]".repeat(301)}`)).toBe(true);
  expect(isTooDeep(`"${brackets}`), "never closed").toBe(false);
});

test("names the members that are too deep", () => {
  const value = JSON.parse(`{"fine":${nested(MAX_JSON_DEPTH - 2)},"deep":${nested(MAX_JSON_DEPTH)},"very":${nested(20_000)}}`);
  expect(tooDeepMembers(value)).toEqual(["deep", "very"]);
  expect(tooDeepMembers(JSON.parse(nested(MAX_JSON_DEPTH)))).toEqual([]);
  expect(tooDeepMembers([])).toEqual([]);
});

test("looks into tokens", () => {
  const jwt = (payload: string) => `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(payload).toString("base64url")}.`;
  expect(isTooDeepParameter(jwt(nested(MAX_JSON_DEPTH)))).toBe(false);
  expect(isTooDeepParameter(jwt(nested(MAX_JSON_DEPTH + 2)))).toBe(true);
  expect(isTooDeepParameter(nested(MAX_JSON_DEPTH + 2))).toBe(true);
});
