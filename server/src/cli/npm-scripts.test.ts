import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

// The root's own scripts, over a server whose scripts print what they are given.
const rootManifest = fileURLToPath(new URL("../../../package.json", import.meta.url));
const { scripts } = JSON.parse(readFileSync(rootManifest, "utf8")) as { scripts: Record<string, string> };
const root = mkdtempSync(join(tmpdir(), "gatehouse-scripts-"));
mkdirSync(join(root, "server"));
cpSync(rootManifest, join(root, "package.json"));
const print = "console.log(JSON.stringify(process.argv.slice(2)))";
for (const file of ["start.mjs", "print.mjs"]) writeFileSync(join(root, "server", file), print);
const printing = Object.fromEntries(Object.keys(scripts).map((name) => [name, "node print.mjs"]));
writeFileSync(join(root, "server", "package.json"), JSON.stringify({ name: "gatehouse", version: "0.0.0", scripts: printing }));
afterAll(() => rmSync(root, { recursive: true }));

// `prepare` is npm's own to run, and takes no flags.
test.concurrent.each(Object.keys(scripts).filter((name) => name !== "prepare"))("npm run %s passes its flags on", async (name) => {
  const flags = ["directory", "--users", "100000", "--realms", "1000"];
  const { stdout, stderr } = await promisify(execFile)("npm", ["run", "--silent", name, "--", ...flags], { cwd: root });
  expect({ given: stdout.trim().split("\n").at(-1), stderr }).toMatchObject({ given: JSON.stringify(flags) });
});
