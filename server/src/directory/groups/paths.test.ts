import { expect, test } from "vitest";
import { GROUP_PATH, groupPath, namesInPath } from "./index.ts";

/** Every text of these letters, up to this length. */
const texts = (letters: readonly string[], length: number): string[] =>
  length === 0 ? [""] : ["", ...letters.flatMap((letter) => texts(letters, length - 1).map((rest) => letter + rest))];

test("a path names one group: slashes and tildes in its name, wherever they stand, are told from those of the path", () => {
  const names = [...new Set(texts(["a", "~", "/"], 4))].filter((name) => name !== "");
  const chains = [...names.map((name) => [name]), ...names.flatMap((name) => ["b", "~", "/", "~/", "x~~"].map((other) => [name, other]))];
  const paths = new Map<string, readonly string[]>();
  const pattern = new RegExp(GROUP_PATH, "u");
  for (const chain of chains) {
    const path = groupPath(chain);
    expect(paths.get(path), path).toBeUndefined();
    paths.set(path, chain);
    expect(namesInPath(path), path).toEqual(chain);
    expect(path).toMatch(pattern);
  }
  expect(["a~/b", "a~b", "a/b", "x~~"].map((name) => groupPath([name]))).toEqual(["/a~~~/b", "/a~b", "/a~/b", "/x~~~~"]);
  expect(groupPath(["a~", "b"])).toBe("/a~~/b");
  for (const path of ["", "/", "a", "//a", "/a/", "/a//b", "/a~~/"]) expect(path).not.toMatch(pattern);
  // An earlier release wrote it so.
  expect(namesInPath("/a~")).toEqual(["a~"]);
});
