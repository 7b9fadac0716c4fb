// From an event to a receiver: what is sent, to whom, how often, and what is recorded of it.
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { accept, deliverAll, type Received, type Receiver, receiver } from "../../testing/receiver.ts";
import { deleteEndedDeliveries } from "./index.ts";

let iam: Harness;
let peer: Receiver;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
  peer = await receiver();
  // Time is moved by days here; no session shall be deleted for it.
  await iam.server.jobs.stop();
});
afterEach(() => {
  clock.reset();
  peer.received.length = 0;
  peer.answer = accept;
});
afterAll(async () => {
  const { rows: twice } = await sql`
    select event_id from webhook_deliveries group by webhook_id, event_id having count(*) > 1`.execute(iam.core.db);
  expect(twice, "no event was fanned out twice").toEqual([]);
  await iam?.close();
  await peer?.close();
});

const SECRET = "hunter2-hunter2-hunter2";
const KEY = `whsec_${Buffer.from("a key of 24 bytes or more").toString("base64")}`;

/** A realm with a webhook that receives at its own path. */
async function subscribed(hook: object = {}): Promise<{ realm: RealmUnderTest; admin: AdminClient; id: string; path: string }> {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const path = `/${newId()}`;
  const created = await admin.post("/webhooks", { name: "a", url: peer.url + path, eventTypes: "LOGIN_FAILURE", ...hook });
  expect(created.status).toBe(201);
  return { realm, admin, id: created.body.id, path };
}

const failToSignIn = (realm: RealmUnderTest, name = "nobody") => iam.browser().trySignIn(realm.name, name, "wrong");
const send = () => deliverAll(iam.core.db, iam.server.webhooks);
const at = (path: string) => peer.received.filter((request) => request.path === path);
const header = (request: Received | undefined, name: string) => String(request?.headers[name]);
const deliveries = async (admin: AdminClient, id: string, query = "") => (await admin.get(`/webhooks/${id}/deliveries?${query}`)).body;
const refuse = (status: number) => (_request: Received, response: { writeHead(status: number): { end(text: string): unknown } }) =>
  void response.writeHead(status).end("no");

describe("the request", () => {
  test("is the event as the trail has it, by itself and soon", async () => {
    const { realm, path } = await subscribed();
    await failToSignIn(realm, "ada");
    await peer.until(1);
    const [event] = await realm.events("type=LOGIN_FAILURE");
    const [sent] = at(path);
    expect(sent!.body).toEqual({ id: event.id, type: "LOGIN_FAILURE", ts: event.ts, realm: realm.name, data: event });
    expect(sent!.headers).toMatchObject({ "content-type": "application/json", "webhook-id": event.id });
    // No secret: nothing that looks like a signature.
    expect(Object.keys(sent!.headers).filter((name) => name.includes("signature"))).toEqual([]);
  });

  test.each([
    ["a text", SECRET, new StandardWebhook(SECRET, { format: "raw" })],
    ["a key of Standard Webhooks", KEY, new StandardWebhook(KEY)],
  ])("is signed with %s, in both ways", async (_what, secret, standard) => {
    const { verify } = await documentedReceiver();
    const { realm, path } = await subscribed({ secret });
    await failToSignIn(realm, "zoë <&>");
    await send();
    const [sent] = at(path);
    const body = sent!.raw.toString();
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    const headers = Object.fromEntries(names.map((name) => [name, header(sent, name)]));
    expect(standard.verify(body, headers)).toEqual(sent!.body);
    expect(() => standard.verify(`${body} `, headers)).toThrow();
    expect(() => standard.verify(body, { ...headers, "webhook-id": newId() })).toThrow();

    const key = secret === KEY ? Buffer.from(KEY.slice("whsec_".length), "base64") : secret;
    const signature = header(sent, "x-webhook-signature");
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(verify(sent!.raw, signature, key)).toBe(true);
    expect(verify(Buffer.concat([sent!.raw, Buffer.from(" ")]), signature, key)).toBe(false);
    expect(verify(sent!.raw, signature, "another secret")).toBe(false);
    expect(verify(sent!.raw, undefined, key)).toBe(false);
  });

  onPostgres("goes to the subscriptions to its type, its category or everything, in its realm, once each", async () => {
    const { realm, admin, path } = await subscribed({ eventTypes: "LOGIN_FAILURE,AUTHN,LOGIN_FAILURE" });
    const other = await subscribed({ eventTypes: "*" });
    for (const [name, eventTypes] of Object.entries({ all: "*", category: "AUTHN", other: "LOGOUT,SECURITY", off: "*" }))
      await admin.post("/webhooks", { name, url: `${peer.url}${path}/${name}`, eventTypes, enabled: name !== "off" });
    await send();
    peer.received.length = 0;
    await failToSignIn(realm);
    await send();
    expect(peer.received.map((request) => request.path).sort()).toEqual([path, `${path}/all`, `${path}/category`].sort());
    expect(at(other.path)).toEqual([]);
  });
});

