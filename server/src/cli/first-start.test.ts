import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Place, place } from "../testing/built-server.ts";
import { testDatabase } from "../testing/harness.ts";

// A first start that is killed leaves a folder behind. Postgres keeps its own data in order; this is about the folder.
describe.skipIf(testDatabase() === "postgres")("the first start on the embedded database", () => {
  let here: Place;
  beforeAll(async () => {
    here = await place("embedded");
  }, 300_000);
  afterAll(() => here.remove());

  // In one folder, one after the other: each start finds what the one before it left, and goes on from there.
  test("killed (-9) at each of its steps, the next one works", async () => {
    const dir = join(here.folder, "killed");
    const env = { GATEHOUSE_DATA_DIR: dir };
    const entries = () => (existsSync(dir) ? readdirSync(dir) : []);
    // It has the lock, has a master key, is unpacking the database, has unpacked it, and has written the first password.
    const signs = ["database.lock", "master.key", "database.new-", "database", "initial-admin-password"];
    for (const [at, sign] of signs.entries()) {
      const before = entries();
      // The rest of an earlier unpacking tells nothing about this one. A start that was quicker than we looked shows a later sign.
      const isSign = (name: string) =>
        name.startsWith("database.new-") ? at <= 2 && !before.includes(name) : signs.slice(at).includes(name);
      const reached = () => entries().some(isSign);
      const child = here.launch(["start", "--port", "1"], env);
      const ended = once(child, "exit");
      while (!reached() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
      child.kill("SIGKILL");
      expect((await ended)[1], sign).toBe("SIGKILL");
    }

    const server = await here.start(env);
    expect((await fetch(`${server.url}/realms/master/login`)).status).toBe(200);
    expect(readFileSync(join(dir, "initial-admin-password"), "utf8")).toMatch(/^\S{20}\n$/);
    const ofDatabase = () => entries().filter((name) => name.startsWith("database"));
    expect(ofDatabase().sort()).toEqual(["database", "database.lock"]);
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(ofDatabase()).toEqual(["database"]);
  }, 300_000);
});
