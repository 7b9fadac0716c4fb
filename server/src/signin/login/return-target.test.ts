import { describe, expect, test } from "vitest";
import { returnTarget } from "./return-target.ts";

const BASE = "https://id.example.org";
const target = (requested: string | undefined) => returnTarget(requested, BASE);

describe("the address after signing in", () => {
  test.each(["/", "/console", "/console?a=1&b=%2F%2Fevil#c", "/a//b", "/@evil.example", "/%5Cevil.example", "/%2F%2Fevil.example", "/a:b"])(
    "%s is a path of ours",
    (path) => {
      expect(target(path)).toBe(path);
    },
  );

  test.each([
    undefined,
    "",
    "console",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/a\\..\\\\evil.example",
    "https://evil.example",
    "https:evil.example",
    "https://id.example.org@evil.example",
    "@evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    " /console",
    "/\t/evil.example",
    "/\n/evil.example",
    "\u0000/evil.example",
    "/\u0085/evil.example",
    "/.//evil.example",
    "/x/..//evil.example",
    "/%2e//evil.example",
    "/x/%2E%2E//evil.example",
    "/./..//evil.example",
    `/${"x".repeat(3000)}`,
  ])("%j is not, and leads home", (requested) => {
    expect(target(requested)).toBe("/");
  });

  test("every result is of our origin to a browser", () => {
    for (const requested of ["/a/../b", "/\u00e9", "/ü?ö#ä", "/a/b/../../c", "/?next=//evil.example"])
      expect(new URL(target(requested), BASE).origin).toBe(BASE);
  });
});
