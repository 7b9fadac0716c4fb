import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { Browser } from "../../testing/browser.ts";
import { type DatabaseProxy, databaseProxy } from "../../testing/database-proxy.ts";
import { type Harness, harness, MASTER_PASSWORD, type Node } from "../../testing/harness.ts";
import { asAdmin } from "../../testing/postgres-admin.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";

const TIMEOUT = SECOND;
const POOL = 4;
/** As good as no deadline at all, even on a busy machine. */
const FOR_EVER = 20 * SECOND;

let iam: Harness;
let proxy: DatabaseProxy;
let node: Node;
let admin: Browser;
beforeAll(async () => {
  iam = await harness();
  proxy = await databaseProxy(iam.config.databaseUrl!);
  node = await iam.secondNode({
    DATABASE_URL: proxy.url,
    GATEHOUSE_DATABASE_POOL: String(POOL),
    GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS: String(TIMEOUT),
    GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS: String(TIMEOUT),
    GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS: String(TIMEOUT / 2),
  });
  admin = new Browser(node.server.app);
  await admin.signIn("master", "admin", MASTER_PASSWORD);
});
afterAll(async () => {
  proxy?.goOn();
  await iam?.close();
  await proxy?.close();
});
afterEach(async () => {
  proxy.goOn();
  await expect.poll(async () => (await admin.get("/admin/realms")).status).toBe(200);
});

const users = "/admin/realms/master/users";
const problem = { status: 503, headers: { "retry-after": "2" }, body: { code: "server.database_unavailable" } };

/** Runs while another transaction locks these tables. */
async function whileLocked<T>(tables: string, work: () => Promise<T>): Promise<T> {
  return iam.core.database.background.transaction().execute(async (tx) => {
    await sql.raw(`lock table ${tables} in access exclusive mode`).execute(tx);
    return work();
  });
}

