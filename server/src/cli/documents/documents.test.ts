import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { filesOf, readDocuments } from "./read.ts";
import { parseYaml } from "./yaml.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-documents-"));
afterAll(() => rmSync(folder, { recursive: true }));
/** As a file has it; a template string would resolve it here. */
const env = (name: string) => `$\{env:${name}}`;
const other = (text: string) => `$\{${text}}`;
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe("YAML", () => {
  test("is read as it stands: dates, yes and no are texts; JSON is YAML", () => {
    expect(parseYaml("a: 2026-01-01\nb: yes\nc: [1, true, null, 1.5]\n", "f")).toEqual({
      a: "2026-01-01",
      b: "yes",
      c: [1, true, null, 1.5],
    });
    expect(parseYaml('{"a": ["\\u00e9"]}', "f")).toEqual({ a: ["é"] });
  });

  const bomb = `a: &a [x]\n${[..."bcdefghi"].map((name, at) => `${name}: &${name} [*${"abcdefgh"[at]}, *${"abcdefgh"[at]}]`).join("\n")}`;
  test.each([
    ["an anchor", "a: 1\nb: &x 1", /f:2: &x is an anchor/],
    ["an alias", "a: *x", /alias/],
    ["a bomb of aliases", bomb, /f:1: &a is an anchor/],
    ["a tag of a program", 'a: !!js/function "x"', /js\/function is a tag/],
    ["a tag of its own", "a: !secret x", /!secret is a tag/],
    ["a member twice", "a: 1\nb:\n  c: 1\n  c: 2", /f:4: This member is here twice/],
    ["two documents", "a: 1\n---\nb: 2", /f:2/],
    ["what is not YAML", "a: [1,\n", /f:/],
    ["endless brackets", "[".repeat(5000), /nested too deeply/],
    ["endless lists", "- ".repeat(5000), /nested too deeply/],
    ["infinity", "a: .inf", /infinity/],
  ])("%s is refused, with its line", (_what, text, message) => expect(() => parseYaml(text, "f")).toThrow(message));
});

describe("documents", () => {
  test("in one folder are joined in the order of their names; lists are joined, any other repeated member is refused", () => {
    const a = file("a.yaml", "realm: acme\nroles:\n  - name: one\n");
    const b = file("b.json", '{"realm":"acme","roles":[{"name":"two"}],"settings":{}}');
    file("notes.txt", "not this one");
    expect(filesOf(folder)).toEqual([a, b]);
    expect(readDocuments([a, b], () => undefined)).toEqual({ realm: "acme", roles: [{ name: "one" }, { name: "two" }], settings: {} });
    const c = file("c.yaml", "realm: other\n");
    expect(() => readDocuments([a, c], () => undefined)).toThrow(/c\.yaml: another file gives realm another value/);
    expect(() => filesOf(join(folder, "none"))).toThrow(/no file or folder/);
    expect(() => readDocuments([file("d.yaml", "- a\n")], () => undefined)).toThrow(/list of members/);
  });

  test("get the values of the environment and of files; each that is missing is named, and none is half resolved", () => {
    file("secret.txt", "from a file\n");
    const text = `a: x-${env("ONE")}-y\nb: ${other("file:secret.txt")}\nc: $${env("ONE")}\nd: ${other("other")}\n`;
    const values: Record<string, string> = { ONE: "1", NESTED: env("ONE") };
    expect(readDocuments([file("e.yaml", text)], (name) => values[name])).toEqual({
      a: "x-1-y",
      b: "from a file",
      c: env("ONE"),
      d: other("other"),
    });
    expect(readDocuments([file("g.yaml", `a: ${env("NESTED")}`)], (name) => values[name])).toEqual({ a: env("ONE") });
    const missing = file("f.yaml", `a: ${env("TWO")}\nb: ${other("file:none")}\n`);
    expect(() => readDocuments([missing], (name) => values[name])).toThrow(/env:TWO.*\n.*file:none/);
  });
});
