import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgbouncerPath } from "../../../test/peers/index.mjs";
import { checkDatabase } from "../../cli/doctor/database.ts";
import { type Config, loadConfig } from "../../config.ts";
import { createCore } from "../../core.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type RunningPgbouncer, startPgbouncer } from "../../testing/pgbouncer.ts";
import { poolingOf } from "./index.ts";

describe.skipIf(!pgbouncerPath())("a pooler between the server and Postgres", () => {
  let iam: SharedHarness;
  let byTransaction: RunningPgbouncer;
  let bySession: RunningPgbouncer;
  let direct: string;
  beforeAll(async () => {
    iam = await sharedHarness();
    direct = iam.config.databaseUrl!;
    [byTransaction, bySession] = [await startPgbouncer(direct), await startPgbouncer(direct, "session")];
  });
  afterAll(async () => {
    await byTransaction?.stop();
    await bySession?.stop();
    await iam?.close();
  });

  const configured = (more: Record<string, string> = {}): Config =>
    loadConfig({
      env: {
        DATABASE_URL: byTransaction.url,
        GATEHOUSE_MASTER_KEY: iam.config.masterKey!,
        GATEHOUSE_BASE_URL: "http://localhost:8080",
        ...more,
      },
    });
  const output: string[] = [];
  const start = async (config: Config) => {
    const core = await createCore(config, { output: { write: (line: string) => void output.push(line) } });
    await core.close();
  };
  const found = async (config: Config) => (await checkDatabase(config)).filter(({ check }) => check === "pooler");

  test("is noticed, and whether it pools by transaction", async () => {
    expect(await poolingOf(direct)).toEqual({ byTransaction: false, keepsPrepared: true });
    expect(await poolingOf(bySession.url)).toMatchObject({ byTransaction: false });
    expect(await poolingOf(byTransaction.url)).toMatchObject({ byTransaction: true });
    expect(await found(configured({ DATABASE_URL: direct }))).toEqual([]);
  });

  test("by transaction keeps a server without its settings from starting, in words that name them; so does the doctor", async () => {
    const names = /PgBouncer.*GATEHOUSE_PREPARED_STATEMENTS=false.*GATEHOUSE_LISTEN_URL/;
    await expect(start(configured())).rejects.toThrow(names);
    expect(await found(configured())).toMatchObject([{ severity: "problem", message: expect.stringMatching(names) }]);
    output.length = 0;
    await start(configured({ GATEHOUSE_PREPARED_STATEMENTS: "false" }));
    expect(output.join("")).toMatch(/"level":"warn".*delivers no notifications: set GATEHOUSE_LISTEN_URL/);
    const whole = configured({ GATEHOUSE_PREPARED_STATEMENTS: "false", GATEHOUSE_LISTEN_URL: direct });
    output.length = 0;
    await start(whole);
    expect(output.join("")).toBe("");
    expect(await found(whole)).toMatchObject([{ severity: "ok" }]);
  });
});
