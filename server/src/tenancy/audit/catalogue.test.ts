import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { catalogue, categories, describedTypes, eventTypes } from "./catalogue.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const entries = categories.flatMap((category) =>
  Object.entries<{ description: string; later?: true }>(catalogue[category]).map(([type, entry]) => ({
    category,
    type,
    later: false,
    ...entry,
  })),
);

test("the guide lists every type with its description and whether this release records it, and no other", () => {
  const guide = readFileSync(file("../../../../docs/audit.md"), "utf8");
  const rows = guide.split("\n").flatMap((line) => {
    const [, type, description, when] = /^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/.exec(line) ?? [];
    return type ? [{ type, description, later: when === "later" }] : [];
  });
  expect(rows).toEqual(entries.map(({ type, description, later }) => ({ type, description, later })));
});

test("the OpenAPI document names and explains every type", () => {
  for (const { type, description } of entries) expect(describedTypes).toContain(`\`${type}\`: ${description}`);
  expect(new Set(eventTypes).size).toBe(entries.length);
});

test("exactly the types that are not marked as coming later are recorded somewhere", () => {
  const src = file("../../");
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /[.]tsx?$/.test(path) && !/[.]test[.]tsx?$/.test(path) && !/^testing|audit.catalogue[.]ts$/.test(path))
    .map((path) => readFileSync(join(src, path), "utf8"))
    .join("\n");
  const recorded = entries.filter(({ type }) => sources.includes(`"${type}"`)).map(({ type }) => type);
  expect(recorded).toEqual(entries.filter(({ later }) => !later).map(({ type }) => type));
});
