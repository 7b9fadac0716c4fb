// Several nodes, late commits, and what a sign-in pays: the promises that hold the whole together.
import { sql } from "kysely";
import pg from "pg";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { EmbeddedDatabase } from "../../platform/db/pglite-database.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { deliverAll, type Receiver, receiver } from "../../testing/receiver.ts";
import { insertEvents } from "../audit/index.ts";
import { createWebhookSender, type WebhookSender } from "./index.ts";

let iam: Harness;
let peer: Receiver;
let sender: WebhookSender;
let outbound: ReturnType<typeof createOutbound>;
const onPostgres = testDatabase() === "postgres";

beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  await iam.server.webhooks.stop();
  await iam.server.jobs.stop();
  peer = await receiver();
  outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: true });
  const { db, work, vault } = iam.core;
  sender = createWebhookSender({
    db,
    work,
    vault,
    outbound,
    log: pino({ level: "silent" }),
    registry: new Registry(),
    waits: [SECOND],
    alone: false,
  });
});
afterEach(() => {
  peer.received.length = 0;
  clock.reset();
});
afterAll(async () => {
  await sender?.stop();
  await outbound?.close();
  await iam?.close();
  await peer?.close();
});

const subscribe = async (realm: RealmUnderTest, count = 1) => {
  for (let i = 0; i < count; i++) {
    const hook = { name: `n${i}`, url: `${peer.url}/${realm.name}/${i}`, eventTypes: "LOGIN_SUCCESS,LOGIN_FAILURE" };
    expect((await realm.asMaster().post("/webhooks", hook)).status).toBe(201);
  }
};
const ids = (realm: RealmUnderTest) => peer.received.filter(({ path }) => path.startsWith(`/${realm.name}/`)).map(({ body }) => body.id);

const eventOf = (realm: RealmUnderTest) => ({
  id: newId(),
  ts: clock.now(),
  realm: realm.name,
  category: "AUTHN" as const,
  type: "LOGIN_FAILURE",
  actor: "ada",
  actorId: null,
  actorKind: null,
  sourceIp: null,
  resourceType: null,
  resourceId: null,
  outcome: "FAILURE" as const,
  detail: null,
  impersonator: null,
  impersonatorId: null,
  requestId: null,
});

test("a sign-in runs as many statements with five subscriptions as with none", async () => {
  const realm = await iam.realm();
  const { username, password } = await realm.user();
  const query = onPostgres ? vi.spyOn(pg.Client.prototype, "query") : vi.spyOn(EmbeddedDatabase.prototype, "query");
  let signIns = 0;
  const signIn = async () => {
    signIns++;
    const browser = iam.browser();
    await browser.get(`/realms/${realm.name}/login`);
    const before = query.mock.calls.length;
    await browser.signIn(realm.name, username, password);
    return query.mock.calls.length - before;
  };
  // The background work asks something each second, too, which on a slow machine is in nearly every sign-in: the fewest count.
  await signIn();
  let without = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) without = Math.min(without, await signIn());
  await deliverAll(iam.core.db, sender);
  await subscribe(realm, 5);
  await deliverAll(iam.core.db, sender);
  signIns = 0;
  await expect.poll(signIn).toBeLessThanOrEqual(without);
  expect(without).toBeGreaterThan(3);
  query.mockRestore();
  await deliverAll(iam.core.db, sender);
  expect(ids(realm)).toHaveLength(5 * signIns);
});

test.runIf(onPostgres)("an event whose transaction commits after later ones is not lost", async () => {
  const realm = await iam.realm();
  await subscribe(realm);
  const [early, late] = [eventOf(realm), eventOf(realm)];
  let commit!: () => void;
  let written!: () => void;
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const open = iam.core.db.transaction().execute(async (tx) => {
    await insertEvents(tx, [early]);
    written();
    await mayCommit;
  });
  await isWritten;
  await iam.core.db.transaction().execute((tx) => insertEvents(tx, [late]));
  await sender.runDue();
  await sender.runDue();
  commit();
  await open;
  await expect
    .poll(async () => {
      await sender.runDue();
      return ids(realm);
    })
    .toHaveLength(2);
  expect(ids(realm).toSorted()).toEqual([early.id, late.id].toSorted());
});

test.runIf(onPostgres)("two nodes share the work, and each delivery is sent once", async () => {
  const realm = await iam.realm();
  await subscribe(realm, 4);
  const two = await iam.secondNode();
  const events = Array.from({ length: 100 }, () => eventOf(realm));
  peer.answer = (_request, response) => void setTimeout(() => response.writeHead(204).end(), 5);
  // A quick first node would leave the second nothing to do.
  await iam.core.db.transaction().execute((tx) => insertEvents(tx, events.slice(0, 20)));
  await vi.waitFor(
    async () => {
      await two.server.webhooks.runDue();
      expect(ids(realm).length).toBeGreaterThanOrEqual(80);
    },
    { timeout: 90_000 },
  );
  await iam.core.db.transaction().execute((tx) => insertEvents(tx, events.slice(20)));
  // The second node's own loops run as well, so three of them reach for the same rows.
  await Promise.all([two.server.webhooks.runDue(), sender.runDue()]);
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select 1 from webhook_deliveries where realm_id = ${realm.name} and status <> 'DELIVERED'`.execute(
        iam.core.db,
      );
      expect(rows).toEqual([]);
      expect(ids(realm).length).toBeGreaterThanOrEqual(400);
    },
    { timeout: 90_000 },
  );
  const keys = peer.received.flatMap(({ path, body }) => (path.startsWith(`/${realm.name}/`) ? [`${path} ${body.id}`] : []));
  expect(new Set(keys).size).toBe(400);
  expect(keys).toHaveLength(400);
  const sentBy = async (registry: Registry) => Number(/outcome="delivered"} (\d+)/.exec(await registry.metrics())?.[1]);
  expect(await sentBy(two.core.metrics.registry)).toBeGreaterThan(0);
});

test("events of two realms that come together go each to their own", async () => {
  const [one, two] = [await iam.realm(), await iam.realm()];
  for (const realm of [one, two]) await subscribe(realm);
  const events = [eventOf(one), eventOf(two), eventOf(one)];
  await iam.core.db.transaction().execute((tx) => insertEvents(tx, events));
  await deliverAll(iam.core.db, sender);
  for (const realm of [one, two])
    expect(ids(realm).toSorted()).toEqual(events.filter((event) => event.realm === realm.name).map(({ id }) => id));
  const { rows } = await sql`select status from webhook_deliveries where realm_id in (${one.name}, ${two.name})`.execute(iam.core.db);
  expect(rows).toEqual(events.map(() => ({ status: "DELIVERED" })));
});

test("a batch of events is cut, and all of it arrives", async () => {
  const realm = await iam.realm();
  await subscribe(realm);
  const events = Array.from({ length: 1_100 }, () => eventOf(realm));
  for (let at = 0; at < events.length; at += 550)
    await iam.core.db.transaction().execute((tx) => insertEvents(tx, events.slice(at, at + 550)));
  await deliverAll(iam.core.db, sender);
  expect(ids(realm).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
});
