import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { createJobWorker, type JobWorker } from "../../platform/jobs/index.ts";
import { createOutbound, type Outbound } from "../../platform/outbound/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { PEER_HOST } from "../../testing/message-driver-conformance.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import { type FcmPeer, fcmDriverPeer } from "../../testing/push-peers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { createMessageMetrics, MESSAGE_JOB, messageJob, pushTokensOf } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const at = "/messaging/push-tokens";
const TOKEN = "fcm-token_0123456789:APA91b-abcdef";
const device = (userId: string, more: object = {}) => ({ userId, driver: "fcm", token: TOKEN, deviceName: "Ada's phone", ...more });
const rowsOf = (realm: RealmUnderTest) =>
  iam.core.db
    .selectFrom("push_tokens")
    .select(["push_token_id", "user_id", "token", "token_hash"])
    .where("realm_id", "=", realm.name)
    .execute();

describe("registering a device", () => {
  test("stores its token sealed, shows only the end of it, and leaves both kinds of event", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-realm");
    const { userId } = await realm.user();
    const created = await admin.post(at, device(userId));
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      id: expect.any(String),
      realmId: realm.name,
      userId,
      driver: "fcm",
      token: "…cdef",
      deviceName: "Ada's phone",
      createdAt: expect.any(Number),
      lastUsedAt: null,
    });
    expect(await admin.get(at)).toMatchObject({ status: 200, body: [created.body], headers: { "x-total-count": "1" } });
    const [row] = await rowsOf(realm);
    expect(row!.token).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain(TOKEN);
    const about = { resourceType: "users", resourceId: userId, detail: "push token" };
    expect(await realm.events("type=CREDENTIAL_ADDED")).toMatchObject([about]);
    expect(await realm.events("type=ADMIN_CREATE&resourceType=messaging")).toMatchObject([{ resourceId: created.body.id }]);
    expect(JSON.stringify(await realm.events())).not.toContain(TOKEN);
    expect(iam.output.join("")).not.toContain(TOKEN);
    expect((await admin.delete(`${at}/${created.body.id}`)).status).toBe(204);
    expect((await admin.delete(`${at}/${created.body.id}`)).status).toBe(404);
    expect(await rowsOf(realm)).toEqual([]);
    expect(await realm.events("type=CREDENTIAL_REVOKED")).toMatchObject([about]);
  });

  test("again moves it to the current owner of the device; another driver's or realm's token of that name is another", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const admin = realm.asMaster();
    const [ada, bob] = [await realm.user(), await realm.user()];
    const first = (await admin.post(at, device(ada.userId))).body;
    const moved = await admin.post(at, device(bob.userId, { deviceName: null }));
    expect(moved).toMatchObject({ status: 201, body: { id: first.id, userId: bob.userId, deviceName: null, token: "…cdef" } });
    expect(await rowsOf(realm)).toHaveLength(1);
    expect(await realm.events("type=CREDENTIAL_REVOKED")).toMatchObject([{ resourceId: ada.userId }]);
    expect((await admin.post(at, device(bob.userId, { driver: "apns" }))).body.id).not.toBe(first.id);
    expect((await elsewhere.asMaster().post(at, device((await elsewhere.user()).userId))).body.id).not.toBe(first.id);
    expect(await pushTokensOf(iam.core.db, realm.name, bob.userId, "fcm")).toEqual([{ id: first.id, deviceName: null }]);
  });

  test("by many at once ends with one owner and one row", async () => {
    const realm = await iam.realm();
    const people = await Promise.all([1, 2, 3].map(() => realm.user()));
    const answers = await Promise.all(people.map(({ userId }) => realm.asMaster().post(at, device(userId))));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await rowsOf(realm)).toHaveLength(1);
  });

  test("needs what the user holds, and what the one holds who loses it: it decides who approves their sign-in", async () => {
    const realm = await iam.realm();
    const helper = await realm.as("manage-realm");
    const boss = await realm.as("manage-realm", "manage-users");
    const { userId } = await realm.user();
    expect((await helper.post(at, device(boss.userId))).status).toBe(403);
    const { id } = (await realm.asMaster().post(at, device(boss.userId))).body;
    expect((await helper.post(at, device(userId))).status, "taking it from the boss").toBe(403);
    expect((await helper.delete(`${at}/${id}`)).status).toBe(403);
    expect(await rowsOf(realm)).toMatchObject([{ push_token_id: id, user_id: boss.userId }]);
    expect((await boss.post(at, device(userId))).status).toBe(201);
    expect((await helper.delete(`${at}/${id}`)).status).toBe(204);
    expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(3);
  });

  test("refuses anonymous callers, other realms' users and what is no token", async () => {
    const [realm, elsewhere] = [await iam.realm(), await iam.realm()];
    const admin = realm.asMaster();
    const { userId } = await realm.user();
    const foreign = await elsewhere.user();
    for (const [body, field] of [
      [device(newId()), "userId"],
      [device(foreign.userId), "userId"],
      [device("nobody"), "userId"],
      [device(userId, { driver: "smtp" }), "driver"],
      [device(userId, { token: "a/../b?c=d e" }), "token"],
      [device(userId, { token: "x".repeat(4097) }), "token"],
      [device(userId, { token: "short" }), "token"],
      [device(userId, { deviceName: "a\nb" }), "deviceName"],
      [device(userId, { lastUsedAt: 1 }), "lastUsedAt"],
    ] as const) {
      const answer = await admin.post(at, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
    }
    expect(await rowsOf(realm)).toEqual([]);
  });

  test("ends with the user", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    await realm.asMaster().post(at, device(userId));
    expect((await realm.asMaster().delete(`/users/${userId}`)).status).toBe(204);
    expect(await rowsOf(realm)).toEqual([]);
  });
});

