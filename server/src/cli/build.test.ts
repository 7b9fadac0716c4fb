import { expect, test } from "vitest";
import { spreadIntoEmpty } from "../../build.mjs";

test("the build lets no literal begin with a copy, and changes nothing else", () => {
  for (const [source, built] of [
    ["({ ...a, b: 1 })", "({ ...null, ...a, b: 1 })"],
    ["({ ...(a && { b: 1 }), c: 2 })", "({ ...null, ...(a && { b: 1 }), c: 2 })"],
    ["({\n\t...f(g(a), 1),\n\tb: 1\n})", "({\n\t...null, ...f(g(a), 1),\n\tb: 1\n})"],
  ] as const) {
    expect(spreadIntoEmpty(source)).toBe(built);
    const value = (code: string) =>
      Function("a", "f", "g", `return ${code}`)(JSON.parse('{"__proto__": 1, "x": 2}'), Object.assign, Object);
    expect(Object.entries(value(built))).toEqual(Object.entries(value(source)));
  }
  for (const same of ["const { ...rest } = a", "f({ ...a })", "(a, { ...b }) => b", "({ a, ...b, c })", "[...a, b]", "f(...a, b)"])
    expect(spreadIntoEmpty(same)).toBe(same);
});
