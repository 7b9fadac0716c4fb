import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

// start.mjs beside a program of three lines, so that what is seen is the script's doing.
const server = fileURLToPath(new URL("../../", import.meta.url));
let root: string;
let home: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "gatehouse-start-"));
  home = join(root, "server");
  mkdirSync(join(home, "src", "cli"), { recursive: true });
  for (const file of ["start.mjs", "build.mjs", "template.mjs", "package.json", "tsconfig.json"])
    cpSync(join(server, file), join(home, file));
  cpSync(join(server, "..", "package.json"), join(root, "package.json"));
  writeFileSync(join(root, "package-lock.json"), "{}");
  symlinkSync(join(server, "..", "node_modules"), join(root, "node_modules"));
});
afterAll(() => rmSync(root, { recursive: true }));

/** @param line what the program does with `argv`, the words after its name */
function program(line: string): void {
  writeFileSync(join(home, "src", "cli", "run.ts"), `export async function runCli(argv: string[]) {\n${line}\nreturn 0;\n}\n`);
  writeFileSync(join(home, "src", "main.ts"), 'import "./cli/run.ts";\n');
}

function start(...flags: string[]) {
  const child = spawn(process.execPath, [join(home, "start.mjs"), ...flags], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, out, err }));
  return { child, ended };
}

test("builds once, again after a change, and passes start with the flags", async () => {
  program("console.log(JSON.stringify(argv));");
  const first = await start("--port", "9000").ended;
  expect(first).toEqual({ code: 0, signal: null, out: '["start","--port","9000"]\n', err: "Building Gatehouse …\n" });
  expect(await start().ended).toMatchObject({ out: '["start"]\n', err: "" });

  writeFileSync(join(home, "src", "main.test.ts"), "");
  expect((await start().ended).err).toBe("");

  program('console.log("changed");');
  expect(await start().ended).toMatchObject({ out: "changed\n", err: "Building Gatehouse …\n" });
  writeFileSync(join(root, "package-lock.json"), '{"changed":true}');
  expect((await start().ended).err).toBe("Building Gatehouse …\n");
}, 120_000);

test("npm's prepare step builds for the start; it is silent if nothing can be built, and fails no install", async () => {
  const prepare = (cwd: string) => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "prepare"], { cwd, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const nothing = { status: 0, stdout: "", stderr: "" };
  program('console.log("prepared");');
  expect(prepare(root)).toEqual({ ...nothing, stderr: "Building Gatehouse …\n" });
  expect(await start().ended).toMatchObject({ out: "prepared\n", err: "" });
  expect(prepare(root)).toEqual(nothing);

  program("const port = ;");
  const { status, stderr } = prepare(root);
  expect(status).toBe(0);
  expect(stderr).toMatch(/Unexpected token[\s\S]*The build failed[\s\S]*npm start builds again/);

  // As an image installs: the manifests alone, then the sources without development packages.
  const image = mkdtempSync(join(tmpdir(), "gatehouse-image-"));
  onTestFinished(() => rmSync(image, { recursive: true }));
  mkdirSync(join(image, "server"));
  cpSync(join(root, "package.json"), join(image, "package.json"));
  cpSync(join(home, "package.json"), join(image, "server", "package.json"));
  expect(prepare(image)).toEqual(nothing);
  cpSync(home, join(image, "server"), { recursive: true });
  expect(prepare(image)).toEqual(nothing);
}, 120_000);

test("shows the compiler's words and starts nothing when the build fails, every time", async () => {
  program("const port = ;");
  for (const _ of [1, 2]) {
    const { code, out, err } = await start().ended;
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/Unexpected token[\s\S]*src[/]cli[/]run[.]ts:2:14/);
    expect(err).toContain("The build failed");
  }
}, 120_000);

test("is the server's own process: a signal reaches it, and its exit code is returned", async () => {
  program('process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000); console.log(process.pid);');
  const { child, ended } = start();
  const [pid] = await once(child.stdout, "data");
  expect(Number(pid)).toBe(child.pid);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 7, signal: null });
}, 120_000);

test("two starts at once both come up", async () => {
  rmSync(join(home, "dist"), { recursive: true });
  program('console.log("up");');
  const both = await Promise.all([start().ended, start().ended]);
  expect(both.map(({ code, out }) => [code, out])).toEqual([
    [0, "up\n"],
    [0, "up\n"],
  ]);
  expect(existsSync(join(home, "dist", ".built-from"))).toBe(true);
}, 120_000);
