import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const steps = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.trim() !== "" && !line.startsWith("#"));

test("no step of the image depends on the processor", () => {
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) expect(step).not.toMatch(/x64|x86|amd64|arm64|aarch64|--platform|uname|TARGETARCH|musl|gnu/i);
});

test("every stage stands on the release of Node that the docs recommend", () => {
  const bases = steps.filter((step) => step.startsWith("FROM ")).map((step) => step.split(" ")[1]);
  expect(bases.length).toBeGreaterThan(1);
  expect(new Set(bases)).toEqual(new Set(["node:24-slim"]));
  expect(readFileSync(new URL("../../../README.md", import.meta.url), "utf8")).toContain("Node 24");
});
