import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { checkDiskSpace } from "./health.ts";

let iam: Harness;
const contacts = ["mailto:security@example.org", "https://example.org/report"];
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_SECURITY_CONTACTS: contacts.join(", ") });
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const paths = [
  "/monitoring/health",
  "/monitoring/health/liveness",
  "/monitoring/health/readiness",
  "/monitoring/info",
  "/monitoring/metrics",
  "/livez",
  "/readyz",
];
const up = { status: "UP" };
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
const down = { status: "DOWN" };

describe("when all is well", () => {
  test("health lists every component, the groups, and no cache where none is configured", async () => {
    const answer = await iam.browser().get("/monitoring/health");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
    expect(answer.body).toEqual({
      status: "UP",
      groups: ["liveness", "readiness"],
      components: { db: up, diskSpace: up, livenessState: up, ping: up, readinessState: up, ssl: up },
    });
  });

  test("each group answers on its own", async () => {
    expect(await iam.browser().get("/monitoring/health/liveness")).toMatchObject({
      status: 200,
      body: { status: "UP", components: { livenessState: up } },
    });
    expect(await iam.browser().get("/monitoring/health/readiness")).toMatchObject({
      status: 200,
      body: { status: "UP", components: { db: up, readinessState: up } },
    });
  });

  test.each(["/livez", "/readyz"])("%s says ok in plain text", async (path) => {
    const answer = await iam.browser().get(path);
    expect(answer).toMatchObject({ status: 200, text: "ok" });
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  test("info reports the running build", async () => {
    const { status, body } = await iam.browser().get("/monitoring/info");
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "gatehouse",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: null,
      nodeVersion: process.versions.node,
      mode: "production",
      startedAt: expect.any(Number),
    });
    expect(Math.abs(clock.now() - body.startedAt)).toBeLessThan(10 * MINUTE);
  });

  test("security.txt names the contacts, and expires within a year", async () => {
    const { status, headers, text } = await iam.browser().get("/.well-known/security.txt");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/plain; charset=utf-8" });
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("Contact: "))).toEqual(contacts.map((contact) => `Contact: ${contact}`));
    expect(lines).toContain(`Canonical: ${iam.config.baseUrl}/.well-known/security.txt`);
    const expires = Date.parse(lines.find((line) => line.startsWith("Expires: "))!.slice(9));
    expect(expires).toBeGreaterThan(clock.now());
    expect(expires).toBeLessThan(clock.now() + 365 * DAY);
  });

  test.each(paths)("%s needs no cookie, sets none, and is not logged", async (path) => {
    const outsider = await iam.browser().get(path);
    const realm = await iam.realm();
    const lines = iam.output.length;
    const signedIn = await realm.asMaster().browser.get(path);
    for (const answer of [outsider, signedIn]) {
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty("set-cookie");
    }
    expect(iam.output.slice(lines).join("")).not.toContain(path);
  });
});

