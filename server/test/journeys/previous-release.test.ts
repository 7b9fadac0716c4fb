import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyFolder, emptyPostgres, postgresUrl, type ServerProcess, serverFolder, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const root = join(serverFolder, "..");
const DEPTH = 100;

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : undefined;
}

/** Name and content of every migration of a commit; the content by its hash, as git keeps it. */
const migrationsOf = (commit: string): Map<string, string> =>
  new Map(
    [...(git("ls-tree", `${commit}:server/migrations`) ?? "").matchAll(/^\d+ blob (\w+)\t(.+)$/gm)].map(([, hash, name]) => [name!, hash!]),
  );

/** The same of this tree, which may have more than its commit. */
function migrationsHere(): Map<string, string> {
  const folder = join(serverFolder, "migrations");
  const names = readdirSync(folder);
  const hashes = git("hash-object", ...names.map((name) => join(folder, name)))!.split("\n");
  return new Map(names.map((name, i) => [name, hashes[i]!]));
}

/**
 * The release before this one: the newest commit below HEAD that lacks some of today's migrations, or else the newest that has the
 * same. Or why there is none. A commit with another text of a migration of today was a draft: what has landed is never edited. So was one
 * that lacks a migration in the midst of those that it has: migrations land in their order.
 */
function previousRelease(): { commit: string } | { reason: string } {
  if (!postgresUrl) return { reason: "there is no Postgres here" };
  const below = git("rev-list", `--max-count=${DEPTH}`, "HEAD~1")?.split("\n").filter(Boolean) ?? [];
  const shallow = git("rev-parse", "--is-shallow-repository")?.trim() === "true";
  if (below.length === 0) return { reason: shallow ? "the clone is shallow: nothing below HEAD is here" : "there is no commit below HEAD" };
  const ours = migrationsHere();
  const inOrder = [...ours.keys()].sort();
  const releases = below
    .filter((commit) => git("cat-file", "-e", `${commit}:server/src/cli/start.ts`) !== undefined)
    .map((commit) => ({ commit, migrations: migrationsOf(commit) }))
    .filter(({ migrations }) => [...migrations].every(([name, hash]) => ours.get(name) === hash))
    .filter(({ migrations }) => inOrder.slice(0, migrations.size).every((name) => migrations.has(name)));
  const previous = releases.find(({ migrations }) => migrations.size < ours.size) ?? releases[0];
  return previous ?? { reason: "no commit below HEAD has a server that can be started and the migrations of today" };
}

/** Its sources in their own folder, built there; answers the program. */
function build(commit: string): string {
  const folder = emptyFolder();
  const unpacked = spawnSync("sh", ["-c", 'git -C "$1" archive "$2" server package.json | tar -x -C "$3"', "sh", root, commit, folder]);
  expect(unpacked.status).toBe(0);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  symlinkSync(join(serverFolder, "node_modules"), join(folder, "server", "node_modules"));
  // Without migrations it makes no template of the embedded database, which takes longest and is not used here.
  const [migrations, away] = [join(folder, "server", "migrations"), join(folder, "migrations")];
  renameSync(migrations, away);
  // Its types were checked when it was HEAD, and against the dependencies of then.
  const built = spawnSync(process.execPath, ["build.mjs", "--no-check"], { cwd: join(folder, "server") });
  expect(built.status).toBe(0);
  renameSync(away, migrations);
  return join(folder, "server", "dist", "main.js");
}

/** Both serve: people sign in at either, and what one writes the other reads. */
async function serveSideBySide(a: ServerProcess, b: ServerProcess): Promise<void> {
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const admin = await here.admin();
    const username = `written-at-${here.port}`;
    const user = must(await admin.post("/admin/realms/master/users", { username }), 201);
    const path = `/admin/realms/master/users/${user.userId}`;
    const seen = must(await admin.at(there).get(path), 200);
    expect(seen).toMatchObject({ userId: user.userId, username });
    must(await admin.at(there).put(path, { ...seen, attributes: { firstName: "Ada" } }), 200);
    expect(must(await admin.get(path), 200).attributes).toEqual({ firstName: "Ada" });
    const { items } = must(await admin.at(there).get(`/admin/realms/master/events?resourceId=${user.userId}`), 200);
    expect(items.map(({ type }: { type: string }) => type)).toEqual(["ADMIN_UPDATE", "ADMIN_CREATE"]);
  }
}

test("the previous release and this one serve one database side by side, whichever of them came first", async ({ skip }) => {
  const previous = previousRelease();
  if ("reason" in previous) return skip(previous.reason);
  const command = [process.execPath, build(previous.commit), "start"] as const;

  // An upgrade, node by node: the new one migrates under the feet of the old one, which serves on and can be started again.
  const upgraded = await emptyPostgres();
  const old = await startServer({ env: upgraded, command: [...command] }).catch((error: Error) => error);
  if (old instanceof Error) return skip(`the server of ${previous.commit.slice(0, 12)} does not start here: ${old.message}`);
  const node = await startServer({ env: upgraded });
  await serveSideBySide(old, node);
  await Promise.all([old.stop(), node.stop()]);

  // A database that this release made, and a node of the previous one that joins: a roll-back.
  const fresh = await emptyPostgres();
  const first = await startServer({ env: fresh });
  const joining = await startServer({ env: fresh, command: [...command] });
  await serveSideBySide(joining, first);
  await Promise.all([joining.stop(), first.stop()]);
});