test("the list is paged, and filtered by user, id and the beginning of a name", async () => {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const [ada, bob] = [await realm.user(), await realm.user()];
  const ids: string[] = [];
  for (let n = 0; n < 5; n++)
    ids.push((await admin.post(at, device(n < 3 ? ada.userId : bob.userId, { token: `${TOKEN}${n}`, deviceName: `Phone_${n}` }))).body.id);
  const list = async (query: string) => {
    const answer = await admin.get(`${at}?${query}`);
    return [answer.headers["x-total-count"], answer.body.map(({ id }: { id: string }) => ids.indexOf(id))];
  };
  expect(await list("size=2")).toEqual(["5", [0, 1]]);
  expect(await list("size=2&page=1")).toEqual(["5", [2, 3]]);
  expect(await list("size=2&page=9")).toEqual(["5", []]);
  expect(await list("sort=-id&size=1")).toEqual(["5", [4]]);
  expect(await list(`userId=${ada.userId}`)).toEqual(["3", [0, 1, 2]]);
  expect(await list(`userId=${newId()}`)).toEqual(["0", []]);
  expect(await list(`search=${ids[2]}`)).toEqual(["1", [2]]);
  expect(await list(`search=${bob.userId}`)).toEqual(["2", [3, 4]]);
  expect(await list("search=phone_4")).toEqual(["1", [4]]);
  expect(await list("search=phone%25")).toEqual(["0", []]);
  expect((await admin.get(`${at}?userId=x`)).status).toBe(400);
  expect((await admin.get(`${at}?sort=token`)).status).toBe(400);
});

