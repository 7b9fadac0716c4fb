import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, startPostgres, startStandby } from "../../../test/peers/index.mjs";
import { loadConfig } from "../../config.ts";
import { createCore } from "../../core.ts";
import { SECOND } from "../../kernel/clock.ts";
import { awaitPostgres, connectDirectly, type Database, openDatabase } from "./index.ts";

// A primary and its standby, as in a cluster; the tests follow each other.
let primary: Awaited<ReturnType<typeof startPostgres>>;
let standby: Awaited<ReturnType<typeof startStandby>>;
let database: Database;
beforeAll(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary);
});
afterAll(async () => {
  await database?.close();
  await standby?.stop();
  await primary?.stop();
});

const PASSWORD = "hunter2";
const at = (hosts: string, parameters = "") => `postgres://postgres:${PASSWORD}@${hosts}/postgres${parameters}`;
const both = () => `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
const portOf = async () => {
  const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(database.db);
  return rows[0]!.port;
};

function waiting(withinMs: number) {
  const said: { host: string; setting: string; reason: string }[] = [];
  const log = { warn: (details: object) => void said.push(details as (typeof said)[number]) };
  return { said, withinMs, limitedBy: "GATEHOUSE_DATABASE_START_TIMEOUT_SECONDS", log };
}

test("the host that takes writes is used, at any place in the list", async () => {
  database = await openDatabase({
    ...{ url: at(both(), "?target_session_attrs=read-write"), dataDir: "", pool: 2, preparedStatements: true },
    deadlines: {
      requests: { connectMs: 3_000, statementMs: 3_000, lockMs: 3_000 },
      background: { connectMs: 3_000, statementMs: 3_000, lockMs: 3_000 },
    },
    onIdleError: () => {},
  });
  expect(await portOf()).toBe(primary.port);
  for (const url of [at(both()), at("", `?host=127.0.0.1,127.0.0.1&port=${standby.port},${primary.port}&target_session_attrs=primary`)]) {
    const client = await connectDirectly(url, {});
    expect(client.port).toBe(primary.port);
    await client.end();
  }
  const any = await connectDirectly(at(both(), "?target_session_attrs=any"), {});
  expect(any.port, "the first that answers").toBe(standby.port);
  await any.end();
  await expect(connectDirectly(at(`127.0.0.1:${standby.port}`, "?target_session_attrs=read-write"), {})).rejects.toThrow("standby");
});

test("a start that gives up says for what it waited, and never the password", async () => {
  const port = await freePort();
  const limited = waiting(SECOND);
  const gaveUp = awaitPostgres({ url: at(`127.0.0.1:${port},localhost:${port}`), setting: "DATABASE_URL" }, limited);
  await expect(gaveUp).rejects.toThrow(
    `The database was not available within 1 s (GATEHOUSE_DATABASE_START_TIMEOUT_SECONDS): 127.0.0.1:${port}, localhost:${port} (DATABASE_URL): connection refused`,
  );
  expect(limited.said).toMatchObject([
    { host: `127.0.0.1:${port}, localhost:${port}`, setting: "DATABASE_URL", reason: "connection refused" },
  ]);
  expect(JSON.stringify(limited.said) + (await gaveUp.catch(String))).not.toContain(PASSWORD);
  const wrong = at(`127.0.0.1:${primary.port}`).replace(/postgres$/, "nowhere");
  await expect(awaitPostgres({ url: wrong, setting: "DATABASE_URL" }, waiting(60 * SECOND)), "no use to wait").rejects.toThrow(
    "does not exist",
  );
});

test("a whole server waits as its setting says, also on a standby", async () => {
  const env = { GATEHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"), GATEHOUSE_BASE_URL: "http://localhost:8080" };
  const limit = { GATEHOUSE_DATABASE_START_TIMEOUT_SECONDS: "1" };
  const config = loadConfig({ env: { ...env, ...limit, DATABASE_URL: at(`127.0.0.1:${standby.port}`) } });
  await expect(createCore(config, { output: { write: () => {} } })).rejects.toThrow("it is a standby, which takes no writes");
});

test("after a failover the new primary is found, and who waited for it goes on", async () => {
  const limited = waiting(60 * SECOND);
  const start = awaitPostgres({ url: at(`127.0.0.1:${standby.port}`), setting: "DATABASE_URL" }, limited);
  await primary.stop();
  await expect(portOf()).rejects.toThrow();
  await expect.poll(() => limited.said.at(-1)?.reason).toBe("it is a standby, which takes no writes");
  await standby.promote();
  await start;
  await expect.poll(portOf).toBe(standby.port);
});
