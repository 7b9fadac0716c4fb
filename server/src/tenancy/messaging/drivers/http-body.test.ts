import { expect, test } from "vitest";
import { MessageError } from "../driver.ts";
import { faultOf, fillIn, plainBody } from "./http-body.ts";

const names = ["id", "to", "from", "text"];
const nasty = 'a"b\\c\n\r\t{{to}}&=+%00\u2028é漢🎉</script>';

test("a value stays inside its JSON string, whatever it holds", () => {
  const filled = fillIn('{"to":"{{to}}","nested":[{"text":"<{{ text }}>"}],"from":"{{from}}"}', "json", {
    to: "+31",
    text: nasty,
    from: null,
  });
  expect(JSON.parse(filled)).toEqual({ to: "+31", nested: [{ text: `<${nasty}>` }], from: "" });
});

test("a value stays inside its form field, whatever it holds", () => {
  const filled = fillIn("to={{to}}&text={{text}}&fixed=1", "form", { to: "+31 6", text: nasty });
  expect([...new URLSearchParams(filled)]).toEqual([
    ["to", "+31 6"],
    ["text", nasty],
    ["fixed", "1"],
  ]);
  expect(filled).not.toMatch(/[\r\n]/);
});

test("half a surrogate pair is mended, not thrown at", () => {
  expect(fillIn("text={{text}}", "form", { text: "\ud83d" })).toBe("text=%EF%BF%BD");
});

test("a value's content is no placeholder, and dollars mean nothing", () => {
  expect(fillIn('"{{to}}{{text}}"', "json", { to: "{{text}}", text: "$& $1 $$" })).toBe('"{{text}}$& $1 $$"');
});

test("a template that repeats a long value without end is refused", () => {
  const repeated = (times: number) => () => fillIn("{{text}}".repeat(times), "form", { text: "x".repeat(100_000) });
  expect(repeated(3)()).toHaveLength(300_000);
  expect(repeated(1250)).toThrow(MessageError);
});

test("without a template every value stands under its name", () => {
  expect(JSON.parse(plainBody("json", { to: "+31", html: null }))).toEqual({ to: "+31", html: null });
  expect([...new URLSearchParams(plainBody("form", { to: "+31", text: nasty, html: null }))]).toEqual([
    ["to", "+31"],
    ["text", nasty],
    ["html", ""],
  ]);
});

test.each([
  ['{"to":"{{to}}"}', "json", null],
  ['["{{to}}", 1, {"a": "{{text}} and {{id}}"}]', "json", null],
  ["to={{to}}&text={{text}}", "form", null],
  ['{"to":{{to}}}', "json", /inside quotes/],
  ['{"to":"{{to}}"', "json", /must be JSON/],
  ['{"to":"{{phone}}"}', "json", /no use for \{\{phone\}\}.*\{\{to\}\}/],
  ['{"to":"{{constructor}}"}', "json", /no use for/],
  ['{"to":"{{}}"}', "json", /no use for/],
  ["to={{to}}\r\nx", "form", /one line/],
  ["to={{user.email}}", "form", /no use for/],
] as const)("%s as %s", (template, contentType, fault) => {
  const found = faultOf(template, contentType, names);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});

test("a template of braces and spaces is read in one go", () => {
  const began = process.cpuUsage().user;
  expect(faultOf(`{{${" ".repeat(2_000)}`, "json", names)).toMatch(/must be JSON/);
  expect((process.cpuUsage().user - began) / 1000, "ms").toBeLessThan(3_000);
});
