import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./openapi.ts";

let folder: string;
let written: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-openapi-"));
  written = join(folder, "openapi.json");
  await openapi({ out: written });
});
afterAll(() => rm(folder, { recursive: true }));

// biome-ignore lint/suspicious/noExplicitAny: the tests look into the document and change it
type Json = any;

async function openapi(options: Record<string, string>): Promise<{ code: number; data: Json; text: string }> {
  let printed: { data: Json; text: string } = { data: null, text: "" };
  const print = (data: unknown, text: string) => {
    printed = { data, text };
  };
  const code = await run({ command: "openapi", action: null, args: [], options, json: false, print, note: () => undefined });
  return { code, ...printed };
}

async function changed(change: (document: Json) => void): Promise<string> {
  const file = join(folder, "changed.json");
  const document = JSON.parse(await readFile(written, "utf8"));
  change(document);
  await writeFile(file, JSON.stringify(document));
  return file;
}

test("prints the description, without a database", async () => {
  const { code, data, text } = await openapi({});
  expect(code).toBe(0);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
  expect(data.paths["/admin/realms/{realm}/users"].get.operationId).toBe("listUsers");
});

test("writes the same file every time, and finds it up to date", async () => {
  const again = join(folder, "again.json");
  expect(await openapi({ out: again })).toMatchObject({ code: 0, text: expect.stringMatching(/^Wrote .*again\.json: \d+ operations\.$/) });
  const text = await readFile(written, "utf8");
  expect(text).toBe(await readFile(again, "utf8"));
  expect(text.endsWith("}\n")).toBe(true);
  expect(await openapi({ check: written })).toMatchObject({ code: 0, data: { upToDate: true, differences: [] } });
});

test("says what differs, by name, and what to do", async () => {
  const file = await changed((document) => {
    delete document.paths["/admin/realms/{realm}/users"].post;
    document.paths["/gone"] = { get: {} };
    document.components.schemas.User.properties.username.type = "integer";
  });
  const { code, data, text } = await openapi({ check: file });
  expect(code).toBe(1);
  expect(data.differences).toEqual([
    "no longer in the server: GET /gone",
    "missing from the file: POST /admin/realms/{realm}/users",
    "different: components.schemas.User",
  ]);
  expect(text).toContain("npm run openapi -w server");
});

test("is not disturbed by another version", async () => {
  const file = await changed((document) => {
    document.info.version = "99.0.0";
  });
  expect((await openapi({ check: file })).code).toBe(0);
});

test("refuses a file that is not there or not JSON, and both flags at once", async () => {
  const broken = join(folder, "broken.json");
  await writeFile(broken, "{");
  await expect(openapi({ check: join(folder, "absent.json") })).rejects.toThrow(/absent\.json cannot be read\. Run `npm run openapi/);
  await expect(openapi({ check: broken })).rejects.toThrow(/broken\.json is not valid JSON/);
  await expect(openapi({ check: broken, out: broken })).rejects.toThrow("use one of them");
});