describe("a push message", () => {
  let peer: FcmPeer;
  let outbound: Outbound;
  let worker: JobWorker;
  const logged: string[] = [];
  beforeAll(async () => {
    await iam.server.jobs.stop();
    const authority = await privateAuthority();
    peer = await fcmDriverPeer({ authority, trap: "https://127.0.0.1:1/" });
    const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
    outbound = createOutbound({ ca: authority.ca, resolve, allowedHosts: ["127.0.0.1", PEER_HOST], allowLoopbackHttp: false });
    const { db, vault, realms } = iam.core;
    const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
    const metrics = createMessageMetrics(new Registry());
    worker = createJobWorker(db, { [MESSAGE_JOB]: messageJob({ db, vault, outbound, realms, metrics, mailbox: null, log }) }, log);
  });
  afterAll(async () => {
    await outbound.close();
    await peer.listening.close();
  });

  const withPush = async () => {
    const realm = await iam.realm();
    const { config, secret } = peer.provider;
    const saved = await realm.asMaster().put("/messaging/providers", { channel: "PUSH", driver: "fcm", config, secret });
    expect(saved.status, saved.text).toBe(201);
    const user = await realm.user();
    const { id } = (await realm.asMaster().post(at, device(user.userId))).body;
    return { realm, user, id };
  };
  const approve = (realm: RealmUnderTest, user: { userId: string; username: string }, to: string) =>
    iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      iam.server.messages.send(ctx, {
        templateKey: "push-approval",
        to,
        user: { id: user.userId, username: user.username, email: null, emailVerified: false, attributes: {} },
        values: {},
        data: { challenge: "c-1" },
        expiresAt: clock.now() + MINUTE,
      }),
    );
  const jobs = (realm: RealmUnderTest) =>
    iam.core.db.selectFrom("jobs").select(["dead_at", "last_error", "sealed"]).where("realm_id", "=", realm.name).execute();

  test("reaches the user's device, with what the app needs, and notes when", async () => {
    const { realm, user, id } = await withPush();
    const before = peer.arrived.length;
    const messageId = await approve(realm, user, id);
    await worker.runDue();
    expect(peer.arrived.slice(before)).toMatchObject([{ id: messageId, to: [TOKEN], title: `Sign in to ${realm.name}?` }]);
    expect(peer.messages.at(-1)!.data).toMatchObject({ challenge: "c-1" });
    expect((await realm.asMaster().get(at)).body).toMatchObject([{ lastUsedAt: expect.any(Number) }]);
    expect(await jobs(realm)).toEqual([]);
    expect([...iam.output, ...logged].join("")).not.toContain(TOKEN);
  });

  test("goes to no device that is another's, unknown, or of another driver", async () => {
    const { realm, user, id } = await withPush();
    const other = await realm.user();
    const apns = (await realm.asMaster().post(at, device(user.userId, { driver: "apns" }))).body.id;
    for (const [who, to] of [
      [other, id],
      [user, newId()],
      [user, apns],
    ] as const)
      await expect(approve(realm, who, to)).rejects.toMatchObject({ status: 409, code: "messaging.no_device" });
    // Handed on between the commit and the delivery: what was meant for the first owner is not shown to the second.
    const before = peer.arrived.length;
    await approve(realm, user, id);
    await realm.asMaster().post(at, device(other.userId));
    await worker.runDue();
    expect(peer.arrived).toHaveLength(before);
    expect(await jobs(realm)).toMatchObject([
      { dead_at: expect.any(Number), last_error: "the device is not registered any more", sealed: null },
    ]);
  });

  test("to a device that the provider does not know any more removes the device", async () => {
    const { realm, user, id } = await withPush();
    peer.behave("refuse recipient");
    await approve(realm, user, id);
    await worker.runDue();
    peer.behave("accept");
    expect(await rowsOf(realm)).toEqual([]);
    expect(await jobs(realm)).toMatchObject([{ dead_at: expect.any(Number), sealed: null }]);
  });

  test("waits as long as the provider asks, and not for a time beyond its own", async () => {
    const { realm, user, id } = await withPush();
    peer.behave("throttle");
    await approve(realm, user, id);
    await worker.runDue();
    // The peer asks for 60 seconds, which is all the message has.
    expect(await jobs(realm)).toEqual([]);
    await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
      iam.server.messages.send(ctx, {
        templateKey: "push-approval",
        to: id,
        user: { id: user.userId, username: user.username, email: null, emailVerified: false, attributes: {} },
        values: {},
        expiresAt: clock.now() + 10 * MINUTE,
      }),
    );
    await worker.runDue();
    const [job] = await iam.core.db.selectFrom("jobs").select(["run_at"]).where("realm_id", "=", realm.name).execute();
    expect(job!.run_at - clock.now()).toBeGreaterThan(50 * SECOND);
    peer.behave("accept");
    const before = peer.arrived.length;
    clock.advance(61 * SECOND);
    await worker.runDue();
    expect(peer.arrived).toHaveLength(before + 1);
  });
});
