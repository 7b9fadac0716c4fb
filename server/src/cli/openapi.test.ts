import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./openapi.ts";

let folder: string;
let written: string;
let writing: Awaited<ReturnType<typeof openapi>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-openapi-"));
  written = join(folder, "openapi.json");
  writing = await openapi({ out: written });
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

test("prints the description, without a database, and writes the very same", async () => {
  const { code, data, text } = await openapi({});
  expect(code).toBe(0);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
  expect(data.paths["/admin/realms/{realm}/users"].get.operationId).toBe("listUsers");
  expect(writing).toMatchObject({ code: 0, text: expect.stringMatching(/^Wrote .*openapi\.json: \d+ operations\.$/) });
  expect(await readFile(written, "utf8")).toBe(`${text}\n`);
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

test("finds a file up to date, also one of another version", async () => {
  const file = await changed((document) => {
    document.info.version = "99.0.0";
  });
  expect(await openapi({ check: file })).toMatchObject({ code: 0, data: { upToDate: true, differences: [] } });
});

test("refuses a file that is not there or not JSON, and both flags at once", async () => {
  const broken = join(folder, "broken.json");
  await writeFile(broken, "{");
  await expect(openapi({ check: join(folder, "absent.json") })).rejects.toThrow(/absent\.json cannot be read\. Run `npm run openapi/);
  await expect(openapi({ check: broken })).rejects.toThrow(/broken\.json is not valid JSON/);
  await expect(openapi({ check: broken, out: broken })).rejects.toThrow("use one of them");
});