describe("when something is not", () => {
  test("a Redis that cannot be reached is DOWN and so is the whole, but the server stays ready and alive", async () => {
    const node = await harness({ REDIS_URL: "redis://:hunter2@127.0.0.1:1" });
    try {
      const answer = await node.browser().get("/monitoring/health");
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ status: "DOWN", components: { redis: down, db: up, livenessState: up, readinessState: up } });
      expect(Object.keys(answer.body.components.redis)).toEqual(["status"]);
      for (const path of paths.slice(1)) expect((await node.browser().get(path)).status).toBe(200);
      expect(node.output.join("")).not.toContain("hunter2");
    } finally {
      await node.close();
    }
  });

  test("an unavailable corpus of breached passwords is DOWN, blocks no password, and the server stays ready", async () => {
    const corpus = join(tmpdir(), `no-corpus-${process.pid}`);
    const node = await harness({ GATEHOUSE_BREACH_CORPUS: corpus });
    try {
      const answer = await node.browser().get("/monitoring/health");
      expect(answer).toMatchObject({ status: 503, body: { status: "DOWN", components: { breachCorpus: down, readinessState: up } } });
      expect(answer.text).not.toContain(corpus);
      expect((await node.browser().get("/readyz")).status).toBe(200);
      const realm = await node.realm();
      const { userId } = await realm.user();
      const set = (newPassword: string) => realm.asMaster().put(`/users/${userId}/password`, { newPassword });
      expect((await set("a sentence nobody else has")).status).toBe(204);
      expect(await set("password123"), "the list that ships still counts").toMatchObject({
        status: 400,
        body: { code: "password.breached" },
      });
      expect(
        node.output.filter((line) => line.includes("only the shipped list")),
        "once a minute",
      ).toHaveLength(1);

      await mkdir(corpus);
      const sha1 = createHash("sha1").update("leaked a while ago").digest("hex").toUpperCase();
      await writeFile(join(corpus, `${sha1.slice(0, 5)}.txt`), `${sha1.slice(5)}:3\r\n`);
      expect(await set("leaked a while ago")).toMatchObject({ status: 400, body: { code: "password.breached" } });
      clock.advance(MINUTE);
      expect(await node.browser().get("/monitoring/health")).toMatchObject({ status: 200, body: { components: { breachCorpus: up } } });
    } finally {
      await node.close();
      await rm(corpus, { recursive: true, force: true });
    }
  });

  const redisInstalled = spawnSync("redis-server", ["--version"]).status === 0;
  test.runIf(redisInstalled)("a Redis that recovers is UP again", async () => {
    const port = await freePort();
    const node = await harness({ REDIS_URL: `redis://127.0.0.1:${port}` });
    const health = () => {
      clock.advance(2 * SECOND);
      return node.browser().get("/monitoring/health");
    };
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    let redis: ChildProcess | undefined;
    try {
      expect(await health()).toMatchObject({ status: 503, body: { components: { redis: down } } });
      redis = spawn("redis-server", flags, { stdio: "ignore" });
      await expect.poll(async () => (await health()).body).toMatchObject({ status: "UP", components: { redis: up } });
    } finally {
      redis?.kill("SIGKILL");
      await node.close();
    }
  });

  test("while draining it is not ready, but alive; every answer ends its connection", async () => {
    const node = await harness();
    try {
      const browser = node.browser();
      expect((await browser.get("/readyz")).status).toBe(200);
      node.server.drain();

      expect(await browser.get("/readyz")).toMatchObject({ status: 503, text: "not ready" });
      expect(await browser.get("/monitoring/health/readiness")).toMatchObject({
        status: 503,
        body: { status: "DOWN", components: { db: up, readinessState: down } },
      });
      expect(await browser.get("/monitoring/health")).toMatchObject({
        status: 503,
        body: { components: { readinessState: down, db: up } },
      });
      expect((await browser.get("/monitoring/health/liveness")).status).toBe(200);
      for (const path of ["/livez", "/realms/master/jwks", "/admin/realms", "/nowhere"])
        expect((await browser.get(path)).headers.connection, path).toBe("close");
    } finally {
      await node.close();
    }
  });

  test.runIf(testDatabase() === "embedded")("an embedded database that is gone takes readiness with it, not liveness", async () => {
    const node = await harness();
    await node.core.db.destroy();
    clock.advance(2 * SECOND);
    await expectDatabaseDown(node);
    await node.close();
  });

  test.runIf(testDatabase() === "postgres")(
    "a Postgres that refuses connections is distinguished, logged once, and found again",
    async () => {
      const node = await harness();
      const name = new URL(node.config.databaseUrl!).pathname.slice(1);
      const admin = new pg.Client({ connectionString: process.env.GATEHOUSE_TEST_POSTGRES_URL });
      await admin.connect();
      try {
        // A connection that breaks while it is in use must not end the process.
        let goOn!: () => void;
        const broken = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        const held = node.core.db.transaction().execute(async (tx) => {
          await sql`select 1`.execute(tx);
          await broken;
          await sql`select 1`.execute(tx);
        });
        held.catch(() => undefined);
        await admin.query(`alter database ${name} with allow_connections false`);
        await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
        clock.advance(2 * SECOND);
        await expectDatabaseDown(node);
        goOn();
        await expect(held).rejects.toThrow();
        clock.advance(2 * SECOND);
        await expectDatabaseDown(node);
        expect(node.output.filter((line) => line.includes("the component is down"))).toHaveLength(1);

        await admin.query(`alter database ${name} with allow_connections true`);
        clock.advance(2 * SECOND);
        expect(await node.browser().get("/monitoring/health")).toMatchObject({ status: 200, body: { status: "UP" } });
        expect(node.output.filter((line) => line.includes("the component is up again"))).toHaveLength(1);
      } finally {
        await admin.query(`alter database ${name} with allow_connections true`);
        await admin.end();
        await node.close();
      }
    },
  );

  async function expectDatabaseDown(node: Harness) {
    const browser = node.browser();
    const health = await browser.get("/monitoring/health");
    expect(health).toMatchObject({
      status: 503,
      body: { status: "DOWN", components: { db: down, readinessState: down, livenessState: up } },
    });
    // Neither address nor error: only up or down.
    expect(Object.values(health.body.components).flatMap((component) => Object.keys(component as object))).toEqual(
      Object.keys(health.body.components).map(() => "status"),
    );
    expect((await browser.get("/monitoring/health/readiness")).status).toBe(503);
    expect((await browser.get("/readyz")).status).toBe(503);
    expect((await browser.get("/monitoring/health/liveness")).status).toBe(200);
    expect((await browser.get("/livez")).status).toBe(200);
    const metrics = await browser.get("/monitoring/metrics");
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain("\nsvc_database_up 0\n");
  }

  // Linux counts no free blocks where nothing can be stored.
  test.runIf(testDatabase() === "postgres" && process.platform === "linux")("a full disk is DOWN, and the server stays ready", async () => {
    const node = await harness({ GATEHOUSE_DATA_DIR: "/proc" });
    try {
      expect(await node.browser().get("/monitoring/health")).toMatchObject({
        status: 503,
        body: { status: "DOWN", components: { diskSpace: down, readinessState: up } },
      });
      expect((await node.browser().get("/readyz")).status).toBe(200);
    } finally {
      await node.close();
    }
  });

  test("disk space is measured where the data folder will be, against the least that must be free", async () => {
    const notThereYet = join(tmpdir(), "not", "there", "yet");
    await expect(checkDiskSpace(notThereYet, 1)).resolves.toBeUndefined();
    await expect(checkDiskSpace(notThereYet, Number.MAX_SAFE_INTEGER)).rejects.toThrow("MiB free");
  });
});

test("a burst of probes asks the database once a second", async () => {
  let requested = 0;
  const adapter = iam.core.database.monitor.getExecutor();
  const original = adapter.executeQuery;
  adapter.executeQuery = function (this: typeof adapter, query, ...more) {
    if (/^select from realm_versions where false/.test(query.sql)) requested++;
    return original.call(this, query, ...more);
  } as typeof original;
  try {
    clock.advance(5 * SECOND);
    await Promise.all(Array.from({ length: 50 }, (_, i) => iam.browser().get(i % 2 ? "/readyz" : "/monitoring/health")));
    expect(requested).toBe(1);
    clock.advance(SECOND);
    await iam.browser().get("/readyz");
    expect(requested).toBe(2);
  } finally {
    adapter.executeQuery = original;
  }
});
