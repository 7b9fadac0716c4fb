import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { buildWhenStale } from "../../build.mjs";
import { emptyFolder, type ServerProcess, serverFolder, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const root = dirname(serverFolder.replace(/\/$/, ""));

function npm(cwd: string, ...args: string[]): { stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return { stdout, stderr };
}

/** What comes from files of the package: pages and their scripts, the API documentation, the list of common passwords, the database. */
async function expectWhole(server: ServerProcess): Promise<void> {
  const admin = await server.admin();
  const docs = await server.visitor().get("/interactive-docs.html");
  const assets = [...docs.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  for (const path of assets) expect({ path, status: (await server.visitor().get(path)).status }).toEqual({ path, status: 200 });
  const { userId } = must(await admin.post("/admin/realms/demo/users", { username: "alice", email: "alice@example.com" }), 201);
  const refused = await admin.put(`/admin/realms/demo/users/${userId}/password`, { newPassword: "password123" });
  expect(refused).toMatchObject({ status: 400, body: { code: "password.breached" } });
}

test("the packed server, installed by itself, runs in an empty folder", async () => {
  const folder = emptyFolder();
  const tarball = npm(root, "pack", "-w", "server", "--silent", "--pack-destination", folder).stdout.trim().split("\n").at(-1)!;
  // What npx does, but in a folder of this test instead of npm's cache, and without the shell that npx keeps between a signal and the server.
  const installed = npm(folder, "install", "--prefer-offline", "--no-audit", "--no-fund", "--prefix", folder, `./${tarball}`);
  expect(installed.stderr).not.toContain("EBADENGINE");
  const home = emptyFolder();
  const server = await startServer({ folder: home, command: [join(folder, "node_modules", ".bin", "gatehouse"), "start"] });
  await expectWhole(server);
  expect(readdirSync(home)).toEqual(["data"]);
  expect((await server.stop()).code).toBe(0);
}, 300_000);

test("npm start of a built copy needs no development package", async () => {
  await buildWhenStale();
  const copy = emptyFolder();
  for (const file of ["package.json", "package-lock.json", "LICENSE"]) cpSync(join(root, file), join(copy, file));
  mkdirSync(join(copy, "server"));
  for (const name of ["package.json", "tsconfig.json", "build.mjs", "template.mjs", "start.mjs", "src", "migrations", "dist"])
    cpSync(join(serverFolder, name), join(copy, "server", name), { recursive: true });
  // The packages that `npm ci --omit=dev` installs, and no other.
  const paths = npm(root, "ls", "--omit=dev", "--all", "--parseable")
    .stdout.trim()
    .split("\n")
    .map((path) => relative(root, path));
  const installed = paths.filter((path) => /^(server\/)?node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
  expect(installed).toContain(join("node_modules", "fastify"));
  expect(installed).not.toContain(join("node_modules", "rolldown"));
  for (const path of installed) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    symlinkSync(join(root, path), join(copy, path));
  }
  const server = await startServer({ folder: copy, command: [process.execPath, join(copy, "server", "start.mjs")] });
  expect(server.err()).not.toContain("Building");
  await expectWhole(server);
  expect((await server.stop()).code).toBe(0);
}, 300_000);