/** The code that docs/webhooks.md shows, as a reader would run it. */
async function documentedReceiver(): Promise<{ verify(body: Buffer, signature: string | undefined, secret: string | Buffer): boolean }> {
  const text = await readFile(new URL("../../../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /```js\n(.*?)```/s.exec(text)?.[1];
  expect(code?.trim().split("\n").length).toBeLessThanOrEqual(7);
  const file = join(tmpdir(), `gatehouse-documented-${newId()}.mjs`);
  await writeFile(file, code!);
  return import(/* @vite-ignore */ file);
}

describe("a secret that is rotated", () => {
  test("signs together with the one before until the overlap ends", async () => {
    const { realm, admin, id, path } = await subscribed({ secret: KEY });
    const fresh = (await admin.post(`/webhooks/${id}/rotate-secret`, { overlapSeconds: 600 })).body.secret;
    const { verify } = await documentedReceiver();
    const signedBy = (request: Received) =>
      [KEY, fresh].map((secret) => {
        // Not `verify`: that looks at the real time, and the attempt was made at the clock's.
        const standard = new StandardWebhook(secret);
        const signature = standard.sign(
          header(request, "webhook-id"),
          new Date(Number(header(request, "webhook-timestamp")) * 1000),
          request.raw.toString(),
        );
        return header(request, "webhook-signature").split(" ").includes(signature);
      });
    await failToSignIn(realm);
    await send();
    expect(signedBy(at(path)[0]!)).toEqual([true, true]);
    expect(verify(at(path)[0]!.raw, header(at(path)[0], "x-webhook-signature"), Buffer.from(fresh.slice(6), "base64"))).toBe(true);

    clock.advance(11 * MINUTE);
    await failToSignIn(realm);
    await send();
    expect(signedBy(at(path)[1]!)).toEqual([false, true]);
    // In seconds, at the time of the attempt.
    expect(Math.abs(Number(header(at(path)[1], "webhook-timestamp")) * SECOND - clock.now())).toBeLessThan(MINUTE);
  });
});

describe("a delivery that fails", () => {
  const waits = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * SECOND);

  test("is tried again after each wait with the same id and bytes, then given up with an event and a count", async () => {
    peer.answer = refuse(500);
    const { realm, admin, id, path } = await subscribed({ secret: SECRET, eventTypes: "LOGIN_FAILURE,ADMIN" });
    await send();
    const counted = async (outcome: string) =>
      Number(new RegExp(`svc_webhook_deliveries_total{outcome="${outcome}"} (\\d+)`).exec(await iam.core.metrics.registry.metrics())?.[1]);
    peer.received.length = 0;
    const [failed, dead] = [await counted("failed"), await counted("dead")];
    await failToSignIn(realm);
    await send();
    const one = async () => {
      const columns = ["delivery_id", "status", "attempts", "next_at", "ended_at", "answer_status", "answer", "error"] as const;
      const rows = iam.core.db.selectFrom("webhook_deliveries").select(columns).where("webhook_id", "=", id);
      return rows.where("event_type", "=", "LOGIN_FAILURE").executeTakeFirstOrThrow();
    };
    expect(await deliveries(admin, id, "eventType=LOGIN_FAILURE")).toMatchObject([
      { status: "PENDING", attempts: 1, answerStatus: 500, answer: "no", error: expect.stringContaining("500"), endedAt: null },
    ]);
    const mine = () => at(path).filter(({ body }) => body.type === "LOGIN_FAILURE");
    for (const [i, wait] of waits.entries()) {
      const requested = (await one()).next_at - clock.now();
      expect(requested, `wait ${i}`).toBeGreaterThan(wait - MINUTE / 2);
      expect(requested, `wait ${i}`).toBeLessThanOrEqual(wait * 1.2);
      expect(mine()).toHaveLength(i + 1);
      if (wait > MINUTE) {
        // Ten seconds, because a busy machine takes some of them for what follows.
        clock.advance(requested - 10 * SECOND);
        await send();
        expect(mine(), "not before its time").toHaveLength(i + 1);
        clock.advance(11 * SECOND);
      } else clock.advance(requested + SECOND);
      await send();
      expect(mine()).toHaveLength(i + 2);
    }
    expect(await one()).toMatchObject({ status: "DEAD", attempts: 8, ended_at: expect.any(Number) });
    expect(new Set(mine().map(({ raw }) => raw.toString())).size).toBe(1);
    expect(new Set(mine().map((request) => header(request, "webhook-id"))).size).toBe(1);
    expect(new Set(mine().map((request) => header(request, "webhook-timestamp"))).size).toBe(8);
    expect((await counted("dead")) - dead).toBeGreaterThanOrEqual(1);
    expect((await counted("failed")) - failed).toBeGreaterThanOrEqual(7);
    const recorded = await iam.core.db
      .selectFrom("audit_events")
      .select(["category", "actor", "resource_type", "resource_id", "outcome", "detail"])
      .where("realm_id", "=", realm.name)
      .where("type", "=", "WEBHOOK_DEAD")
      .where("detail", "like", "%LOGIN_FAILURE%")
      .execute();
    expect(recorded).toEqual([
      {
        category: "ADMIN",
        actor: "system",
        resource_type: "webhooks",
        resource_id: id,
        outcome: "FAILURE",
        detail: expect.stringMatching(/^delivery \S+ of LOGIN_FAILURE \S+ was given up after 8 attempts: .*500/),
      },
    ]);
    expect(JSON.stringify(recorded)).not.toContain(SECRET);

    // That it died is not sent in turn, also not to subscriptions to its whole category.
    peer.answer = accept;
    clock.advance(DAY);
    await send();
    expect(at(path).filter(({ body }) => body.type === "WEBHOOK_DEAD")).toEqual([]);

    // Back in time, where the administrator's session still holds.
    clock.reset();
    const { delivery_id: deliveryId } = await one();
    const again = await admin.post(`/webhooks/${id}/deliveries/${deliveryId}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: { id: deliveryId, status: "PENDING", attempts: 0, endedAt: null } });
    await send();
    expect(await one()).toMatchObject({ status: "DELIVERED", attempts: 1, answer_status: 204, answer: null, error: null });
    expect(new Set(mine().map(({ raw }) => raw.toString())).size).toBe(1);
    expect(mine()).toHaveLength(9);
    const [action] = await realm.events("type=ADMIN_ACTION&resourceType=webhooks");
    expect(action).toMatchObject({ resourceId: id, detail: `redeliver ${deliveryId}` });
  });

  test("succeeds once the receiver takes it, at its new address and with its new secret", async () => {
    peer.answer = refuse(503);
    const { realm, admin, id } = await subscribed({ secret: SECRET });
    await failToSignIn(realm);
    await send();
    peer.answer = accept;
    await admin.put(`/webhooks/${id}`, { name: "a", url: `${peer.url}/moved`, eventTypes: "LOGIN_FAILURE", enabled: true, secret: KEY });
    clock.advance(7 * SECOND);
    await send();
    const [sent] = at("/moved");
    const headers = Object.fromEntries(["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, header(sent, name)]));
    expect(new StandardWebhook(KEY).verify(sent!.raw.toString(), headers)).toBeTruthy();
    expect(await deliveries(admin, id)).toMatchObject([
      { status: "DELIVERED", attempts: 2, answerStatus: 204, latencyMs: expect.any(Number) },
    ]);
  });

  test("waits as long as the receiver asks, up to the wait after the next", async () => {
    let seconds = "20";
    peer.answer = (_request, response) => void response.writeHead(429, { "retry-after": seconds }).end();
    const { realm, admin, id } = await subscribed();
    await failToSignIn(realm);
    await send();
    const waited = async () => (await deliveries(admin, id))[0].nextAttemptAt - clock.now();
    expect(await waited()).toBeGreaterThan(15 * SECOND);
    seconds = "86400";
    clock.advance(25 * SECOND);
    await send();
    expect(await waited()).toBeGreaterThan(100 * SECOND);
    expect(await waited()).toBeLessThanOrEqual(144 * SECOND);
  });

  test("is sent although its webhook was disabled since; what happens meanwhile is not, then or later", async () => {
    peer.answer = refuse(500);
    const { realm, admin, id, path } = await subscribed();
    const put = (enabled: boolean) =>
      admin.put(`/webhooks/${id}`, { name: "a", url: peer.url + path, eventTypes: "LOGIN_FAILURE", enabled });
    await failToSignIn(realm, "before");
    await send();
    await put(false);
    peer.answer = accept;
    clock.advance(10 * MINUTE);
    await failToSignIn(realm, "meanwhile");
    await send();
    expect(at(path).map(({ body }) => body.data.actor)).toEqual(["before", "before"]);
    expect(await deliveries(admin, id)).toMatchObject([{ status: "DELIVERED", attempts: 2 }]);
    await put(true);
    await send();
    expect(at(path)).toHaveLength(2);
  });

  test("ends when its event is deleted, and then cannot be sent again", async () => {
    peer.answer = refuse(500);
    const { realm, admin, id } = await subscribed();
    await failToSignIn(realm);
    await send();
    await inTransaction(iam.core.db, async (tx) => {
      await sql`select set_config('gatehouse.maintenance', 'retention', true)`.execute(tx);
      await sql`delete from audit_events where realm_id = ${realm.name} and type = 'LOGIN_FAILURE'`.execute(tx);
    });
    clock.advance(7 * SECOND);
    await send();
    const [delivery] = await deliveries(admin, id);
    expect(delivery).toMatchObject({ status: "DEAD", error: expect.stringContaining("was deleted") });
    const again = await admin.post(`/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    expect(again).toMatchObject({ status: 409, body: { code: "webhooks.event_gone" } });
    expect(await deliveries(admin, id)).toMatchObject([{ status: "DEAD" }]);
    expect(await realm.events("type=WEBHOOK_DEAD")).toHaveLength(1);
  });
});

describe("deliveries", () => {
  test("are listed newest first, a page at a time, by status, type and id", async () => {
    const { realm, admin, id } = await subscribed({ eventTypes: "LOGIN_FAILURE,LOGIN_SUCCESS" });
    peer.answer = (request, response) => void response.writeHead(request.body.data.actor === "n1" ? 500 : 200).end("thank you");
    for (let i = 0; i < 4; i++) await failToSignIn(realm, `n${i}`);
    await realm.admin();
    await send();
    const list = await admin.get(`/webhooks/${id}/deliveries?size=2`);
    expect(list.headers["x-total-count"]).toBe("5");
    const all = await deliveries(admin, id);
    expect(all.map(({ createdAt }: { createdAt: number }) => createdAt)).toEqual(
      all.map(({ createdAt }: { createdAt: number }) => createdAt).toSorted((a: number, b: number) => b - a),
    );
    const next = /<([^>]+)>; rel="next"/.exec(String(list.headers.link))?.[1];
    expect([...list.body, ...(await admin.browser.get(next!)).body]).toEqual(all.slice(0, 4));
    expect(await deliveries(admin, id, "status=PENDING")).toMatchObject([{ answerStatus: 500 }]);
    expect(await deliveries(admin, id, "status=DELIVERED&eventType=LOGIN_SUCCESS")).toMatchObject([{ answer: "thank you" }]);
    expect(await deliveries(admin, id, `search=${all[1].eventId}`)).toEqual([all[1]]);
    expect(await deliveries(admin, id, `search=${all[2].id}`)).toEqual([all[2]]);
    expect(await deliveries(admin, id, "search=%25")).toEqual([]);
    expect(await deliveries(admin, id, "page=7")).toEqual([]);
    expect((await admin.get(`/webhooks/${id}/deliveries?status=LOST`)).status).toBe(400);
    expect((await admin.get(`/webhooks/${id}/deliveries?page=101`)).body.code).toBe("list.too_deep");
  });

  test("another webhook's or realm's delivery cannot be sent again", async () => {
    const [one, two] = [await subscribed(), await subscribed()];
    await failToSignIn(one.realm);
    await send();
    const [delivery] = await deliveries(one.admin, one.id);
    const sibling = (await one.admin.post("/webhooks", { name: "b", url: peer.url, eventTypes: "*" })).body.id;
    for (const [admin, webhook] of [
      [one.admin, sibling],
      [two.admin, two.id],
      [two.admin, one.id],
    ] as const)
      expect((await admin.post(`/webhooks/${webhook}/deliveries/${delivery.id}/redeliver`)).status).toBe(404);
    expect(at(one.path)).toHaveLength(1);
  });

  test("go with their webhook, and with their realm, and hold up no other", async () => {
    peer.answer = refuse(500);
    const [one, two] = [await subscribed(), await subscribed()];
    for (const { realm } of [one, two]) await failToSignIn(realm);
    await send();
    await failToSignIn(one.realm);
    expect((await one.admin.delete(`/webhooks/${one.id}`)).status).toBe(204);
    await failToSignIn(two.realm);
    expect((await one.admin.browser.delete(`/admin/realms/${two.realm.name}`)).status).toBe(204);
    await send(); // an attempt in progress cannot be cancelled
    clock.advance(10 * SECOND);
    peer.received.length = 0;
    peer.answer = accept;
    await send();
    expect([...at(one.path), ...at(two.path)]).toEqual([]);
    while ((await iam.server.jobs.runDue()) > 0);
    const left = await iam.core.db
      .selectFrom("webhook_deliveries")
      .select("delivery_id")
      .where("webhook_id", "in", [one.id, two.id])
      .execute();
    expect(left).toEqual([]);
    const three = await subscribed();
    await failToSignIn(three.realm);
    await send();
    expect(at(three.path)).toHaveLength(1);
  });

  test("are deleted a week after they arrived, a month after they died", async () => {
    const { realm, id } = await subscribed();
    peer.answer = (request, response) => void response.writeHead(request.body.data.actor === "dead" ? 500 : 200).end();
    for (const name of ["arrived", "dead", "waits"]) await failToSignIn(realm, name);
    await send();
    await sql`update webhook_deliveries set status = 'DEAD', ended_at = ${clock.now()} where webhook_id = ${id} and status = 'PENDING'`.execute(
      iam.core.db,
    );
    const statuses = async () => {
      await deleteEndedDeliveries(iam.core.db, clock.now());
      const rows = await iam.core.db.selectFrom("webhook_deliveries").select("status").where("webhook_id", "=", id).execute();
      return rows.map(({ status }) => status).sort();
    };
    clock.advance(7 * DAY - HOUR);
    expect(await statuses()).toEqual(["DEAD", "DELIVERED", "DELIVERED"]);
    clock.advance(2 * HOUR);
    expect(await statuses()).toEqual(["DEAD"]);
    clock.advance(23 * DAY);
    expect(await statuses()).toEqual([]);
  });
});

describe("a test send", () => {
  test("sends one signed event of the type TEST, also to a disabled webhook, and stores only that it was done", async () => {
    const { realm, admin, id, path } = await subscribed({ secret: KEY, enabled: false, eventTypes: "LOGOUT" });
    peer.answer = (_request, response) => void response.writeHead(202).end("got it");
    const answer = await admin.post(`/webhooks/${id}/test`);
    expect(answer).toMatchObject({ status: 200, body: { delivered: true, status: 202, latencyMs: expect.any(Number), answer: "got it" } });
    const [sent] = at(path);
    expect(sent!.body).toMatchObject({ type: "TEST", realm: realm.name, data: { type: "TEST", resourceId: id, actor: "master/admin" } });
    const headers = Object.fromEntries(["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, header(sent, name)]));
    expect(new StandardWebhook(KEY).verify(sent!.raw.toString(), headers)).toBeTruthy();
    expect(await deliveries(admin, id)).toEqual([]);
    expect((await realm.events("page=0")).filter(({ type }: { type: string }) => type === "TEST")).toEqual([]);
    const [event] = await realm.events("type=ADMIN_ACTION&resourceType=webhooks");
    expect(event).toMatchObject({ resourceId: id, detail: "send test", outcome: "SUCCESS" });
  });

  test("says kindly what went wrong, and is not repeated", async () => {
    const { realm, admin, id, path } = await subscribed();
    peer.answer = refuse(418);
    expect((await admin.post(`/webhooks/${id}/test`)).body).toMatchObject({
      delivered: false,
      status: 418,
      error: expect.stringContaining("418"),
      answer: "no",
    });
    await send();
    expect(at(path)).toHaveLength(1);
    const [event] = await realm.events("type=ADMIN_ACTION&resourceType=webhooks");
    expect(event).toMatchObject({ outcome: "FAILURE", detail: "send test" });
    await admin.put(`/webhooks/${id}`, { name: "a", url: "http://127.0.0.1:1/", eventTypes: "*", enabled: false });
    expect((await admin.post(`/webhooks/${id}/test`)).body).toEqual({
      delivered: false,
      status: null,
      latencyMs: expect.any(Number),
      error: "127.0.0.1 could not be reached, or broke off the conversation.",
    });
  });
});

test("in development plain http reaches this machine only", async () => {
  const { admin } = await subscribed();
  for (const url of ["http://hooks.example.com/", "http://8.8.8.8/", "http://10.0.0.1/", "http://127.0.0.1.example.com/"])
    expect(await admin.post("/webhooks", { name: "b", url, eventTypes: "*" }), url).toMatchObject({
      status: 400,
      body: { errors: [{ field: "url" }] },
    });
  for (const url of ["http://localhost:9/", "http://[::1]:9/", "https://hooks.example.com/"])
    expect((await admin.post("/webhooks", { name: "b", url, eventTypes: "LOGOUT", enabled: false })).status, url).toBe(201);
});
