import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import { inTransaction, outsideTransaction } from "../db/index.ts";
import { configVersion, createRealmChanges, watchRealmChanges } from "./index.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 90_000, interval: 50 });

test("a change is announced with its write, or not at all", async () => {
  const realm = await iam.realm();
  const changes = createRealmChanges();
  const before = await configVersion(iam.core.db, realm.name);
  await inTransaction(iam.core.db, (tx) => changes.announce(tx, realm.name));
  const failing = inTransaction(iam.core.db, async (tx) => {
    await changes.announce(tx, realm.name);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(await configVersion(iam.core.db, realm.name)).toBe(before + 1);
});

describe.skipIf(testDatabase() !== "postgres")("another node", () => {
  /** A node that only listens, and writes down what it hears. */
  const listener = async () => {
    const heard: (string | null)[] = [];
    const changes = createRealmChanges();
    changes.onDrop((realm, version) => heard.push(realm, ...(version === undefined ? [] : [`${realm} ${version}`])));
    const watcher = await watchRealmChanges({
      db: iam.core.db,
      url: iam.config.databaseUrl!,
      changes,
      outages: iam.core.database.outages,
      log: pino({ level: "silent" }),
    });
    heard.length = 0;
    return { heard, close: watcher.close };
  };

  test("hears of a change of settings, a new realm and a deleted one", async () => {
    const realm = await iam.realm();
    const node = await iam.secondNode();
    const shown = async () => (await node.server.app.inject({ url: `/realms/${realm.name}/login` })).body;
    expect(await shown()).not.toContain("Wonderland");
    await realm.asMaster().put("/settings", { displayName: "Wonderland" });
    await eventually(async () => expect(await shown()).toContain("Wonderland"));

    expect((await node.server.app.inject({ url: `/realms/new-${realm.name}/login` })).statusCode).toBe(404);
    await realm.asMaster().browser.post("/admin/realms", { realm: `new-${realm.name}`, adminPassword: "a password for tests" });
    await eventually(async () => expect((await node.server.app.inject({ url: `/realms/new-${realm.name}/login` })).statusCode).toBe(200));
    await realm.asMaster().browser.delete(`/admin/realms/new-${realm.name}`);
    await eventually(async () => expect((await node.server.app.inject({ url: `/realms/new-${realm.name}/login` })).statusCode).toBe(404));
  });

  test("is notified by the commit, and not of what is rolled back", async () => {
    const { db, database } = iam.core;
    const client = await database.pool!.connect();
    const heard: (string | undefined)[] = [];
    client.on("notification", ({ payload }) => heard.push(payload));
    await client.query("listen gatehouse_realm");
    const { name } = await iam.realm();
    const changes = createRealmChanges();
    const failing = inTransaction(db, async (tx) => {
      await changes.announce(tx, name);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await inTransaction(db, (tx) => changes.announce(tx, name));
    await eventually(() => expect(heard).toEqual([name, name]));
    client.release(true);
  });

  test("forgets everything when it loses its connection, and hears again after", async () => {
    const { heard, close } = await listener();
    const realm = await iam.realm();
    await eventually(() => expect(heard).toContain(realm.name));
    heard.length = 0;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse listen' and datname = current_database()`.execute(
      iam.core.db,
    );
    // Once for the loss, once for what may have been missed until it listened again.
    await eventually(() => expect(heard.filter((each) => each === null).length).toBeGreaterThanOrEqual(2));
    heard.length = 0;
    await realm.asMaster().put("/settings", { displayName: "again" });
    await eventually(() => expect(heard).toContain(realm.name));
    await close();
  });

  test("says once that its clock and the database's differ, and when they agree again", async () => {
    const said: string[] = [];
    const note = (_details: object, message: string) => void said.push(message);
    const { close } = await watchRealmChanges({
      db: iam.core.db,
      url: iam.config.databaseUrl!,
      changes: createRealmChanges(),
      outages: iam.core.database.outages,
      log: { warn: note, info: note },
    });
    try {
      clock.advance(90_000);
      await eventually(() => expect(said).toEqual([expect.stringContaining("differ")]));
      clock.reset();
      await eventually(() => expect(said).toEqual([expect.stringContaining("differ"), expect.stringContaining("agree again")]));
    } finally {
      clock.reset();
      await close();
    }
  });

  test("leaves no listener behind, however often it connects again", async () => {
    const [added, removed] = [vi.spyOn(EventTarget.prototype, "addEventListener"), vi.spyOn(EventTarget.prototype, "removeEventListener")];
    const aborts = (spy: typeof added | typeof removed) => spy.mock.calls.filter(([type]) => type === "abort").length;
    const heard: (string | null)[] = [];
    const changes = createRealmChanges();
    changes.onDrop((realm) => heard.push(realm));
    const log = pino({ level: "silent" });
    const { close } = await watchRealmChanges({
      db: iam.core.db,
      url: iam.config.databaseUrl!,
      changes,
      outages: iam.core.database.outages,
      log,
      reconnectAfter: 1,
    });
    try {
      for (let times = 0; times < 5; times++) {
        heard.length = 0;
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse listen' and datname = current_database()`.execute(
          iam.core.db,
        );
        await eventually(() => expect(heard.filter((each) => each === null).length).toBeGreaterThanOrEqual(2));
      }
      expect(aborts(added) - aborts(removed)).toBeLessThanOrEqual(1);
    } finally {
      await close();
      vi.restoreAllMocks();
    }
  });

  test("finds by polling what no notification announced", async () => {
    const realm = await iam.realm();
    const { heard, close } = await listener();
    await sql`update realm_versions set version = version + 1, xid = pg_current_xact_id() where realm_id = ${realm.name}`.execute(
      iam.core.db,
    );
    await eventually(() => expect(heard).toContain(realm.name));
    await close();
  });

  test("does not read a realm again and again that came with a dump of another cluster, and hears of its next change", async () => {
    const [restored, other] = [await iam.realm(), await iam.realm()];
    // Transactions there had higher numbers.
    await sql`update realm_versions set xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000)::text::xid8
      where realm_id = ${restored.name}`.execute(iam.core.db);
    const bump = (realm: string) =>
      sql`update realm_versions set version = version + 1, xid = pg_current_xact_id() where realm_id = ${realm}`.execute(iam.core.db);
    const { heard, close } = await listener();
    const isOfRestored = (each: string | null) => each?.startsWith(`${restored.name} `);
    for (let times = 0; times < 2; times++) {
      heard.length = 0;
      await bump(other.name);
      await eventually(() => expect(heard).toContain(other.name));
      // With a version: found by polling.
      expect(heard.filter(isOfRestored)).toEqual([]);
    }
    await bump(restored.name);
    await eventually(() => expect(heard.filter(isOfRestored)).not.toEqual([]));
    await close();
  });

  test("does not skip a change that was begun before, and committed after, others it has seen", async () => {
    const [late, early] = [await iam.realm(), await iam.realm()];
    const { heard, close } = await listener();
    // By its version: that the realm was made may still be heard of, too.
    const change = `${late.name} ${(await configVersion(iam.core.db, late.name)) + 1}`;
    const bump = (realm: string) =>
      sql`update realm_versions set version = version + 1, xid = pg_current_xact_id() where realm_id = ${realm}`;
    await inTransaction(iam.core.db, async (tx) => {
      await bump(late.name).execute(tx);
      for (let times = 0; times < 2; times++) {
        heard.length = 0;
        await outsideTransaction(() => bump(early.name).execute(iam.core.db));
        await eventually(() => expect(heard).toContain(early.name));
        expect(heard).not.toContain(change);
      }
    });
    await eventually(() => expect(heard).toContain(change));
    await close();
  });
});