/** A client that gets tokens in its own name, and a request for one, at a node. */
async function machine() {
  const realm = await iam.realm();
  const { body: client } = await realm.asMaster().post("/clients", { clientId: "machine", grantTypes: ["client_credentials"] });
  const authorization = `Basic ${Buffer.from(`machine:${client.secret}`).toString("base64")}`;
  const token = async (at: Node) => {
    const answer = await at.server.app.inject({
      method: "POST",
      url: `/realms/${realm.name}/token`,
      headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
      payload: "grant_type=client_credentials",
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  };
  return { realm, client, token };
}

describe("a node that is cut off from the database without notice", () => {
  test("issues no more tokens after five seconds, whatever it remembers, and hears of what it missed", async () => {
    const { realm, client, token } = await machine();
    // Until it asks the database nothing: only what it remembers can give a token then.
    let requested = 0;
    node.core.database.pool!.on("acquire", () => requested++);
    await expect
      .poll(async () => {
        const before = requested;
        expect((await token(node)).status).toBe(200);
        return requested - before;
      })
      .toBe(0);
    proxy.swallow();
    const { secret: _, ...members } = client;
    const disabled = await realm.asMaster().put(`/clients/${client.id}`, { ...members, enabled: false });
    expect(disabled.status, disabled.text).toBe(200);

    await expect.poll(() => token(node)).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
    expect(await token(node)).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    await expect.poll(async () => (await node.server.app.inject({ url: `/realms/${realm.name}/jwks` })).statusCode).toBe(503);

    proxy.goOn();
    await expect.poll(async () => (await token(node)).status).not.toBe(503);
    expect(await token(node)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  test("is not ready, and ready again", async () => {
    const ready = () => {
      clock.advance(2 * SECOND);
      return admin.get("/readyz");
    };
    expect((await ready()).status).toBe(200);
    proxy.swallow();
    await expect.poll(async () => (await ready()).status).toBe(503);
    proxy.goOn();
    await expect.poll(async () => (await ready()).status).toBe(200);
    clock.reset();
  });

  test("answers 503 within the deadline and gives up the connections that do not answer", async () => {
    await admin.get(users);
    const used = new Set<unknown>();
    node.core.database.pool!.on("acquire", (client) => used.add(client)).on("remove", (client) => used.delete(client));
    proxy.swallow();
    const began = performance.now();
    const answers = await Promise.all([admin.get(users), admin.get(users)]);
    expect(performance.now() - began).toBeLessThan(FOR_EVER);
    for (const answer of answers) expect(answer).toMatchObject(problem);
    // Had they gone back to the pool, the next requests would wait for answers to these.
    await expect.poll(() => used.size).toBe(0);
  });
});

test("a refresh that was committed and answered with 503 can be repeated once the database is back, however long that took", async () => {
  const realm = await iam.realm();
  const { body: settings } = await realm.asMaster().get("/settings");
  await realm.asMaster().put("/settings", { ...settings, tokens: { ...settings.tokens, refreshReuseGraceSeconds: 1 } });
  const party = await relyingParty(iam, realm, {});
  const { body: tokens } = await party.signIn(iam.browser(), await realm.user());
  const form = { grant_type: "refresh_token", client_id: party.clientId, refresh_token: tokens.refresh_token };
  const refresh = () => new Browser(node.server.app).request("POST", `/realms/${realm.name}/token`, { form, csrf: false });
  proxy.loseAnswerTo("set consumed_at");
  expect(await refresh()).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
  const { rows } = await sql<{ used: boolean }>`
    select consumed_at is not null as used from oidc_records
    where realm_id = ${realm.name} and model = 'RefreshToken' order by consumed_at`.execute(iam.core.db);
  expect(rows, "committed: one is used, its successor is stored").toEqual([{ used: true }, { used: false }]);
  await setTimeout(3 * SECOND);
  proxy.goOn();
  await expect.poll(async () => (await refresh()).status).toBe(200);
  clock.advance(2 * SECOND);
  expect((await refresh()).body.error, "the grace begins when the database is back").toBe("invalid_grant");
  clock.reset();
});

describe("a host that takes no writes any more, and answers reads as before", () => {
  const name = () => new URL(iam.config.databaseUrl!).pathname.slice(1);
  const becomeReadOnly = async () => {
    await asAdmin((client) => client.query(`alter database ${name()} set default_transaction_read_only = on`));
    // The new connections of this node are such; the other node keeps its own.
    proxy.reset();
  };
  afterEach(() => asAdmin((client) => client.query(`alter database ${name()} reset default_transaction_read_only`)));

  test("is not ready, and ready again without a hand", async () => {
    const ready = () => {
      clock.advance(2 * SECOND);
      return admin.get("/readyz");
    };
    await becomeReadOnly();
    // The reset alone takes it away for a moment.
    await setTimeout(3 * SECOND);
    expect((await ready()).status).toBe(503);
    expect((await ready()).status).toBe(503);
    await asAdmin((client) => client.query(`alter database ${name()} reset default_transaction_read_only`));
    await expect.poll(async () => (await ready()).status).toBe(200);
    clock.reset();
  });

  test("is not believed that nothing has changed: what was read before counts no more", async () => {
    const { token } = await machine();
    let requested = 0;
    node.core.database.pool!.on("acquire", () => requested++);
    const requests = async () => {
      const before = requested;
      expect((await token(node)).status).not.toBe(401);
      return requested - before;
    };
    await becomeReadOnly();
    await expect.poll(async () => (await token(node)).status).toBe(200);
    await setTimeout(7 * SECOND);
    for (let times = 0; times < 3; times++) {
      expect(await requests(), "nobody confirms it").toBeGreaterThan(0);
      await setTimeout(1_100);
    }
  });
});

describe("a connection that breaks in the middle of a request", () => {
  const broken = async (tables: string, request: () => Promise<{ status: number }>) =>
    whileLocked(tables, async () => {
      const answer = request();
      await expect.poll(() => waitingSessions(iam.core.db)).toBeGreaterThan(0);
      proxy.reset();
      return answer;
    });

  test("is a 503 of the admin API, to be tried again", async () => {
    expect(await broken("users", () => admin.get(users))).toMatchObject(problem);
    expect(await broken("realm_settings", () => admin.put("/admin/realms/master/settings", { displayName: "x" }))).toMatchObject(problem);
  });

  test("is temporarily_unavailable in OAuth, from our own endpoints and from the engine's", async () => {
    const { realm, token } = await machine();
    const post = async (path: string, form: Record<string, string>) =>
      new Browser(node.server.app).request("POST", `/realms/${realm.name}${path}`, { form, csrf: false });
    const unavailable = { status: 503, headers: { "retry-after": "2" }, body: { error: "temporarily_unavailable" } };
    expect(await broken("clients", () => token(node))).toMatchObject(unavailable);
    const app = { clientId: "app", publicClient: true, redirectUris: ["https://app.example/cb"] };
    expect((await realm.asMaster().post("/clients", app)).status).toBe(201);
    const code = { grant_type: "authorization_code", client_id: "app", code: "x".repeat(43), redirect_uri: "https://app.example/cb" };
    await expect.poll(async () => (await post("/token", code)).body.error).toBe("invalid_grant");
    expect(await broken("oidc_records", () => post("/token", { ...code, code_verifier: "v".repeat(43) }))).toMatchObject(unavailable);
  });

  test("is a page that asks for patience where people look", async () => {
    const { realm } = await machine();
    const page = await broken("realm_settings", () => new Browser(node.server.app).get(`/realms/${realm.name}/login`));
    expect(page).toMatchObject({ status: 503, headers: { "retry-after": "2", "content-type": "text/html; charset=utf-8" } });
  });
});

describe("a database that is busy", () => {
  test("a locked table is a 503 after the lock timeout, and the connection stays", async () => {
    await whileLocked("users", async () => {
      const began = performance.now();
      expect(await admin.get(users)).toMatchObject(problem);
      expect(performance.now() - began).toBeLessThan(FOR_EVER);
    });
    expect(node.core.database.pool!.totalCount).toBeGreaterThan(0);
  });

  test("a frozen Postgres is a 503 within the deadline", async () => {
    await admin.get(users);
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'gatehouse'
        and pid <> pg_backend_pid()`.execute(iam.core.db);
    const freeze = (signal: "SIGSTOP" | "SIGCONT") => {
      for (const { pid } of rows) process.kill(pid, signal);
    };
    freeze("SIGSTOP");
    try {
      const began = performance.now();
      expect(await admin.get(users)).toMatchObject(problem);
      expect(performance.now() - began).toBeLessThan(FOR_EVER);
    } finally {
      freeze("SIGCONT");
    }
  });

  test("a full pool is not an unreachable database: requests are refused, the node stays ready", async () => {
    const held = await Promise.all(Array.from({ length: POOL }, () => node.core.database.pool!.connect()));
    try {
      clock.advance(2 * SECOND);
      expect((await admin.get("/readyz")).status).toBe(200);
      expect(await admin.get(users)).toMatchObject(problem);
    } finally {
      for (const client of held) client.release();
      clock.reset();
    }
  });

  test("a statement that takes too long is ended by the database, and its connection goes on", async () => {
    await node.core.db.connection().execute(async (db) => {
      await expect(sql`select pg_sleep(30)`.execute(db)).rejects.toMatchObject({ code: "57014" });
      await sql`select 1`.execute(db);
    });
  });

  test("background work has its own connections and takes longer", async () => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(node.core.database.background);
    expect(rows).toEqual([{ statement_timeout: "1min" }]);
    const sleeps = Array.from({ length: POOL }, () => sql`select pg_sleep(30)`.execute(node.core.db).catch(() => null));
    await sql`select pg_sleep(${(TIMEOUT * 1.5) / SECOND}::float)`.execute(node.core.background.db);
    await Promise.all(sleeps);
  });
});
