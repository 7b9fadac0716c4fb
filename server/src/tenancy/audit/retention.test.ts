import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { type Harness, harness, MASTER_PASSWORD } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { settled } from "../../testing/trail.ts";
import { forgetForwarder } from "./forwarder.ts";
import { createForwarderCursor } from "./lease.store.ts";
import { applyRetention, RETENTION_JOB } from "./retention.store.ts";

// Days go by here, and with them the session of the administrator who makes the realms: all are made at the beginning.
let iam: Harness;
const realms: RealmUnderTest[] = [];
const newRealm = () => realms.pop()!;
beforeAll(async () => {
  iam = await harness();
  for (let n = 0; n < 10; n++) realms.push(await iam.realm());
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const record = (realm: string, ...details: string[]) =>
  iam.core.work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
    for (const detail of details) ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "things", detail });
  });
/** The realm's own, straight from the table: after so many days no session lives to ask for them. */
const recorded = async (realm: string, resourceType = "things") => {
  const rows = await iam.core.db
    .selectFrom("audit_events")
    .select(["detail", "type"])
    .where("realm_id", "=", realm)
    .where("resource_type", "=", resourceType)
    .orderBy("event_id")
    .execute();
  return rows.map(({ detail }) => detail);
};
const keep = async (realm: RealmUnderTest, retentionDays: number | null) => {
  const master = iam.browser();
  await master.signIn("master", "admin", MASTER_PASSWORD);
  const path = `/admin/realms/${realm.name}/settings`;
  const { body } = await master.get(path);
  return master.put(path, { ...body, audit: { retentionDays } });
};
const jobs = (realm: string) =>
  iam.core.db.selectFrom("jobs").select(["run_at", "dedupe_key"]).where("kind", "=", RETENTION_JOB).where("realm_id", "=", realm).execute();
const retain = (realm: string) => applyRetention(iam.core, realm);
/** For the forwarder and the webhooks, all of them are sent. */
const allSent = () =>
  sql`update event_cursors set xid = pg_current_xact_id(), event_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`.execute(iam.core.db);
/** Makes the job's own worker run what is due, whichever of the two comes first. */
const untilRun = (check: () => Promise<unknown>, expected: unknown) =>
  expect
    .poll(async () => {
      await iam.server.jobs.runDue();
      return check();
    })
    .toEqual(expected);

