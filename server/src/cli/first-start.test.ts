import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Place, place } from "../testing/built-server.ts";
import { testDatabase } from "../testing/harness.ts";

// What a first start leaves behind when it is killed. Postgres keeps its own house; this is about the folder.
describe.skipIf(testDatabase() === "postgres")("the first start on the embedded database", () => {
  let here: Place;
  beforeAll(async () => {
    here = await place("embedded");
  }, 300_000);
  afterAll(() => here.remove());

  const has = (dir: string, name: string) => existsSync(dir) && readdirSync(dir).some((entry) => entry.startsWith(name));

  test.each([
    ["has the lock", "database.lock"],
    ["has a master key", "master.key"],
    ["is unpacking the database", "database.new-"],
    ["has unpacked the database", "database"],
    ["has written the first password", "initial-admin-password"],
  ])(
    "killed (-9) as soon as it %s, the next one works",
    async (_, sign) => {
      const dir = join(here.folder, `killed at ${sign}`);
      const env = { GATEHOUSE_DATA_DIR: dir };
      const child = here.launch(["start", "--port", "1"], env);
      const ended = once(child, "exit");
      const wanted = () => (sign === "database" ? existsSync(join(dir, sign)) : has(dir, sign));
      while (!wanted() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
      child.kill("SIGKILL");
      expect((await ended)[1]).toBe("SIGKILL");

      const server = await here.start(env);
      expect((await fetch(`${server.url}/realms/master/login`)).status).toBe(200);
      expect(readFileSync(join(dir, "initial-admin-password"), "utf8")).toMatch(/^\S{20}\n$/);
      expect(
        readdirSync(dir)
          .filter((name) => name.startsWith("database"))
          .sort(),
      ).toEqual(["database", "database.lock"]);
      expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
      expect(has(dir, "database.lock")).toBe(false);
    },
    120_000,
  );

  test("of two at the same instant one serves, and the other says what to do", async () => {
    const env = { GATEHOUSE_DATA_DIR: join(here.folder, "two") };
    const starts = await Promise.allSettled([here.start(env), here.start(env)]);
    const served = starts.filter((start) => start.status === "fulfilled");
    const refused = starts.filter((start) => start.status === "rejected");
    expect(served).toHaveLength(1);
    expect(String(refused[0]?.reason)).toMatch(/ended \(1\).*is in use by process \d+ on .*: stop that one/s);
    // Killed, it leaves its lock, which holds nobody up.
    await served[0]!.value.kill("SIGKILL");
    const next = await here.start(env);
    expect(await next.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  }, 120_000);
});
