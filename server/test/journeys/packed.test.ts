import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
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

/** Parts that come from files of the package: pages and their scripts, the API documentation, the list of common passwords, the database. */
async function expectWhole(server: ServerProcess): Promise<void> {
  const admin = await server.admin();
  const docs = await server.visitor().get("/interactive-docs.html?tag=Users");
  const assets = [...docs.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  for (const path of assets) expect({ path, status: (await server.visitor().get(path)).status }).toEqual({ path, status: 200 });
  const { userId } = must(await admin.post("/admin/realms/demo/users", { username: "alice", email: "alice@example.com" }), 201);
  const refused = await admin.put(`/admin/realms/demo/users/${userId}/password`, { newPassword: "password123" });
  expect(refused).toMatchObject({ status: 400, body: { code: "password.breached" } });
}

function packed(): string {
  const folder = emptyFolder();
  return join(folder, npm(root, "pack", "-w", "server", "--silent", "--pack-destination", folder).stdout.trim().split("\n").at(-1)!);
}

const isUp = (server: ServerProcess) =>
  server
    .visitor()
    .get("/monitoring/health/liveness")
    .then(
      () => true,
      () => false,
    );

test("the packed server runs by npx in an empty folder, and ends with npx", async () => {
  const tarball = packed();
  // npm takes an absolute path for its own command, so `file:` names it as a file. Packages that npm ci has downloaded are not fetched again.
  const cache = emptyFolder();
  const downloads = join(npm(root, "config", "get", "cache").stdout.trim(), "_cacache");
  if (existsSync(downloads)) symlinkSync(downloads, join(cache, "_cacache"));
  const env = { npm_config_cache: cache, npm_config_prefer_offline: "true" };
  const server = await startServer({ env, command: ["npx", "--yes", `file:${tarball}`, "start"] });
  expect(server.err()).not.toContain("EBADENGINE");
  await expectWhole(server);
  expect(readdirSync(server.folder)).toEqual(["data"]);
  process.kill(server.pid, "SIGTERM");
  await expect.poll(() => isUp(server)).toBe(false);
  const { out } = await server.ended;
  expect(out).toContain('"msg":"stopped"');
});

test("npm start of a built copy needs no development package", async () => {
  await (await buildWhenStale()).template;
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
  const server = await startServer({ folder: copy, command: ["npm", "start"] });
  expect(server.err()).not.toContain("Building");
  await expectWhole(server);
  // To npm, as a supervisor does it.
  expect((await server.stop()).out).toContain('"msg":"stopped"');
});