describe("audit.retentionDays", () => {
  test("is a number of days between 7 and 3,650 or null, which is the default; anything else is a 400 that names it", async () => {
    const realm = newRealm();
    const { body } = await realm.asMaster().get("/settings");
    expect(body.audit).toEqual({ retentionDays: null });
    for (const retentionDays of [6, 3_651, 0, -1, 30.5, "30", {}, []]) {
      const answer = await realm.asMaster().put("/settings", { ...body, audit: { retentionDays } });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "audit.retentionDays" }] } });
    }
    expect(await jobs(realm.name)).toEqual([]);
  });

  test("deletes what is older, of this realm only, says how many, and comes again each day", async () => {
    const [realm, other] = [newRealm(), newRealm()];
    await record(realm.name, "old");
    await record(other.name, "old");
    await record(realm.name, "older");
    await allSent();
    const begin = clock.now();
    clock.advance(29 * DAY);
    await record(realm.name, "young");
    expect((await keep(realm, 30)).status).toBe(200);
    await untilRun(() => recorded(realm.name), ["old", "older", "young"]);
    expect(await recorded(realm.name, "events")).toEqual([]);
    await untilRun(async () => (await jobs(realm.name)).length, 1);

    await allSent();
    clock.advance(2 * DAY);
    await untilRun(() => recorded(realm.name), ["young"]);
    expect(await recorded(other.name)).toEqual(["old"]);
    const [said, ...others] = await recorded(realm.name, "events");
    expect(others).toEqual([]);
    expect(said).toMatch(/^retention: deleted \d+ events from before \d{4}-/);
    // The other events of the realm's beginning went too.
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from audit_events where realm_id = ${realm.name} and ts < ${begin + DAY}`.execute(iam.core.db);
    expect(rows[0]!.count).toBe(0);
    await untilRun(async () => (await jobs(realm.name)).map(({ run_at }) => run_at > clock.now() + 23 * HOUR), [true]);
  });

  test("cleared again, nothing is deleted and the job ends", async () => {
    const realm = newRealm();
    await record(realm.name, "old");
    await allSent();
    await keep(realm, 7);
    await untilRun(async () => (await jobs(realm.name)).map(({ run_at }) => run_at > clock.now()), [true]);
    await keep(realm, null);
    clock.advance(30 * DAY);
    await untilRun(() => jobs(realm.name), []);
    expect(await recorded(realm.name)).toEqual(["old"]);
  });

  test("set twice on a day, one run follows on the next", async () => {
    const realm = newRealm();
    await keep(realm, 7);
    await untilRun(async () => (await jobs(realm.name)).map(({ run_at }) => run_at > clock.now()), [true]);
    await keep(realm, 8);
    await untilRun(async () => (await jobs(realm.name)).map(({ run_at }) => run_at > clock.now()), [true]);
  });

  test("a change that leaves it as it is starts nothing", async () => {
    const realm = newRealm();
    const master = iam.browser();
    await master.signIn("master", "admin", MASTER_PASSWORD);
    const path = `/admin/realms/${realm.name}/settings`;
    const change = async (welcomeText: string) => {
      const { body } = await master.get(path);
      expect((await master.put(path, { ...body, welcomeText })).status).toBe(200);
    };
    await change("Hello");
    expect(await jobs(realm.name)).toEqual([]);
    await keep(realm, 7);
    const tomorrow = async () => (await jobs(realm.name)).filter(({ run_at }) => run_at > clock.now());
    await untilRun(async () => (await tomorrow()).length, 1);
    const before = await tomorrow();
    await change("Hello again");
    expect(await jobs(realm.name)).toEqual(before);
  });
});

describe("events that are still needed stay:", () => {
  test("unsent events of the forwarder", async () => {
    const realm = newRealm();
    await keep(realm, 7);
    await record(realm.name, "sent");
    await forgetForwarder(iam.core.db, silent);
    await settled(iam.core.db);
    await createForwarderCursor(iam.core.db);
    await record(realm.name, "not sent");
    await sql`update event_cursors set xid = pg_current_xact_id() where name = 'webhooks'`.execute(iam.core.db);
    clock.advance(8 * DAY);
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual(["not sent"]);
    await forgetForwarder(iam.core.db, silent);
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual([]);
  });

  test("events that the webhooks have not read", async () => {
    const realm = newRealm();
    await keep(realm, 7);
    await sql`update event_cursors set xid = pg_current_xact_id(), event_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff', locked_until = 0`.execute(
      iam.core.db,
    );
    await iam.server.webhooks.stop();
    await record(realm.name, "waits");
    clock.advance(8 * DAY);
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual(["waits"]);
    await allSent();
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual([]);
  });

  test("the event of an unfinished webhook delivery", async () => {
    const realm = newRealm();
    await keep(realm, 7);
    await record(realm.name, "pending", "delivered");
    const events = await iam.core.db
      .selectFrom("audit_events")
      .select(["event_id", "ts", "detail"])
      .where("realm_id", "=", realm.name)
      .where("resource_type", "=", "things")
      .execute();
    const webhookId = newId();
    await sql`insert into webhooks (realm_id, webhook_id, name, url, event_types, created_at) values (${realm.name}, ${webhookId}, 'x', 'https://example.com', '*', 0)`.execute(
      iam.core.db,
    );
    for (const { event_id, ts, detail } of events)
      await sql`insert into webhook_deliveries (realm_id, webhook_id, delivery_id, event_id, event_ts, event_type, status, next_at, created_at)
        values (${realm.name}, ${webhookId}, ${newId()}, ${event_id}, ${ts}, 'ADMIN_ACTION', ${detail === "pending" ? "PENDING" : "DELIVERED"}, ${ts + 365 * DAY}, 0)`.execute(
        iam.core.db,
      );
    await allSent();
    clock.advance(8 * DAY);
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual(["pending"]);
    await sql`update webhook_deliveries set status = 'DEAD' where realm_id = ${realm.name}`.execute(iam.core.db);
    await retain(realm.name);
    expect(await recorded(realm.name)).toEqual([]);
  });
});

test("a long trail goes in batches, and what a crash left goes the next time", async () => {
  const realm = newRealm();
  await keep(realm, 7);
  await sql`
    insert into audit_events (realm_id, event_id, ts, category, type, actor, outcome, resource_type, detail)
    select ${realm.name}, gen_random_uuid(), ${clock.now()}::bigint - n, 'ADMIN', 'ADMIN_ACTION', 'system', 'SUCCESS', 'things', 'many'
    from generate_series(1, 12000) n`.execute(iam.core.db);
  await allSent();
  // The worker would help.
  await iam.core.db.deleteFrom("jobs").where("kind", "=", RETENTION_JOB).execute();
  clock.advance(8 * DAY);
  let commits = 0;
  const dying = {
    db: iam.core.db,
    work: {
      transact: (...args: Parameters<typeof iam.core.work.transact>) => {
        if (++commits > 1) throw new Error("killed");
        return iam.core.work.transact(...args);
      },
    } as typeof iam.core.work,
  };
  await expect(applyRetention(dying, realm.name)).rejects.toThrow("killed");
  const left = (await recorded(realm.name)).length;
  expect(left).toBeLessThan(12_000);
  expect(left).toBeGreaterThan(6_000);
  await retain(realm.name);
  expect(await recorded(realm.name)).toEqual([]);
  const counts = (await recorded(realm.name, "events")).map((detail) => Number(/deleted (\d+)/.exec(detail!)![1]));
  expect(counts.length).toBeGreaterThan(2);
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(12_000);
});
