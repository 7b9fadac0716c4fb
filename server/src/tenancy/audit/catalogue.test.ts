import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { catalogue, categories, describedTypes, eventTypes } from "./catalogue.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const entries = categories.flatMap((category) =>
  Object.entries(catalogue[category]).map(([type, { description }]) => ({ type, description })),
);

test("the guide lists every type with its description, and no other", () => {
  const [, guide = ""] = /^## The catalogue$(.*?)^## /ms.exec(readFileSync(file("../../../../docs/audit.md"), "utf8")) ?? [];
  const rows = guide.split("\n").flatMap((line) => {
    const [, type, description] = /^\| `([A-Z_]+)` +\| (.+?) +\|$/.exec(line) ?? [];
    return type ? [{ type, description }] : [];
  });
  expect(rows).toEqual(entries);
});

test("the OpenAPI document names and explains every type", () => {
  for (const { type, description } of entries) expect(describedTypes).toContain(`\`${type}\`: ${description}`);
  expect(new Set(eventTypes).size).toBe(entries.length);
});

test("every type is recorded somewhere", () => {
  const src = file("../../");
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /[.]tsx?$/.test(path) && !/[.]test[.]tsx?$/.test(path) && !/^testing|audit.catalogue[.]ts$/.test(path))
    .map((path) => readFileSync(join(src, path), "utf8"))
    .join("\n");
  expect(entries.filter(({ type }) => !sources.includes(`"${type}"`))).toEqual([]);
});
